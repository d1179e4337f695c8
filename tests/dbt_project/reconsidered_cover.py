"""Assignments that lose or regain days after a run counted them (money.md M5, M8).

Carried views and the running total continue from the last unchanged published period.
"""

from dataclasses import dataclass, field
from datetime import date, datetime

from tests.dbt_project.changed_worlds import FIRST_RUN, ChangedWorld
from tests.oracles.payout_world import CREATOR, STRUCTURE, at, day

EARLIER = date(2026, 2, 16)
"""A Monday before all readings."""

Days = tuple[date, date | None]


@dataclass(frozen=True)
class Case:
    """A cpm structure without settling days, and its assignments at the first and second run."""

    period: str
    minimum: int
    views: tuple[tuple[datetime, int], ...]
    """Time of the reading and views gained."""
    cover: tuple[Days, ...]
    changed_cover: tuple[Days, ...]
    cents: int
    """Total of all periods at the second run."""
    cents_per_thousand: float = 100
    changed_minimum: int | None = None
    pauses: tuple[tuple[datetime, datetime], ...] = field(default=())
    """Recorded between the two runs."""


CARRIED = (at(10), 900), (at(11, 12), 200)
WEEK_CARRIED = (at(4), 900), (at(11, 12), 200)
MISTAKEN = (at(5), 49_000), (at(10), 1_000), (at(11, 12), 500)
THIRDS = (at(9), 333), (at(10), 333), (at(11, 12), 333)
ALWAYS: tuple[Days, ...] = ((EARLIER, None),)
WITHOUT_THE_10TH: tuple[Days, ...] = ((EARLIER, day(9)), (day(11), None))
WITHOUT_A_WEEK: tuple[Days, ...] = ((EARLIER, day(1)), (day(9), None))

CASES = {
    "the last period": Case("daily", 1_000, CARRIED, ALWAYS, WITHOUT_THE_10TH, 0),
    "the last period, one view less than enough": Case(
        "daily", 30_000, ((at(10), 29_999), (at(11, 12), 1)), ALWAYS, WITHOUT_THE_10TH, 0
    ),
    "the week before the last": Case("weekly", 1_000, WEEK_CARRIED, ALWAYS, WITHOUT_A_WEEK, 0),
    "a wrong start date, by day": Case(
        "daily",
        50_000,
        MISTAKEN,
        ((day(2), None),),
        ((day(2), day(2)), (day(9), None)),
        0,
        cents_per_thousand=500,
    ),
    "a wrong start date, by week": Case(
        "weekly",
        50_000,
        MISTAKEN,
        ((day(1), None),),
        ((day(1), day(1)), (day(9), None)),
        0,
        cents_per_thousand=500,
    ),
    "a wrong start date, later than the first run": Case(
        "daily", 50_000, MISTAKEN, ((day(2), None),), ((day(2), day(2)), (day(12), None)), 0
    ),
    "a period before others that stay": Case(
        "daily",
        1_000,
        ((at(6), 600), (at(8), 300), (at(11, 12), 200)),
        ALWAYS,
        ((EARLIER, day(7)), (day(9), None)),
        0,
    ),
    "a part of the last period": Case(
        "weekly",
        1_000,
        ((at(4), 900), (at(9), 150), (at(10), 150)),
        ALWAYS,
        ((EARLIER, day(8)), (day(10), None)),
        105,
    ),
    "what was paid, by a third of a cent": Case("daily", 0, THIRDS, ALWAYS, WITHOUT_THE_10TH, 67),
    "a pause that is recorded late": Case(
        "daily", 1_000, CARRIED, ALWAYS, ALWAYS, 0, pauses=((at(9), at(10)),)
    ),
    "days that are put back": Case("daily", 1_000, CARRIED, WITHOUT_THE_10TH, ALWAYS, 110),
    "all days": Case("daily", 1_000, CARRIED, ALWAYS, ((EARLIER, EARLIER),), 0),
    "with another minimum for what is left": Case(
        "daily", 1_000, CARRIED, ALWAYS, WITHOUT_THE_10TH, 20, changed_minimum=100
    ),
}


class CoverWorld(ChangedWorld):
    def __init__(self, case: Case) -> None:
        super().__init__()
        self.case = case
        terms = {"cents_per_thousand": case.cents_per_thousand, "up_to_impressions": None}
        self.tiers = {"tiers": [terms]}
        self.cpm(case.period, min_impressions=case.minimum, **self.tiers)
        self.cover(case.cover)
        post = self.post(datetime.combine(EARLIER, at(1).timetz()))
        views = 0
        self.read(post, at(1), views)
        for instant, gained in case.views:
            views += gained
            self.read(post, instant, views)

    def change(self) -> None:
        self.tables["payout_assignments"].clear()
        self.cover(self.case.changed_cover)
        for pause in self.case.pauses:
            self.pause(*pause)
        if (minimum := self.case.changed_minimum) is not None:
            rule = {"min_impressions": minimum, "created_at": FIRST_RUN, **self.tiers}
            self.cpm(self.case.period, **rule)

    def cover(self, days: tuple[Days, ...]) -> None:
        for first, last in days:
            whom = {"structure_id": STRUCTURE, "creator_id": CREATOR}
            self.add("payout_assignments", start_date=first, end_date=last, **whom)
