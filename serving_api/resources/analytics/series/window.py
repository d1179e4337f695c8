"""The days of a request."""

from dataclasses import dataclass
from datetime import date, datetime

from serving_api.errors import InvalidParams
from serving_api.kit.days import DEFAULT_DAYS, DayRange, range_issues
from serving_api.kit.retention import require_retained, retained_from
from serving_api.resources.analytics.series.constraints import issues_of
from serving_api.resources.analytics.series.schemas import AnalyticsQuery


@dataclass(frozen=True, slots=True)
class Window:
    """The requested days; `today` is in their timezone.

    The plan retains no history before `retained_from`; None means unlimited.
    """

    days: DayRange
    today: date
    retained_from: date | None

    @property
    def includes_today(self) -> bool:
        """Return whether the last day is still in progress."""
        return self.days.to_day == self.today

    def instants(self) -> tuple[datetime, datetime]:
        """Return when the first day begins and the last one ends (UTC)."""
        return self.days.instants()


def window_of(query: AnalyticsQuery, *, zone: str, today: date, retention: int | None) -> Window:
    """Return the window; `to` is clamped to today. `retention` is in days, None means unlimited.

    Raises InvalidParams with all invalid parameters, and RetentionExceeded.
    """
    to_day = min(query.to_day or today, today)
    from_day = query.from_day or to_day - DEFAULT_DAYS
    issues = [*issues_of(query), *range_issues(from_day, to_day)]
    if issues:
        raise InvalidParams(issues)
    require_retained(from_day, retention=retention, today=today)
    return Window(DayRange(from_day, to_day, zone), today, retained_from(retention, today))
