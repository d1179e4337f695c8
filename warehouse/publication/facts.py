"""Marts too big to be copied completely each time, their months, and the read order of marts.

A big fact grows with every reading, day, period or comment. A publication has its last months in
DuckDB, most of them in a shared `base`, and older ones as Parquet. Each other mart has a row per
entity and is copied completely when it changed.
"""

from dataclasses import dataclass
from datetime import date, timedelta

from warehouse.catalogue.models import relation_of

RECENT_MONTHS = 2
A_YEAR = 13
"""Months with every day of a year, so that half a year and the half before are in DuckDB."""
LATE_READINGS = timedelta(hours=6)
"""Within this time a reading comes, or is one of the few that are late."""
WEST_OF_UTC = timedelta(hours=12)
"""How far the westernmost organizations' days are behind UTC."""


@dataclass(frozen=True)
class BigFact:
    """A mart published by months; within a month sorted by entity, then time.

    The rows after the base follow, sorted likewise.
    """

    name: str
    entity_column: str
    time_column: str
    time_type: str
    """`timestamptz` (months in UTC) or `date` (months of org-local days)."""
    native_months: int = RECENT_MONTHS
    """Number of months in DuckDB, including this one; more for facts with few rows per month."""
    unsettled: timedelta = timedelta(days=2)
    """How far back runs change rows where readings come in time. No base has these days."""

    @property
    def relation(self) -> str:
        """The fact's table in the warehouse, and its view in a publication."""
        return relation_of(self.name)

    def between(self, start: date | None, end: date | None) -> str:
        """Return the SQL condition for rows from `start` to before `end` (None = unbounded)."""
        bounds = [
            f"{self.time_column} {comparison} {self._literal(day)}"
            for comparison, day in ((">=", start), ("<", end))
            if day is not None
        ]
        return " and ".join(bounds) or "true"

    def _literal(self, day: date) -> str:
        instant = f"{day} 00:00:00+00" if self.time_type == "timestamptz" else str(day)
        return f"{self.time_type} '{instant}'"


BIG_FACTS = (
    BigFact("video_deltas", "video_id", "captured_at", "timestamptz", unsettled=LATE_READINGS),
    BigFact("video_daily", "video_id", "day", "date", unsettled=LATE_READINGS + WEST_OF_UTC),
    BigFact("account_snapshots", "account_id", "captured_at", "timestamptz"),
    BigFact("account_daily", "account_id", "day", "date"),
    BigFact("creator_daily", "creator_id", "day", "date", A_YEAR),
    BigFact("creator_quarter_hours", "creator_id", "quarter_at", "timestamptz"),
    BigFact("campaign_daily", "campaign_id", "day", "date", A_YEAR),
    BigFact("campaign_creator_daily", "campaign_id", "day", "date", A_YEAR),
    BigFact("campaign_quarter_hours", "campaign_id", "quarter_at", "timestamptz", A_YEAR),
    BigFact("conversions", "creator_id", "occurred_at", "timestamptz"),
    BigFact("comments", "project_id", "commented_at", "timestamptz"),
    BigFact("video_comment_daily", "project_id", "day", "date"),
    BigFact("goal_compliance", "project_id", "period_end", "date", A_YEAR),
    BigFact("payout_earned", "organization_id", "period_end", "date", A_YEAR),
    BigFact("payout_decided_accruals", "organization_id", "period_end", "date"),
)

ROW_GROUP = 122_880
"""Rows that DuckDB stores and skips together."""
READ_ORDER = {
    "videos": (f"row_number() over (order by video_id) // {ROW_GROUP}", "account_id", "video_id"),
    "accounts": ("account_id",),
    "view_baselines": ("video_id", "captured_at"),
    "creator_milestones": ("creator_id",),
    "creator_videos": ("creator_id", "video_id"),
    "view_forecasts": ("entity_id", "day"),
    "campaign_videos": ("campaign_id", "video_id"),
    "campaign_accounts": ("campaign_id", "account_id"),
    "tag_items": ("item_id",),
    "video_comments": ("video_id",),
    "payout_payments": ("organization_id", "created_at", "payment_id"),
    "payout_structures": ("structure_id",),
}
"""Sort order of small marts, so that an entity's rows are adjacent. Others are not sorted.

Within a row group posts are sorted by account, which stores each of their ids once: a third less.
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
