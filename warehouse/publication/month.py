"""A month of a big fact in a publication."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta

from warehouse.publication.facts import BigFact

TAIL = timedelta(days=2)
"""Organizations west of UTC are one day behind it, and quarters of an hour are touched from a day
before.
"""


@dataclass(frozen=True)
class Month:
    """The rows of a fact from `start` to before `end`."""

    fact: BigFact
    start: date
    end: date | None
    """The first day after it; None for the last month, which has all later rows."""
    is_native: bool

    @property
    def key(self) -> tuple[str, date]:
        """Name of the fact, and the first day of the calendar month."""
        return self.fact.name, first_of_month(self.start)

    @property
    def condition(self) -> str:
        """The SQL condition for its rows."""
        return self.fact.between(self.start, self.end)

    def is_cut(self, day: date) -> bool:
        """Return whether the day is inside, but not its first."""
        return self.start < day < (self.end or date.max)

    def cut(self, day: date) -> Iterator["Month"]:
        """Yield the parts before and from a day, if it is inside of a native month."""
        if self.is_native and self.is_cut(day):
            yield replace(self, end=day)
            yield replace(self, start=day)
        else:
            yield self


def tail_from(as_of: datetime) -> date:
    """Return the first day of the rows that every publication of a UTC day writes again."""
    return as_of.astimezone(UTC).date() - TAIL


def tail_of(fact: BigFact, tail: date) -> Month:
    return Month(fact, tail, end=None, is_native=True)


def first_of_month(day: date) -> date:
    return day.replace(day=1)


def months_before(month: date, count: int) -> date:
    """Return the first day of the month `count` months before the one that starts at `month`."""
    years, number = divmod(12 * month.year + month.month - 1 - count, 12)
    return date(years, number + 1, 1)


def next_month(month: date) -> date:
    """Return the first day of the next month."""
    return first_of_month(month + timedelta(days=31))
