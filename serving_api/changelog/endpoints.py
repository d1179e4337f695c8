"""`/api/v2/changelog` for programs, and the page `/changelog`. Neither needs a key.

Entries are installed files, read once when the application is created.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from functools import cache
from pathlib import Path
from uuid import UUID

from fastapi import APIRouter, Depends, Request, Response
from markdown_it import MarkdownIt
from pydantic import BaseModel, Field

from serving_api.errors import InvalidCursor, InvalidQuery, RateLimitExceeded
from serving_api.kit.cursor import Cursor, Seal
from serving_api.kit.envelope import Answer
from serving_api.kit.pagination import TextQuery, refuse_unknown_query
from serving_api.kit.schemas import CalendarDay, Params, Search
from serving_api.kit.services import services_of
from serving_api.openapi import answers
from serving_api.pages import page, page_router
from serving_api.rate_limit.allowances import ChangelogAllowance, allowance_by_address

FOLDER = Path(__file__).parent

_LINK = re.compile(r"(\]\(|^\[[^\]]+\]: *)/(?!/)", re.MULTILINE)
_NO_ID = UUID(int=0)


@dataclass(frozen=True, slots=True)
class Entry:
    day: date
    title: str
    body: str

    @property
    def anchor(self) -> str:
        return self.day.isoformat()

    @property
    def position(self) -> Cursor:
        """The entry's position in the list: days are unique."""
        return Cursor(datetime.combine(self.day, time(), UTC), _NO_ID)

    def body_at(self, origin: str) -> str:
        return _LINK.sub(rf"\g<1>{origin}/", self.body)

    def mentions(self, words: Sequence[str]) -> bool:
        """Return whether title or text contains every word, ignoring case."""
        text = f"{self.title}\n{self.body}".casefold()
        return all(word in text for word in words)


class Entries(tuple[Entry, ...]):
    """All entries, newest first."""


def read_entries(folder: Path = FOLDER) -> Entries:
    entries = [_read(path) for path in folder.glob("*.md")]
    return Entries(sorted(entries, key=lambda entry: entry.day, reverse=True))


def search(entries: Sequence[Entry], since: date | None, q: str | None) -> list[Entry]:
    """Return the entries since a day that contain every word of `q`."""
    words = (q or "").casefold().split()
    return [
        entry
        for entry in entries
        if (since is None or entry.day >= since) and entry.mentions(words)
    ]


def _read(path: Path) -> Entry:
    title, _, body = path.read_text(encoding="utf-8").partition("\n")
    return Entry(date.fromisoformat(path.stem), title.removeprefix("# ").strip(), body.strip())


router = APIRouter(tags=["changelog"])
pages = page_router()

_markdown = MarkdownIt("commonmark", {"html": False})


class ChangelogQuery(TextQuery):
    since: CalendarDay | None = Field(default=None, description="Entries on or after this day")
    q: Search | None = Field(default=None, description="Words that must all appear, ignoring case")
    limit: int = Field(default=20, ge=1, le=100, description="Maximum number of items")
    cursor: str | None = Field(
        default=None,
        description="`meta.nextCursor` of the previous page, with the same since and q",
    )

    @property
    def listing(self) -> str:
        """Seals the cursors: they belong to one list with its filters."""
        return f"changelog/{self.since}/{self.q}"


class ChangelogEntry(BaseModel):
    """The changes of a day. Links in the Markdown are absolute."""

    date: date
    title: str
    anchor: str
    url: str
    body_markdown: str


class ChangelogMeta(BaseModel):
    """Pagination, and the total number of entries."""

    total: int
    hasMore: bool  # noqa: N815 - the contract's name
    nextCursor: str | None  # noqa: N815 - the contract's name
    changelog_url: str


class Changelog(Answer[list[ChangelogEntry], ChangelogMeta]):
    pass


@router.get("/changelog", responses=answers(InvalidCursor, InvalidQuery, RateLimitExceeded))
def list_changelog(
    request: Request, _allowance: ChangelogAllowance, query: Params[ChangelogQuery]
) -> Changelog:
    """List changes, newest first. Needs no key; 60 requests a minute per address."""
    services = services_of(request)
    refuse_unknown_query(request)
    return _page(services[Entries], query, services.seal, services.settings.base_url)


@pages.get("/changelog", dependencies=[Depends(allowance_by_address("changelogPage"))])
def show_changelog(request: Request) -> Response:
    rendered = [(entry, _rendered(entry.body)) for entry in services_of(request)[Entries]]
    return page("changelog.html", entries=rendered)


@cache
def _rendered(body: str) -> str:
    return str(_markdown.render(body))


def _page(entries: Sequence[Entry], query: ChangelogQuery, seal: Seal, origin: str) -> Changelog:
    match = search(entries, query.since, query.q)
    rest = match
    if query.cursor is not None:
        after = Cursor.decode(query.cursor, query.listing, seal)
        rest = [entry for entry in match if entry.position.at < after.at]
    listed = rest[: query.limit]
    has_more = len(rest) > len(listed)
    url = f"{origin}/changelog"
    return Changelog(
        data=[_entry(entry, origin, url) for entry in listed],
        meta=ChangelogMeta(
            total=len(match),
            hasMore=has_more,
            nextCursor=listed[-1].position.encode(query.listing, seal) if has_more else None,
            changelog_url=url,
        ),
    )


def _entry(entry: Entry, origin: str, url: str) -> ChangelogEntry:
    return ChangelogEntry(
        date=entry.day,
        title=entry.title,
        anchor=entry.anchor,
        url=f"{url}#{entry.anchor}",
        body_markdown=entry.body_at(origin),
    )
