"""`/desk/projects/{project_id}/creators/paste`: add creators from a list, with a preview."""

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any
from uuid import UUID

from fastapi import Depends, Request, Response

from scrapers.urls import ShortLinks, plain_text, platform_of
from serving_api.auth.dependencies import reads
from serving_api.desk.creator_pages.adding import MODES, Writer, why_no_account
from serving_api.desk.creator_pages.routes import CREATORS
from serving_api.desk.done import Done, Undo, redirect
from serving_api.desk.entered import NOTHING, Entered, require_read, show_again
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, day_in, text_of
from serving_api.desk.once import idempotent_request_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.error_messages import refused
from serving_api.errors import AlreadyTracked, ApiError, InvalidAccount, InvalidBody
from serving_api.http.short_links import followed
from serving_api.kit.principals import Principal
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.tracking.creators import batch
from serving_api.resources.tracking.creators.schemas import MAX_BATCH, NewCreatorInProject
from warehouse.platforms import PLATFORM_NAMES

BULLET = re.compile(r"^\s*(?:[-*•–]|[0-9]{1,3}[.)])\s+")  # noqa: RUF001 - lists have en dashes

# A cell is a profile URL, a handle with or without @, or a name. The first line may be a header.
# Problems are reported per line.
Account = tuple[str, str]
"""A platform, and the handle or URL as entered."""

NAME, HANDLE = "name", "handle"
HEADINGS: Mapping[str, str] = {
    **{platform: platform for platform in PLATFORM_NAMES},
    **dict.fromkeys(("handle", "account", "username", "user", "url", "link", "profile"), HANDLE),
    **dict.fromkeys(("name", "creator", "display", "full", "influencer"), NAME),
}
"""Words of headers and what their columns contain: of several words, the first listed."""


@dataclass(frozen=True, slots=True)
class Line:
    """A creator in the list, with its line number."""

    number: int
    name: str | None
    accounts: Sequence[Account]


def lines_of(text: str, platform: str) -> list[Line]:
    """Parse the list; bare handles belong to `platform`. Raises InvalidBody."""
    rows = [(number, cells) for number, cells in _rows(text) if cells]
    headings = [_heading(cell) for cell in rows[0][1]] if rows else []
    if all(headings) or sum(map(bool, headings)) > 1:
        rows = rows[1:]
    else:
        headings = []
    if not rows:
        raise InvalidBody.at("list", "Paste at least one handle or profile URL")
    if len(rows) > MAX_BATCH:
        raise InvalidBody.at("list", f"Paste at most {MAX_BATCH} creators at once")
    return [_line(number, cells, headings, platform) for number, cells in rows]


def _heading(cell: str) -> str | None:
    """Return what the column of a header contains; None for unknown headers and other cells."""
    if cell.startswith("@"):
        return None
    words = re.split(r"[\W_]+", cell.lower().strip("\ufeff"))
    is_known = all(word.removesuffix("s") in HEADINGS for word in words)
    kinds = [HEADINGS[word.removesuffix("s")] for word in words] if is_known else []
    return min(kinds, key=list(HEADINGS.values()).index, default=None)


def _rows(text: str) -> Iterator[tuple[int, list[str]]]:
    for number, written in enumerate(text.splitlines(), start=1):
        line = BULLET.sub("", written)
        separator = next((character for character in "\t;," if character in line), ",")
        [cells] = csv.reader([line], delimiter=separator) if line.strip() else [[]]
        stripped = [cell.strip() for cell in cells]
        yield number, stripped if any(stripped) else []


def _line(number: int, cells: list[str], headings: Sequence[Any], platform: str) -> Line:
    columns = headings or _guessed(cells)
    pairs = [(kind, cell) for kind, cell in zip(columns, cells, strict=False) if kind and cell]
    name = next((cell for kind, cell in pairs if kind == NAME), None)
    accounts = [
        (platform_of(cell) or (platform if kind == HANDLE else kind), cell)
        for kind, cell in pairs
        if kind != NAME
    ]
    return Line(number, name, accounts)


def _guessed(cells: Sequence[str]) -> list[str]:
    """Guess each cell's kind: URLs and @handles are accounts, otherwise the last cell is."""
    are = [bool(platform_of(cell)) or plain_text(cell).startswith("@") for cell in cells]
    if not any(are):
        are[-1 if cells[-1] else 0] = True
    return [HANDLE if is_account else NAME for is_account in are]


PASTE = f"{CREATORS}/paste"
NAMES = ("list", "platform", "tracking_mode", "tracking_hashtags", "tracking_start_date")


@dataclass(frozen=True, slots=True)
class Previewed:
    """A line of the list, and its problem if no creator can be created from it."""

    line: Line
    problem: str | None


