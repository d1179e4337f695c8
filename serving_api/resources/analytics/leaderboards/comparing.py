"""The days of a leaderboard, and those before that it is compared with."""

from dataclasses import dataclass, replace
from datetime import date
from uuid import UUID

from serving_api.kit.days import ONE_DAY, DayRange
from serving_api.kit.request_context import RequestContext
from warehouse.reading.before_tracking import BeforeTrackingQuery, Tracked, views_known_from


@dataclass(frozen=True, slots=True)
class Window:
    """The days of a leaderboard; `compares` is false if the plan does not retain the prior period.

    `whole_to` is the last whole day with numbers, or the day before `days` if there is none.
    """

    days: DayRange
    compares: bool
    whole_to: date


def prior_from(days: DayRange, whole_to: date) -> date:
    """Return the first of the days right before a range, as many as it has whole ones."""
    return days.from_day - (whole_to + ONE_DAY - days.from_day)


def where_known(
    context: RequestContext, window: Window, project_id: UUID | None, campaign_id: UUID | None
) -> Window:
    """Return the window of pages: it compares only with days that are all known."""
    entity: Tracked = "campaign" if campaign_id else "project"
    entity_id, days = campaign_id or project_id, window.days
    if entity_id is None:
        return window
    query = BeforeTrackingQuery(
        context.organization_id, entity, entity_id, days.from_day, days.to_day, days.zone
    )
    answer = context.marts.cached(views_known_from, query, len)
    first_day = answer[0][0] if answer else None
    is_known = first_day is not None and first_day <= prior_from(days, window.whole_to)
    return replace(window, compares=window.compares and is_known)


def views_known_before(context: RequestContext, days: DayRange, project_id: UUID) -> bool:
    """Return whether views of as many days right before these are all known."""
    window = Window(days, compares=True, whole_to=days.to_day)
    return where_known(context, window, project_id, None).compares
