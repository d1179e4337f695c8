"""`/desk/projects/{project_id}/creators/paste`: add creators from a list, with a preview."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated
from uuid import UUID

from fastapi import Depends, Request, Response

from scrapers.urls import ShortLinks
from serving_api.auth.dependencies import reads
from serving_api.desk.creator_pages.adding import MODES, Writer, why_no_account
from serving_api.desk.creator_pages.pasted_lines import Line, PastedList, read_list
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
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators import batch
from serving_api.resources.tracking.creators.schemas import NewCreatorInProject
from warehouse.platforms import PLATFORM_NAMES

PASTE = f"{CREATORS}/paste"
NAMES = ("list", "platform", "tracking_mode", "tracking_hashtags", "tracking_start_date")


@dataclass(frozen=True, slots=True)
class Previewed:
    """A line of the list, and its problem if no creator can be created from it.

    `creator_id` is of the creator whose account it names.
    """

    line: Line
    problem: str | None
    creator_id: str | None = None


async def _links(
    request: Request, caller: Annotated[Principal, Depends(Entry("write"))], fields: OwnFields
) -> ShortLinks:
    try:
        pasted = read_list(fields.get("list", ""), fields.get("platform", ""))
    except InvalidBody:  # the page shows the error
        pasted = PastedList("", [], [])
    texts = [text for line in pasted.lines for _, text in line.accounts]
    return await followed(request, texts, idempotent_request_of(request, caller, fields))


router = desk_router()


@router.get(PASTE, dependencies=[views, reads(Entry("read"))])
def show_list(request: Request) -> Response:
    return _page(request, [], [], NOTHING)


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
    unused: list[str] = []
    show_again(request, fields, NAMES, partial(_page, request, preview, unused))
    pasted = read_list(fields.get("list", ""), fields.get("platform", ""))
    lines = pasted.lines
    unused += pasted.unused
    settings = _settings(fields)
    bodies, problems = _bodies(lines, settings)
    made, refusals = batch.create_possible(
        context, links, project_id=project_id, bodies=list(bodies.values())
    )
    numbers = list(bodies)
    added_at = {str(creator_id): numbers[position] for position, creator_id in made.items()}
    problems |= {numbers[position]: _why(error, added_at) for position, error in refusals.items()}
    tracked = {
        numbers[position]: str(error.meta["creator_id"])
        for position, error in refusals.items()
        if isinstance(error, AlreadyTracked)
    }
    stored = defaultdict(list)
    for account in accounts.present_of_creators(
        context.session, context.organization_id, list(made.values())
    ):
        handle = (account.platform, f"@{account.handle}")
        stored[added_at[str(account.creator_id)]].append(handle)
    preview += [
        Previewed(
            replace(line, accounts=stored.get(line.number, line.accounts)),
            problems.get(line.number),
            None if tracked.get(line.number) in added_at else tracked.get(line.number),
        )
        for line in lines
    ]
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
    refused = [
        Previewed(line, problems.get(line.number), tracked.get(line.number)) for line in lines
    ]
    text, left = _left(pasted.header, refused)
    return _page(request, left, unused, Entered({**fields, "list": text}, {}))


def _left(header: str, preview: Sequence[Previewed]) -> tuple[str, Sequence[Previewed]]:
    """Return the header and the lines that were not added, and these with their new numbers."""
    remaining = header.splitlines()
    left = []
    for entry in preview:
        if entry.problem:
            left.append(replace(entry, line=replace(entry.line, number=len(remaining) + 1)))
            remaining += entry.line.text.splitlines()
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
        if line.problem:
            problems[line.number] = line.problem
            continue
        entered = [
            {"platform": platform, "handle": handle, **settings}
            for platform, handle in line.accounts
        ]
        try:
            bodies[line.number] = body_of(
                NewCreatorInProject, display_name=line.name, accounts=entered
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


def _page(
    request: Request, preview: Sequence[Previewed], unused: Sequence[str], entered: Entered
) -> Response:
    return project_page(
        request,
        "desk_creators_paste.html",
        "Creators",
        preview=preview,
        not_added=[entry for entry in preview if entry.problem],
        unused=unused,
        entered=entered,
        names=NAMES,
        modes=MODES,
        platforms=PLATFORM_NAMES,
    )
