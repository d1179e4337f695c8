"""MCP resources (data model, notes documents with pagination) and prompts for frequent tasks."""

import json
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from fastmcp import FastMCP
from fastmcp.exceptions import ResourceError, ValidationError
from httpx import Response
from mcp_types import Resource
from pydantic import Field

from serving_api.mcp.inside import ask, request_to
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
    listed: Mapping[str, Any] = answer.json()
    return listed


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
    return json.dumps((await read("schema")).json()["data"])


async def _notes(entity_type: str, entity_id: str) -> str:
    document = (await read("notes", entity_type, entity_id)).json()["data"]
    return str(document["readme"] or "")


async def read(*segments: str, query: Mapping[str, str] | None = None) -> Response:
    """Return the response of a GET. Raises ResourceError with REST's envelope."""
    path = (*PREFIX.split("/"), *segments)
    answer = await ask(request_to("GET", path, query or {}))
    if not answer.is_success:
        raise ResourceError(answer.content.decode(), log_level=logging.DEBUG)  # no fault of ours
    return answer


_WEEKLY = """\
Write a report on one week of a creator's work for the creator's managers.

Creator: {creator}
Last day of the week: {until}

1. Find the creator with `creators_list` (`search`). If several match, ask which one is meant.
   Call tools that are not in your list with `call_read_tool`.
2. Read the creator's notes with `notes_get` (`entity_type` creator). Agreements explain numbers.
3. Get views, likes, comments and shares by day with `analytics_query` (entity `creator`,
   granularity `day`, `compare` prior_period) for these seven days.
4. Find the posts behind them: `analytics_query` with `breakdown` video for views.
5. Get the goals that were met with `goals_compliance` (period `weekly`, `reference_date` the last
   day, `creator_id`), and the events of these days with `annotations_list`.
6. Get the week's earnings with `payout_accruals_list` (`creator_id`, `from`, `to`).

Then write, in at most one page: what changed since the previous week and by how much; the posts
that made the difference; goals met and missed; earnings (convert cents to currency units); one
suggestion. Say that a number is unknown (null) instead of omitting it or calling it 0, and that
numbers of the last day may still grow. Change nothing.
"""

_PAYOUT = """\
Explain to someone without accounting knowledge why a creator is owed an amount.

Creator: {creator}
Question: {question}

1. Find the creator with `creators_list` (`search`). If several match, ask which one is meant.
   Call tools that are not in your list with `call_read_tool`.
2. Get the amounts owed and paid with `payout_balances_get`.
3. List the amounts behind them with `payout_accruals_list` (`creator_id`; `from` and `to` if the
   question is about a period). Follow `meta.nextCursor` to the end.
4. For each amount in question, get its evidence with `payout_accruals_get`, and the version of the
   rule that applied with `payout_structures_get`. An adjustment's `reason` says what changed since
   the amount was paid; its `evidence` has both the paid and the owed amount.
5. If something seems to be missing, check `payout_assignments_list` (was the creator assigned at
   that time?), `videos_list` with `creator_id` (which posts are excluded or not yet reviewed?) and
   `payout_payments_list` (was it paid, void or failed?).

Then explain step by step, with the arithmetic: what was counted, the rule in plain words, the
amount, its status, and what happens next. Amounts are integer cents; show them in currency units.
Use only the rules that the tools return, and do not guess: say what you could not find out.
Approve, void and pay nothing.
"""


def add_prompts(server: FastMCP) -> None:
    server.prompt(
        name="weekly_creator_report",
        title="Weekly creator report",
        description="One page about a creator's week: numbers, posts, goals, earnings.",
    )(_weekly_creator_report)
    server.prompt(
        name="payout_explanation",
        title="Payout explanation",
        description="Why a creator is owed an amount, step by step.",
    )(_payout_explanation)


def _weekly_creator_report(
    creator: Annotated[str, Field(description="Name, handle or id of the creator")],
    until: Annotated[
        str, Field(description="Last day of the week, YYYY-MM-DD; default: yesterday")
    ] = "yesterday",
) -> str:
    return _WEEKLY.format(creator=creator, until=until)


def _payout_explanation(
    creator: Annotated[str, Field(description="Name, handle or id of the creator")],
    question: Annotated[
        str, Field(description="What is unclear; default: the balance as a whole")
    ] = "How is the current balance computed?",
) -> str:
    return _PAYOUT.format(creator=creator, question=question)
