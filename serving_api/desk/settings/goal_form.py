"""The form of a goal, when it begins, and what others changed while it was open."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.entered import differences, seen_in
from serving_api.desk.forms import body_of
from serving_api.desk.rules.forms import SCOPE
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.settings.goal_chart import METRICS
from serving_api.kit.days import day_in_words
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.goal_compliance.goal_states import first_judged, span_of
from serving_api.resources.programs.goals.schemas import Goal, NewGoal

FORM = BodyForm(
    NewGoal,
    Field("metric", "Metric", choices=METRICS),
    Field("target_value", "Target"),
    Field("period", "Period", choices=PERIODS, value="weekly"),
    Field("start_date", "Start date"),
    Field(
        "end_date",
        "End date",
        "Only complete periods between these dates count. Leave empty for no end date.",
    ),
)
NAMES = (*FORM.names, SCOPE)


START = "start_date"
NEW_HINT = (
    "Leave empty to begin with the current day, week or month. A date before that also judges"
    " periods that have ended: the goal may take away what they paid."
)
NEW_FORM = BodyForm(
    NewGoal,
    *(replace(each, hint=NEW_HINT) if each.name == START else each for each in FORM.fields),
)


def new_goal(context: RequestContext, fields: Mapping[str, str], **scope: Any) -> NewGoal:
    """Return the body of a form, with the current period's first day as default start."""
    sent = FORM.read(fields) | scope
    goal = body_of(NewGoal, **sent)
    if goal.start_date:
        return goal
    current = span_of(context.today, goal.period, context.caller.analytics_tz)
    return body_of(NewGoal, **sent | {START: current.first})


def first_day_in_words(context: RequestContext, goal: NewGoal | Goal) -> str:
    """Return a sentence with the first day of a goal that begins later; "" if it has begun."""
    if not goal.start_date:
        return ""
    first = first_judged(goal.start_date, goal.period, context.caller.analytics_tz).first
    is_later = first > context.today
    return f" Its first period begins on {day_in_words(first)}." if is_later else ""


def seen_of(goal: Goal) -> dict[str, str]:
    """Return the values that a form was opened with."""
    return {**FORM.filled(goal), "is_active": str(goal.is_active)}


def changes_of(fields: Mapping[str, str], goal: Goal) -> list[str]:
    """Return in words what differs now from the values that the form was opened with."""
    labels = {**FORM.labels, "is_active": "Active"}
    choices = {**FORM.choices, "is_active": {"True": "yes", "False": "no"}}
    return differences(seen_in(fields, labels), seen_of(goal), labels, choices)
