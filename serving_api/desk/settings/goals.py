"""`/desk/projects/{project_id}/settings/goals`: creators' goals and their progress."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import (
    MANY,
    creator_in,
    creators_matching,
    name_of,
    search_creators,
)
from serving_api.desk.done import redirect
from serving_api.desk.entered import EXPECTED, NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.routes import views
from serving_api.desk.rules.forms import chosen_of, scope_in, scopes_of
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.settings import goal_form
from serving_api.desk.settings.goal_chart import (
    GOAL_COLUMNS,
    METRICS,
    STATUS_CHOICES,
    STATUS_LABELS,
    GoalView,
    goal_chart,
    goal_rows,
    rules_paying_goals,
)
from serving_api.desk.settings.goal_form import FORM, NAMES
from serving_api.desk.settings.goal_reach import set_if_confirmed
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.desk.settings.unread_goals import without_unread
from serving_api.desk.sorting import MOST_IN_FILE, SortedTable, is_file
from serving_api.errors import Conflict, InvalidRequest
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import version_of_ids
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.programs.goal_compliance import service as goal_compliance
from serving_api.resources.programs.goals import service as goals
from serving_api.resources.programs.goals.schemas import GoalChanges
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.creators.schemas import Creator

MOST_LISTED = 100
MOST_AT_ONCE = 500
TOO_MANY = "Goals are set for at most {most} creators at once: search by name, or tick some"
GOALS = f"{SETTINGS}/goals"
OF_CREATOR = f"{GOALS}/{{creator_id}}"
ONE = f"{OF_CREATOR}/{{goal_id}}"
LIST_PAGE, CREATOR_PAGE, ONE_PAGE = "desk_goals.html", "desk_creator_goals.html", "desk_goal.html"


router = desk_router()


@router.get(GOALS, dependencies=[views])
def show_goals(
    request: Request, context: Reader, project_id: UUID, view: Params[GoalView]
) -> Response:
    """Show the progress of goals in the current period, and creators to set goals for."""
    values = _list_values(request, context, project_id, view)
    table: SortedTable[Any] = values["table"]
    if table.is_file:
        return table.file("goals")
    return _page(request, context, LIST_PAGE, **values)


@router.post(GOALS, dependencies=[views])
def set_goals(
    *,
    request: Request,
    context: Writer,
    project_id: UUID,
    fields: OwnFields,
    view: Params[GoalView],
) -> Response:
    """Set a goal for each ticked creator, or all that match the search, all or none; or undo it."""
    values = _list_values(request, context, project_id, view)
    show_again(request, fields, FORM.names, partial(_page, request, context, LIST_PAGE, **values))
    # A status would hide the new goals.
    url = request.url.remove_query_params(["status"])
    here = f"{url.path}?{url.query}".rstrip("?")
    if "unset" in fields:
        return _unset(context, project_id, fields, here)
    if fields.get("set") == "all":
        chosen = values["matching"]
        if fields.get("all") != values["all_version"]:
            raise Conflict("The creators that match have changed: check the number and try again")
        if len(chosen) > MOST_AT_ONCE:
            raise InvalidRequest(TOO_MANY.format(most=MOST_AT_ONCE))
    else:
        _, ticked = chosen_in(fields, ("set",))
        chosen = [creator_in(context, project_id, creator_id).id for creator_id in ticked]
    body = goal_form.new_goal(context, fields)
    return set_if_confirmed(context, project_id, fields, here, creator_ids=chosen, body=body)


@router.get(OF_CREATOR, dependencies=[views])
def show_goals_of(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID
) -> Response:
    creator = creator_in(context, project_id, creator_id)
    return _page(request, context, CREATOR_PAGE, **_page_values(context, creator))


@router.post(OF_CREATOR, dependencies=[views])
def change_goals_of(
    request: Request, context: Writer, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    creator = creator_in(context, project_id, creator_id)
    if "unset" in fields:
        return _unset(context, project_id, fields, request.url.path)
    if "metric" in fields:
        values = _page_values(context, creator)
        show = partial(_page, request, context, CREATOR_PAGE, **values)
        show_again(request, fields, NAMES, show)
        body = goal_form.new_goal(context, fields, **scope_in(fields))
        address, chosen = request.url.path, [creator_id]
        return set_if_confirmed(context, project_id, fields, address, creator_ids=chosen, body=body)
    action, [goal_id, *_] = chosen_in(fields, ("pause", "resume", "delete"))
    expected = fields.get(f"{EXPECTED}.{goal_id}")
    if action == "delete":
        goals.delete(context, creator_id, goal_id, expected)
    else:
        changes = body_of(GoalChanges, is_active=action == "resume", expected_version=expected)
        goals.change(context, creator_id, goal_id, changes)
    return redirect(request.url.path, f"Goal {action}d.")


@router.get(ONE, dependencies=[views])
def show_goal(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID, goal_id: UUID
) -> Response:
    values = _one_of(context, creator_in(context, project_id, creator_id), goal_id)
    return _page(request, context, ONE_PAGE, Entered(FORM.filled(values["goal"]), {}), **values)


@router.post(ONE, dependencies=[views])
def change_goal(
    *,
    request: Request,
    context: Writer,
    project_id: UUID,
    creator_id: UUID,
    goal_id: UUID,
    fields: OwnFields,
) -> Response:
    """Change a goal from now on; an end date ends it."""
    values = _one_of(context, creator_in(context, project_id, creator_id), goal_id)
    show = partial(_page, request, context, ONE_PAGE, **values)
    changed = partial(goal_form.changes_of, fields, values["goal"])
    show_again(request, fields, NAMES, show, changed, filled=FORM.filled(values["goal"]))
    changes = body_of(GoalChanges, **FORM.read(fields), expected_version=fields.get(EXPECTED))
    goal = goals.change(context, creator_id, goal_id, changes)
    back = OF_CREATOR.format(project_id=project_id, creator_id=creator_id)
    return redirect(back, f"Goal saved.{goal_form.first_day_in_words(context, goal)}")


def _unset(
    context: WriteContext, project_id: UUID, fields: Mapping[str, str], address: str
) -> Response:
    """Undo what set goals, but for those that were changed since."""
    _, ids = chosen_in(fields, ("unset",))
    deleted = goals.delete_unchanged(context, project_id, ids)
    return redirect(address, f"{plural(deleted, 'goal')} deleted.")


def _list_values(
    request: Request, context: RequestContext, project_id: UUID, view: GoalView
) -> dict[str, Any]:
    """Return the project's goals, how many more creators have some, and creators to choose."""
    most = MOST_IN_FILE if is_file(request) else MOST_LISTED
    first, more = goal_compliance.list_first(context, project_id, most, view.statuses)
    stand = without_unread(context, project_id, first)
    rows = [row for row in goal_rows(stand) if not view.statuses or row[1].status]
    matching = creators_matching(context, project_id, view.search, MOST_AT_ONCE + 1)
    return {
        "table": SortedTable(request, GOAL_COLUMNS, rows),
        "more": more,
        "goal_rules": rules_paying_goals(context, project_id),
        "creators": search_creators(context, project_id, view.search, view.cursor, MANY),
        "matching": matching,
        "too_many": TOO_MANY.format(most=MOST_AT_ONCE) if len(matching) > MOST_AT_ONCE else "",
        "all_version": version_of_ids(matching),
        "search": view.search,
        "filters": view.filters,
        "statuses": STATUS_CHOICES,
    }


