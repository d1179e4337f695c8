"""A month of a big fact in a publication."""

from dataclasses import dataclass
from datetime import date, timedelta

from warehouse.publication.facts import BigFact


@dataclass(frozen=True)
class Month:
    """The rows of a fact from `start` to before `end`."""

    fact: BigFact
    start: date
    end: date | None
    """The first day after it; None for the last month, which has all later rows."""
    is_native: bool

    @property
    def condition(self) -> str:
        """The SQL condition for its rows."""
        return self.fact.between(self.start, self.end)


def first_of_month(day: date) -> date:
    return day.replace(day=1)


def months_before(month: date, count: int) -> date:
    """Return the first day of the month `count` months before the one that starts at `month`."""
    years, number = divmod(12 * month.year + month.month - 1 - count, 12)
    return date(years, number + 1, 1)


def next_month(month: date) -> date:
    """Return the first day of the next month."""
    return first_of_month(month + timedelta(days=31))
