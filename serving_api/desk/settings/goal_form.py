"""The form of a goal, and what others changed while it was open."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.entered import differences, seen_in
from serving_api.desk.rules.forms import SCOPE
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.settings.goal_chart import METRICS
from serving_api.kit.days import day_in_words, today_in
from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.goals.schemas import Goal, NewGoal
from warehouse.operational.base import business_now

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


def new_form(context: RequestContext) -> BodyForm:
    """Return the form of a new goal, which starts with the organization's current week."""
    today = today_in(context.caller.analytics_tz, business_now(context.session))
    week, month = today - timedelta(days=today.weekday()), today.replace(day=1)
    hint = (
        "The first whole period from this day on counts. The current month began on"
        f" {day_in_words(month)}. An earlier date, or none, also judges periods that have ended:"
        " the goal may take away what they paid."
    )
    fields = (
        replace(each, value=week.isoformat(), hint=hint) if each.name == "start_date" else each
        for each in FORM.fields
    )
    return BodyForm(NewGoal, *fields)


def seen_of(goal: Goal) -> dict[str, str]:
    """Return the values that a form was opened with."""
    return {**FORM.filled(goal), "is_active": str(goal.is_active)}


def changes_of(fields: Mapping[str, str], goal: Goal) -> list[str]:
    """Return in words what differs now from the values that the form was opened with."""
    labels = {**FORM.labels, "is_active": "Active"}
    choices = {**FORM.choices, "is_active": {"True": "yes", "False": "no"}}
    return differences(seen_in(fields, labels), seen_of(goal), labels, choices)
