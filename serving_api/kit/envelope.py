"""The envelope of every answer: `{data, error, meta}` (contract, Conventions)."""

from typing import ClassVar, Generic, TypeVar

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

Data = TypeVar("Data")


class Envelope(BaseModel, Generic[Data]):
    """A success: `error` is null."""

    data: Data
    error: None = None
    meta: dict[str, JsonValue] = Field(default_factory=dict)


class Accepted(Envelope[Data], Generic[Data]):
    """A success that somebody else has to take up: 202, beside the status of the route."""

    status: ClassVar[int] = 202

    def respond(self) -> Response:
        """Return the response, for an endpoint whose route has another status."""
        text = self.model_dump_json(by_alias=True)
        return Response(text, self.status, media_type="application/json")


class PageMeta(BaseModel):
    """Where a list goes on: `nextCursor` is null on the last page."""

    hasMore: bool  # noqa: N815 - the contract's name
    nextCursor: str | None  # noqa: N815 - the contract's name


class Page(BaseModel, Generic[Data]):
    """One page of a list."""

    data: list[Data]
    error: None = None
    meta: PageMeta


class ErrorMeta(BaseModel):
    """The error's code; more keys come with some codes."""

    model_config = ConfigDict(extra="allow")

    code: str


class ErrorEnvelope(BaseModel):
    """A failure: `data` is null, `error` is a message for people, `meta.code` one for programs."""

    data: None = None
    error: str
    meta: ErrorMeta


class Deleted(BaseModel):
    """The answer to a DELETE."""

    deleted: bool = True