async def _links(
    request: Request, caller: Annotated[Principal, Depends(Entry("write"))], fields: OwnFields
) -> ShortLinks:
    """Resolve the short links in the list."""
    try:
        lines = lines_of(fields.get("list", ""), fields.get("platform", ""))
    except InvalidBody:  # the page shows the error
        lines = []
    texts = [text for line in lines for _, text in line.accounts]
    return await followed(request, texts, idempotent_request_of(request, caller, fields))


router = desk_router()


@router.get(PASTE, dependencies=[views, reads(Entry("read"))])
def show_list(request: Request) -> Response:
    return _page(request, [], NOTHING)


@router.post(PASTE, dependencies=[views])
def make_creators(
    request: Request,
    links: Annotated[ShortLinks, Depends(_links)],
    context: Writer,
    project_id: UUID,
    fields: OwnFields,
) -> Response:
    """Preview the list, then create its creators on confirmation.

    The preview creates them too, and its error rolls them back.
    """
    preview: list[Previewed] = []
    show_again(request, fields, NAMES, partial(_page, request, preview))
    lines = lines_of(fields.get("list", ""), fields.get("platform", ""))
    settings = _settings(fields)
    bodies, problems = _bodies(lines, settings)
    made, refusals = batch.create_possible(
        context, links, project_id=project_id, bodies=list(bodies.values())
    )
    numbers = list(bodies)
    added_at = {str(creator_id): numbers[position] for position, creator_id in made.items()}
    problems |= {numbers[position]: _why(error, added_at) for position, error in refusals.items()}
    preview += [Previewed(line, problems.get(line.number)) for line in lines]
    new = len(lines) - len(problems)
    require_read(fields, f"Add {plural(new, 'creator')}" if new else "")
    if not new:
        raise InvalidBody.at(
            "list", "None of these creators can be added. Fix the listed problems."
        )
    added = f"{plural(new, 'creator')} added"
    listed = CREATORS.format(project_id=project_id)
    ids = list(made.values()) if context.caller.is_org_admin else []
    if not problems:
        return redirect(listed, f"{added}.", "remove", ids)
    undo = Undo(listed, "remove", ",".join(map(str, ids)), "") if ids else None
    request.state.done = Done(f"{added}, {len(problems)} not.", undo)
    # Lines that were added are gone from the list, and their numbers with them.
    problems |= {numbers[position]: _why(error, {}) for position, error in refusals.items()}
    refused = [Previewed(line, problems.get(line.number)) for line in lines]
    text, left = _left(fields["list"], refused)
    return _page(request, left, Entered({**fields, "list": text}, {}))


def _left(text: str, preview: Sequence[Previewed]) -> tuple[str, Sequence[Previewed]]:
    """Return the header and the lines that were not added, and these with their new numbers."""
    written = text.splitlines()
    remaining = [line for line in written[: preview[0].line.number - 1] if line.strip()]
    left = []
    for entry in preview:
        if entry.problem:
            remaining.append(written[entry.line.number - 1])
            left.append(replace(entry, line=replace(entry.line, number=len(remaining))))
    return "\n".join(remaining), left


def _settings(fields: Mapping[str, str]) -> dict[str, object]:
    """Return the tracking settings of the accounts. Raises InvalidBody."""
    tags = text_of(fields.get("tracking_hashtags", ""))
    if fields.get("tracking_mode") == "hashtag" and not tags:
        raise InvalidBody.at("tracking_hashtags", "Enter at least one hashtag")
    return {
        "tracking_mode": fields.get("tracking_mode", "auto"),
        "tracking_hashtags": [tags] if tags else [],
        "tracking_start_date": day_in(fields, "tracking_start_date"),
    }


def _bodies(
    lines: Sequence[Line], settings: Mapping[str, object]
) -> tuple[dict[int, NewCreatorInProject], dict[int, str]]:
    """Return request bodies by line number, and problems of the other lines."""
    bodies, problems = {}, {}
    for line in lines:
        accounts = [
            {"platform": platform, "handle": handle, **settings}
            for platform, handle in line.accounts
        ]
        try:
            bodies[line.number] = body_of(
                NewCreatorInProject, display_name=line.name, accounts=accounts
            )
        except InvalidBody as error:
            problems[line.number] = refused(error)[0]
    return bodies, problems


def _why(error: ApiError, added_at: Mapping[str, int]) -> str:
    if isinstance(error, InvalidAccount):
        return why_no_account(error)
    if isinstance(error, AlreadyTracked):
        line = added_at.get(str(error.meta["creator_id"]))
        return f"@{error.meta['handle']} is already {f'on line {line}' if line else 'tracked'}"
    return error.message


def _page(request: Request, preview: Sequence[Previewed], entered: Entered) -> Response:
    return project_page(
        request,
        "desk_creators_paste.html",
        "Creators",
        preview=preview,
        entered=entered,
        names=NAMES,
        modes=MODES,
        platforms=PLATFORM_NAMES,
    )
