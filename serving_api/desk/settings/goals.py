"""`/desk/projects/{project_id}/settings/goals`: creators' goals and their progress."""

import json
from collections.abc import Mapping
from functools import partial
from typing import Any
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import (
    EXPECTED,
    NOTHING,
    Entered,
    differences,
    seen_in,
    show_again,
)
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, day_in, number_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.routes import views
from serving_api.desk.rules.scopes import SCOPE, chosen_of, scope_in, scopes_of
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.settings.creators import creator_in, name_of, search_creators
from serving_api.desk.settings.goal_chart import goal_chart
from serving_api.desk.settings.goal_rows import GOAL_COLUMNS, goal_rows
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.desk.sorting import SortedTable
from serving_api.kit.pagination import PageQuery
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.goal_compliance import service as goal_compliance
from serving_api.resources.programs.goals import service as goals
from serving_api.resources.programs.goals.schemas import Goal, GoalChanges, NewGoal
from serving_api.resources.tracking.accounts import service as accounts
from serving_api.resources.tracking.creators.schemas import Creator
from warehouse.reading.goals import GoalMetric, GoalStatus

MOST_LISTED = 100
GOALS = f"{SETTINGS}/goals"
OF_CREATOR = f"{GOALS}/{{creator_id}}"
ONE = f"{OF_CREATOR}/{{goal_id}}"
NAMES = ("metric", "period", "target_value", "start_date", "end_date", SCOPE)

LABELS = {
    "metric": "Metric",
    "period": "Period",
    "target_value": "Target",
    "start_date": "Start date",
    "end_date": "End date",
    "is_active": "Active",
}

METRICS: Mapping[GoalMetric, str] = {
    "posts": "Posts",
    "views": "Views",
    "engagement": "Likes, comments, shares and saves",
    "followers": "New followers",
}
STANDS: Mapping[GoalStatus, str] = {
    "on_track": "On track",
    "behind_pace": "Behind",
    "at_risk": "At risk",
    "completed": "Reached",
    "missed": "Missed",
}


router = desk_router()


@router.get(GOALS, dependencies=[views])
def show_goals(
    request: Request,
    context: Reader,
    project_id: UUID,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    """Show the progress of goals in the current period, and creators to set goals for."""
    stand, more = goal_compliance.list_first(context, project_id, MOST_LISTED)
    table = SortedTable(request, GOAL_COLUMNS, list(goal_rows(stand)))
    if table.is_file:
        return table.file("goals")
    page = search_creators(context, project_id, search, cursor)
    return _page(
        request,
        context,
        "desk_goals.html",
        table=table,
        more=more,
        creators=page.data,
        cursor=page.meta.nextCursor,
        search=search,
    )


@router.get(OF_CREATOR, dependencies=[views])
def show_goals_of(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID
) -> Response:
    """Show a creator's goals and the form that adds one."""
    creator = creator_in(context, project_id, creator_id)
    return _of_creator(request, context, _page_values(context, creator), NOTHING)


@router.post(OF_CREATOR, dependencies=[views])
def change_goals_of(
    request: Request, context: Writer, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Set, pause, resume or delete a goal."""
    creator = creator_in(context, project_id, creator_id)
    if "metric" in fields:
        values = _page_values(context, creator)
        show_again(request, fields, NAMES, partial(_of_creator, request, context, values))
        goals.create(context, creator_id, body_of(NewGoal, **_goal_in(fields), **scope_in(fields)))
    else:
        action, [goal_id, *_] = chosen_in(fields, ("pause", "resume", "delete"))
        expected = fields.get(f"{EXPECTED}.{goal_id}")
        if action == "delete":
            goals.delete(context, creator_id, goal_id, expected)
        else:
            changes = body_of(GoalChanges, is_active=action == "resume", expected_version=expected)
            goals.change(context, creator_id, goal_id, changes)
    return RedirectResponse(request.url.path, SEE_OTHER)


@router.get(ONE, dependencies=[views])
def show_goal(
    request: Request, context: Reader, project_id: UUID, creator_id: UUID, goal_id: UUID
) -> Response:
    """Show a goal and the form that changes it."""
    values = _one_of(context, creator_in(context, project_id, creator_id), goal_id)
    return _one(request, context, values, Entered(_entered_of(values["goal"]), {}))


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
    show = partial(_one, request, context, values)
    show_again(request, fields, NAMES, show, partial(_changed, fields, values["goal"]))
    changes = body_of(GoalChanges, **_goal_in(fields), expected_version=fields.get(EXPECTED))
    goals.change(context, creator_id, goal_id, changes)
    back = OF_CREATOR.format(project_id=project_id, creator_id=creator_id)
    return RedirectResponse(back, SEE_OTHER)


def _goal_in(fields: Mapping[str, str]) -> dict[str, Any]:
    return {
        "metric": fields.get("metric"),
        "period": fields.get("period"),
        "target_value": number_in(fields, "target_value"),
        "start_date": day_in(fields, "start_date"),
        "end_date": day_in(fields, "end_date"),
    }


def _entered_of(goal: Goal) -> dict[str, str]:
    """Return the form values of a goal."""
    return {
        "metric": goal.metric,
        "period": goal.period,
        "target_value": str(goal.target_value),
        "start_date": str(goal.start_date or ""),
        "end_date": str(goal.end_date or ""),
    }


def _seen_of(goal: Goal) -> dict[str, str]:
    return {**_entered_of(goal), "is_active": str(goal.is_active)}


def _changed(fields: Mapping[str, str], goal: Goal) -> list[str]:
    metrics: dict[str, str] = dict(METRICS.items())
    choices = {"metric": metrics, "period": PERIODS, "is_active": {"True": "yes", "False": "no"}}
    return differences(seen_in(fields), _seen_of(goal), LABELS, choices)


def _page_values(context: RequestContext, creator: Creator) -> dict[str, Any]:
    """Return the values of a creator's goals page, beside its form."""
    tracked = accounts.list_of_creator(context, creator.id, PageQuery(limit=MOST_LISTED)).data
    return {
        "creator": creator,
        "goals": goals.list_goals(context, creator.id, PageQuery(limit=MOST_LISTED)).data,
        "scopes": scopes_of(tracked),
    }


def _one_of(context: RequestContext, creator: Creator, goal_id: UUID) -> dict[str, Any]:
    """Return the values of a goal's page, beside its form. Raises NotFound."""
    goal = goals.read(context, creator.id, goal_id)
    chart = goal_chart(context, goal)
    return {
        **_page_values(context, creator),
        "goal": goal,
        "chart": chart,
        "seen": json.dumps(_seen_of(goal)),
    }


def _of_creator(
    request: Request, context: RequestContext, values: Mapping[str, Any], entered: Entered
) -> Response:
    status = entered.status
    return _page(
        request, context, "desk_creator_goals.html", entered=entered, status=status, **values
    )


def _one(
    request: Request, context: RequestContext, values: Mapping[str, Any], entered: Entered
) -> Response:
    return _page(
        request,
        context,
        "desk_goal.html",
        entered=entered,
        status=entered.status,
        draws_charts=True,
        **values,
    )


def _page(request: Request, context: RequestContext, template: str, **values: object) -> Response:
    words = {"metrics": METRICS, "periods": PERIODS, "stands": STANDS}
    return settings_page(
        request, context, template, "Goals", name_of=name_of, chosen_of=chosen_of, **words, **values
    )
