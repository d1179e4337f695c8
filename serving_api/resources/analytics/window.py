"""Which days a request is about."""

from dataclasses import dataclass
from datetime import date, datetime, timedelta

from serving_api.errors import InvalidParams, RetentionExceeded
from serving_api.kit.days import start_of_day
from serving_api.resources.analytics.schemas import AnalyticsQuery

DEFAULT_DAYS = timedelta(days=30)
LONGEST = timedelta(days=3660)
"""Ten years: what one answer can hold by the day."""
ONE_DAY = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Window:
    """The days `from_day` to `to_day`, both inclusive, of `zone`; `today` is that zone's."""

    from_day: date
    to_day: date
    today: date
    zone: str

    @property
    def includes_today(self) -> bool:
        """Whether the last day is still in progress."""
        return self.to_day == self.today

    def instants(self) -> tuple[datetime, datetime]:
        """Return when the first day begins, and when the last one is over (UTC)."""
        return start_of_day(self.from_day, self.zone), start_of_day(
            self.to_day + ONE_DAY, self.zone
        )


def window_of(query: AnalyticsQuery, *, zone: str, today: date, retention: int | None) -> Window:
    """Return the window; `to` is clamped to today. `retention` is in days, None unlimited.

    Raises InvalidParams and RetentionExceeded.
    """
    to_day = min(query.to_day or today, today)
    from_day = query.from_day or to_day - DEFAULT_DAYS
    if from_day > to_day:
        raise InvalidParams.at("from", f"must not be after {to_day}, the last day")
    if to_day - from_day > LONGEST:
        raise InvalidParams.at("from", f"must be at most {LONGEST.days} days before `to`")
    if retention is not None and from_day < today - timedelta(days=retention):
        earliest = today - timedelta(days=retention)
        raise RetentionExceeded(
            f"The plan keeps {retention} days of history: `from` can be {earliest} at the earliest",
            tier_retention_days=retention,
            earliest=earliest.isoformat(),
        )
    return Window(from_day, to_day, today, zone)
