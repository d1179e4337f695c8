"""MCP resources: the data model, and notes documents with pagination."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError, ValidationError
from mcp_types import Resource

from serving_api.mcp.inside import Answer, RestRequest, ask
from serving_api.resources.programs.notes.documents import DOCUMENTS
from serving_api.router import PREFIX

# The library paginates lists that it holds completely; these are read from REST page by page, so
# that a long list costs no more than its page.

FIRST_OF_EACH = 25
"""Documents of each type on the first page, most recently written first."""

A_PAGE = 100
"""Documents on later pages, all of one type."""

_CURSOR = re.compile(r"(?P<types>[a-z_]+(,[a-z_]+)*)\+(?P<offset>[0-9]{1,7})", re.ASCII)


@dataclass(frozen=True, slots=True)
class ListPosition:
    """A position in the list: types with more documents, and how many of the first were shown."""

    types: tuple[str, ...]
    offset: int

    @classmethod
    def of(cls, cursor: str) -> Self:
        """Parse a cursor. Raises ValidationError."""
        match = _CURSOR.fullmatch(cursor)
        types = tuple(match["types"].split(",")) if match else ()
        if match is None or not DOCUMENTS.keys() >= set(types):
            raise ValidationError("Not a cursor of this list. Start again without one")
        return cls(types, int(match["offset"]))

    @property
    def cursor(self) -> str:
        return f"{','.join(self.types)}+{self.offset}"

    def after(self, more: list[str]) -> "ListPosition | None":
        """Return the position after a page; `more` contains its type if that has more."""
        if more:
            return ListPosition(self.types, self.offset + A_PAGE)
        return ListPosition(self.types[1:], FIRST_OF_EACH) if self.types[1:] else None


@dataclass(frozen=True, slots=True)
class Documents:
    """A page of documents, and the next cursor."""

    resources: list[Resource]
    next_cursor: str | None


async def documents(cursor: str | None) -> Documents:
    """Return a page of readable documents. Raises ValidationError and ResourceError."""
    return await (_further(ListPosition.of(cursor)) if cursor else _first())


async def _first() -> Documents:
    listed = await _read_notes(limit=FIRST_OF_EACH)
    more = tuple(listed["meta"]["has_more"])
    return _page(listed, ListPosition(more, FIRST_OF_EACH) if more else None)


async def _further(position: ListPosition) -> Documents:
    listed = await _read_notes(entity_type=position.types[0], offset=position.offset, limit=A_PAGE)
    return _page(listed, position.after(listed["meta"]["has_more"]))


async def _read_notes(**query: str | int) -> Mapping[str, Any]:
    answer = await read("notes", query={name: str(value) for name, value in query.items()})
    return answer.envelope()


def _page(listed: Mapping[str, Any], following: ListPosition | None) -> Documents:
    resources = [_resource(item) for item in listed["data"]]
    return Documents(resources, following.cursor if following else None)


def _resource(item: Mapping[str, Any]) -> Resource:
    kind, entity_id = item["entity_type"], item["id"]
    return Resource(
        uri=NOTES.format(entity_type=kind, entity_id=entity_id),
        name=f"notes/{kind}/{entity_id}",
        title=item["name"],
        description=f"Notes on a {kind.replace('_', ' ')}, {item['readme_length']:,} characters.",
        mime_type=MARKDOWN,
    )


JSON = "application/json"
MARKDOWN = "text/markdown"

SCHEMA = "tracker://schema"
NOTES = "tracker://notes/{entity_type}/{entity_id}"


def add_resources(server: FastMCP) -> None:
    """Add the resources; each is one REST request."""
    server.resource(
        SCHEMA,
        name="schema",
        title="Data model",
        description="The entities, their fields and how they are connected, as JSON.",
        mime_type=JSON,
    )(_schema)
    server.resource(
        NOTES,
        name="notes",
        title="Notes",
        description="Members' notes on a creator, campaign, video, project, member, payout or the"
        " organization, in Markdown; `entity_type` as in the tool `notes_get`. Empty if there are"
        " none. The author is below each part.",
        mime_type=MARKDOWN,
    )(_notes)


async def _schema() -> str:
    return json.dumps((await read("schema")).envelope()["data"])


async def _notes(entity_type: str, entity_id: str) -> str:
    document = (await read("notes", entity_type, entity_id)).envelope()["data"]
    return str(document["readme"] or "")


async def read(*segments: str, query: Mapping[str, str] | None = None) -> Answer:
    """Return the response of a GET. Raises ResourceError with REST's envelope."""
    path = (*PREFIX.split("/"), *segments)
    answer = await ask(RestRequest(method="GET", segments=path, query=query or {}))
    if not answer.is_success:
        raise ResourceError(answer.body.decode())
    return answer
