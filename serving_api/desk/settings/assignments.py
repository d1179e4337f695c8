"""`/desk/projects/{project_id}/settings/structures/{structure_id}/creators`: assignments."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from datetime import date
from urllib.parse import urlencode
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import MANY, name_of, naming_creators, search_creators
from serving_api.desk.done import redirect
from serving_api.desk.entered import Entered, require_read, show_again, ticks_in, with_ticks
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, day_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import settings_page
from serving_api.desk.settings.structures import ONE, RULES, overlap_in_words, structure_in
from serving_api.kit.days import today_in
from serving_api.kit.envelope import Page
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.beginnings import beginning_of, intervals
from serving_api.resources.payouts.assignments.overlaps import also_paid_by
from serving_api.resources.payouts.assignments.schemas import Endings, NewAssignments
from serving_api.resources.payouts.structures.schemas import StructureDetail
from serving_api.resources.tracking.creators.schemas import Creator

CREATORS = f"{ONE}/creators"
CALLED = dict.fromkeys(("day", "start_date", "end_date"), "day")
"""The form field of an assignment's dates."""

Dates = tuple[date, date | None]
"""The first and last day of an assignment, both inclusive."""

router = desk_router()


@router.get(CREATORS, dependencies=[views])
def show_creators_to_pay(
    *,
    request: Request,
    context: AdminReader,
    project_id: UUID,
    structure_id: UUID,
    search: str = "",
    cursor: str | None = None,
    day: str = "",
    ticked: str = "",
) -> Response:
    """Show the project's creators and whether the structure pays each.

    Before ticked ones are assigned, say which other rules pay them for the same views.
    """
    structure = structure_in(context, project_id, structure_id)
    page = search_creators(context, project_id, search, cursor, MANY)
    paid = _paid(context, structure, page)
    sentence = ""
    if ticked:
        chosen = chosen_in({"add": ticked}, ("add",))[1]
        start = day_in({"day": day}, "day") or _today(context, structure)
        sentence = overlap_in_words(context, also_paid_by(context, structure_id, chosen, start))
    entered = Entered({"day": day, **ticks_in(ticked)}, {}, sentence=sentence)
    return _page(request, context, structure, page, entered, paid=paid, search=search)


@router.post(CREATORS, dependencies=[views])
def change_who_is_paid(
    *,
    request: Request,
    context: AdminWriter,
    project_id: UUID,
    structure_id: UUID,
    fields: OwnFields,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    """Assign creators from a date, or end assignments on one, all or none."""
    structure = structure_in(context, project_id, structure_id)
    page = search_creators(context, project_id, search, cursor, MANY)
    paid = _paid(context, structure, page)

    def show(entered: Entered) -> Response:
        if entered.sentence:
            return with_ticks(request, chosen_in(fields, ("add",))[1], day=entered.get("day"))
        return _page(request, context, structure, page, entered, paid=paid, search=search)

    show_again(request, fields, CALLED, show)
    action, chosen = chosen_in(fields, ("add", "remove"))
    day = day_in(fields, "day")
    if action == "add":
        body = body_of(NewAssignments, creator_ids=chosen, start_date=day)
        with naming_creators(context):
            rows = assignments.assign(context, structure_id, body)
        also = also_paid_by(context, structure_id, chosen, rows[0].start_date)
        if sentence := overlap_in_words(context, also):
            require_read(fields, sentence)
        begun = beginning_of(context, structure_id, rows[0].start_date, chosen)
        done = f"assigned. {begun.words}"
    else:
        endings = body_of(Endings, creator_ids=chosen, end_date=day)
        assignments.end(context, structure_id, endings)
        done = "removed."
    page_params = {"search": search, "cursor": cursor, "day": fields.get("day")}
    query = urlencode({name: value for name, value in page_params.items() if value})
    return redirect(f"{request.url.path}?{query}", f"{plural(len(chosen), 'creator')} {done}")


def _paid(
    context: RequestContext, structure: StructureDetail, page: Page[Creator]
) -> Mapping[UUID, Dates]:
    """Return the dates of assignments beyond today of creators on the page."""
    return assignments.assigned_among(context, structure.id, [creator.id for creator in page.data])


def _today(context: RequestContext, structure: StructureDetail) -> date:
    return today_in(structure.timezone, context.now)


def _also(
    context: RequestContext, structure: StructureDetail, page: Page[Creator]
) -> Mapping[UUID, Sequence[str]]:
    """Return the names of other rules on views by creator on the page."""
    names: dict[UUID, list[str]] = defaultdict(list)
    today = _today(context, structure)
    for each in also_paid_by(context, structure.id, [row.id for row in page.data], today):
        names[each.creator_id].append(each.structure_name)
    return names


def _page(
    request: Request,
    context: RequestContext,
    structure: StructureDetail,
    page: Page[Creator],
    entered: Entered,
    *,
    paid: Mapping[UUID, Dates],
    search: str = "",
) -> Response:
    return settings_page(
        request,
        context,
        "desk_structure_creators.html",
        RULES,
        room=RULES,
        structure=structure,
        creators=page.data,
        paid=paid,
        intervals=intervals(context, structure.id, [creator.id for creator in page.data]),
        also=_also(context, structure, page),
        cursor=page.meta.nextCursor,
        search=search,
        name_of=name_of,
        entered=entered,
    )
