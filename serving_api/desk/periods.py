"""The period of a page: days of the organization, as the address of the page names them.

`period` is one of LABELS, `from` and `to` are any days. The period before it has as many days.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Annotated, Any, Literal
from urllib.parse import urlencode

from fastapi import Depends, Query
from pydantic import Field

from serving_api.desk.forms import FormQuery
from serving_api.errors import InvalidQuery
from serving_api.kit.days import DEFAULT_DAYS, ONE_DAY, DayRange, DayRangeQuery, day_range
from serving_api.kit.request_context import RequestContext
from serving_api.kit.retention import retained_from
from serving_api.kit.schemas import EARLIEST_DAY, Day

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
    """What an address says of the period: a name, or days; a form sends empty fields too."""

    period: Name = DEFAULT
    from_day: Day | None = Field(default=None, alias="from")
    to_day: Day | None = Field(default=None, alias="to")

    @property
    def address(self) -> dict[str, str]:
        """The parameters as an address has them: none where it names no period."""
        return self.model_dump(mode="json", by_alias=True, exclude_unset=True)


def _sent(query: Annotated[PeriodQuery, Query()]) -> PeriodQuery:
    return query


PeriodSent = Annotated[PeriodQuery, Depends(_sent)]
"""The parameter of a page that has a period."""


@dataclass(frozen=True, slots=True)
class Period:
    """Days of the publication's zone, today at most; `name` is None for days of the user's own.

    `whole_to` is the last day that was over when the numbers end: later ones are not compared.
    `offered` are the names of the periods that the plan keeps.
    """

    name: Name | None
    days: DayRange
    today: date
    whole_to: date
    offered: Mapping[Name, str]

    @property
    def label(self) -> str | None:
        """What the period is called; None for days of the user's own."""
        return LABELS[self.name] if self.name else None

    @property
    def span(self) -> dict[str, Any]:
        """The parameters of services: `from` and `to`."""
        return {"from": self.days.from_day, "to": self.days.to_day}

    @property
    def query(self) -> dict[str, str]:
        """The parameters of an address: none for the period that pages have by default."""
        if self.name == DEFAULT:
            return {}
        if self.name:
            return {"period": self.name}
        return {name: day.isoformat() for name, day in self.span.items()}

    @property
    def suffix(self) -> str:
        """The same as the end of an address, for links to pages with a period of their own."""
        return f"?{urlencode(self.query)}" if self.query else ""

    @property
    def compared(self) -> DayRange | None:
        """The days that are compared: whole ones; None where there is none."""
        last = min(self.days.to_day, self.whole_to)
        if last < self.days.from_day:
            return None
        return DayRange(self.days.from_day, last, self.days.zone)

    @property
    def before(self) -> DayRange | None:
        """The days that `compared` is compared with; None before the years that queries take."""
        first = self.days.prior.from_day
        if self.compared is None or first < EARLIEST_DAY:
            return None
        return DayRange(first, first + (self.compared.days - 1) * ONE_DAY, self.days.zone)


def period_of(context: RequestContext, query: PeriodQuery) -> Period:
    """Return the period that an address asks for. Raises InvalidQuery."""
    return period_at(
        query,
        zone=context.marts_zone,
        today=context.marts_today,
        whole_to=context.marts_whole_to,
        retention=context.caller.plan.tier_retention_days,
    )


def period_at(
    query: PeriodQuery, *, zone: str, today: date, whole_to: date | None, retention: int | None
) -> Period:
    """Return the same on a day of a zone. Raises InvalidQuery."""
    earliest = retained_from(retention, today) or date.min
    starts = {name: _named(name, today)[0] for name in LABELS}
    is_own = query.from_day is not None or query.to_day is not None
    first, last = (query.from_day, query.to_day) if is_own else _named(query.period, today)
    last = min(last or today, today)
    first = first or max(last - DEFAULT_DAYS, EARLIEST_DAY)
    days = day_range(
        DayRangeQuery.model_validate({"from": first, "to": last}),
        zone=zone,
        today=today,
        refusal=InvalidQuery,
    )
    return Period(
        name=None if is_own else query.period,
        days=days,
        today=today,
        whole_to=whole_to or date.min,
        offered={name: label for name, label in LABELS.items() if starts[name] >= earliest},
    )


def _named(name: Name, today: date) -> tuple[date, date]:
    """Return the first and the last day of a period by its name."""
    if name == "this-month":
        return today.replace(day=1), today
    if name == "last-month":
        last = today.replace(day=1) - ONE_DAY
        return last.replace(day=1), last
    return today - timedelta(days=int(name) - 1), today
