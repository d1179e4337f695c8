"""The envelope of every answer: `{data, error, meta}` (contract, Conventions)."""

from types import NoneType
from typing import Annotated, Any, ClassVar, Generic, TypeVar, get_args, get_origin

from fastapi import Response
from pydantic import BaseModel, ConfigDict, Field, JsonValue

Data = TypeVar("Data")


def _name_of(data: Any) -> str:
    if isinstance(data, TypeVar):
        return data.__name__
    if get_origin(data) is Annotated:
        return _name_of(get_args(data)[0])
    if get_origin(data) is list:
        return f"{_name_of(get_args(data)[0])}List"
    if members := get_args(data):
        optional = "Optional" if NoneType in members else ""
        return optional + "Or".join(_name_of(each) for each in members if each is not NoneType)
    return str(data.__name__)


class Named(BaseModel):
    """A generic model whose name in the OpenAPI document is its data's and its own."""

    @classmethod
    def model_parametrized_name(cls, params: tuple[Any, ...]) -> str:
        """Return `AccountPage` for `Page[Account]`."""
        return "".join(_name_of(each) for each in params) + cls.__name__


class Envelope(Named, Generic[Data]):
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


class Page(Named, Generic[Data]):
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
