"""The period of a page, in organization-local days, from its query.

`period` is one of LABELS; `from` and `to` are any dates. The previous period has the same length.
A page with invalid dates, or dates before the plan's history, shows the default period, and the
errors beside the dates.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends
from pydantic import Field

from serving_api.desk.entered import NOTHING, Entered, rejected
from serving_api.desk.forms import FormQuery, day_in
from serving_api.errors import InvalidQuery, NamesFields
from serving_api.kit.days import (
    DEFAULT_DAYS,
    ONE_DAY,
    DayRange,
    DayRangeQuery,
    day_range,
    retained_from,
)
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import EARLIEST_DAY, Params

Name = Literal["7", "28", "90", "this-month", "last-month"]
LABELS: Mapping[Name, str] = {
    "7": "7 days",
    "28": "28 days",
    "90": "90 days",
    "this-month": "This month",
    "last-month": "Last month",
}
DEFAULT: Name = "28"


class PeriodQuery(FormQuery):
    """A period in the query: a name, or dates. Forms send empty fields too."""

    period: Name = DEFAULT
    from_day: str = Field(default="", alias="from", max_length=40)
    to_day: str = Field(default="", alias="to", max_length=40)
    format: Literal["page", "csv"] = Field(default="page", exclude=True)

    @property
    def address(self) -> dict[str, str]:
        """The query parameters; {} if the query names no period."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)

    @property
    def has_dates(self) -> bool:
        """Whether the query has a date, valid or not."""
        return bool(self.from_day or self.to_day)


def _sent(query: Params[PeriodQuery]) -> PeriodQuery:
    return query


PeriodSent = Annotated[PeriodQuery, Depends(_sent)]
"""The dependency of a page with a period."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days in the publication's time zone, until today; `name` is None for custom dates.

    `whole_to` is the last complete day of the numbers; later days are not compared. `offered` are
    the periods within the plan's retention. `rejected` are invalid dates of the query.
    """

    name: Name | None
    days: DayRange
    today: date
    whole_to: date
    offered: Mapping[Name, str]
    rejected: Entered = NOTHING

    @property
    def label(self) -> str | None:
        """The period's label, or None for custom dates."""
        return LABELS[self.name] if self.name else None

    @property
    def span(self) -> dict[str, Any]:
        """The arguments of services: `from` and `to`."""
        return {"from": self.days.from_day, "to": self.days.to_day}

    @property
    def query(self) -> dict[str, str]:
        """The query parameters; {} for the default period."""
        if self.name == DEFAULT:
            return {}
        if self.name:
            return {"period": self.name}
        return {name: day.isoformat() for name, day in self.span.items()}

    @property
    def full_query(self) -> dict[str, str]:
        """The query parameters for a page that shows another period by default."""
        return self.query or {"period": DEFAULT}

    @property
    def suffix(self) -> str:
        """The query string, or "", for links to other pages with a period."""
        return f"?{urlencode(self.query)}" if self.query else ""

    @property
    def compared(self) -> DayRange | None:
        """The complete days of the period, or None."""
        last = min(self.days.to_day, self.whole_to)
        if last < self.days.from_day:
            return None
        return DayRange(self.days.from_day, last, self.days.zone)

    @property
    def before(self) -> DayRange | None:
        """The days right before `compared`; None before the earliest allowed day."""
        prior = self.compared and self.compared.prior
        return prior if prior and prior.from_day >= EARLIEST_DAY else None


def period_of(context: RequestContext, query: PeriodQuery, *, all_history: bool = False) -> Period:
    """Return the period of a query, by default within the plan's history.

    Raises NamesFields for a file.
    """
    retention = None if all_history else context.caller.plan.tier_retention_days
    return period_at(
        query,
        zone=context.marts_zone,
        today=context.marts_today,
        whole_to=context.marts_whole_to,
        retention=retention,
    )


def period_at(
    query: PeriodQuery, *, zone: str, today: date, whole_to: date | None, retention: int | None
) -> Period:
    """Return the period for a given today and zone. Raises NamesFields for a file."""
    earliest = retained_from(retention, today) or date.min
    starts = {name: _named(name, today)[0] for name in LABELS}
    errors = NOTHING
    try:
        days = _days_of(query, zone, today)
        if days.from_day < earliest:
            message = f"The plan includes {retention} days. Enter {earliest} or a later date"
            raise InvalidQuery.at("from", message)
    except NamesFields as error:
        if query.format == "csv":
            raise
        errors = rejected(error, query.address, {"from": "from", "to": "to"})
        query = PeriodQuery()
        days = _days_of(query, zone, today)
    return Period(
        name=None if query.has_dates else query.period,
        days=days,
        today=today,
        whole_to=whole_to or date.min,
        offered={name: label for name, label in LABELS.items() if starts[name] >= earliest},
        rejected=errors,
    )


def _days_of(query: PeriodQuery, zone: str, today: date) -> DayRange:
    """Return the days of a query. Raises NamesFields."""
    if query.has_dates:
        first, last = day_in(query.address, "from"), day_in(query.address, "to")
    else:
        first, last = _named(query.period, today)
    last = min(last or today, today)
    first = first or max(last - DEFAULT_DAYS, EARLIEST_DAY)
    days = DayRangeQuery.model_validate({"from": first, "to": last})
    return day_range(days, zone=zone, today=today, refusal=InvalidQuery)


def _named(name: Name, today: date) -> tuple[date, date]:
    """Return the first and last day of a named period."""
    if name == "this-month":
        return today.replace(day=1), today
    if name == "last-month":
        last = today.replace(day=1) - ONE_DAY
        return last.replace(day=1), last
    return today - timedelta(days=int(name) - 1), today