def _page_values(context: RequestContext, creator: Creator) -> dict[str, Any]:
    """Return the values of a creator's goals page, beside its form."""
    tracked = accounts.list_of_creator(context, creator.id, PageQuery(limit=MOST_LISTED)).data
    return {
        "creator": creator,
        "goals": goals.list_page(context, creator.id, PageQuery(limit=MOST_LISTED)).data,
        "scopes": scopes_of(tracked),
        "goal_rules": rules_paying_goals(context, creator.project_id, creator.id),
    }


def _one_of(context: RequestContext, creator: Creator, goal_id: UUID) -> dict[str, Any]:
    """Return the values of a goal's page, beside its form. Raises NotFound."""
    goal = goals.read(context, creator.id, goal_id)
    chart = goal_chart(context, goal)
    return {
        **_page_values(context, creator),
        "draws_charts": True,
        "goal": goal,
        "chart": chart,
        "seen": json.dumps(goal_form.seen_of(goal)),
    }


def _page(
    request: Request,
    context: RequestContext,
    template: str,
    entered: Entered = NOTHING,
    **values: Any,
) -> Response:
    form = FORM if template == ONE_PAGE else goal_form.NEW_FORM
    words = {"form": form, "metrics": METRICS, "periods": PERIODS, "status_labels": STATUS_LABELS}
    names = {"name_of": name_of, "chosen_of": chosen_of}
    return settings_page(request, context, template, "Goals", entered, **words, **names, **values)
