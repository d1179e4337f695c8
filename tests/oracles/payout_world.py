"""Creators with one account each and one structure, added row by row. Days are of March 2026."""

from collections import defaultdict
from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from tests.oracles.payouts import Facts, owed, shown

Row = dict[str, Any]

OWNER = {"organization_id": UUID(int=1), "project_id": UUID(int=2)}
CREATOR, OTHER = UUID(int=3), UUID(int=4)
ACCOUNT, OTHERS_ACCOUNT = UUID(int=5), UUID(int=6)
STRUCTURE, EVENT = UUID(int=7), UUID(int=8)
CPM = {"view_lifetime_days": None, "min_impressions": 0, "max_payout_cents": None}
FLAT = [{"up_to_impressions": None, "cents_per_thousand": 100}]


def at(day: int, hour: int = 12) -> datetime:
    return datetime(2026, 3, day, hour, tzinfo=UTC)


class World:
    """Facts of one organization, in UTC by default."""

    def __init__(self, zone: str = "UTC", settling: int = 0) -> None:
        self.tables: dict[str, list[Row]] = defaultdict(list)
        self.readings: list[Row] = []
        organization = {"id": OWNER["organization_id"], "analytics_tz": zone}
        self.tables["organizations"] = [{**organization, "payout_settling_days": settling}]
        for account, creator in ((ACCOUNT, CREATOR), (OTHERS_ACCOUNT, OTHER)):
            owner = {"creator_id": creator, "is_active": True, "removed_at": None}
            self.tables["accounts"].append({"id": account, "platform": "tiktok", **owner, **OWNER})
        structure = {"id": STRUCTURE, "name": "s", "timezone": None}
        self.tables["payout_structures"].append({**structure, **OWNER})

    def add(self, table: str, **columns: Any) -> Row:
        row = {"id": UUID(int=1000 + sum(map(len, self.tables.values()))), **OWNER, **columns}
        self.tables[table].append(row)
        return row

    # Decisions

    def rule(self, criteria_type: str, period: str | None, **columns: Any) -> Row:
        """Add a version. By default its scope is all accounts and it is older than March."""
        number = len(self.tables["payout_versions"]) + 1
        defaults: Row = {
            "structure_id": STRUCTURE,
            "number": number,
            "criteria_type": criteria_type,
            "period": period,
            "amount_cents": None,
            "criteria_params": {},
            "proration_mode": "skip",
            "backfill_on_assignment": False,
            "period_anchor": None,
            "platform_scope": "all",
            "platform": None,
            "account_id": None,
            "created_at": datetime(2026, 1, 1, tzinfo=UTC),
        }
        return self.add("payout_versions", **{**defaults, **columns})

    def cpm(self, period: str = "daily", **params: Any) -> Row:
        created_at = params.pop("created_at", datetime(2026, 1, 1, tzinfo=UTC))
        rule = {**CPM, "tiers": FLAT, **params}
        return self.rule("cpm", period, criteria_params=rule, created_at=created_at)

    def assign(self, first: int, last: int | None = None, creator: UUID = CREATOR) -> None:
        days = {"start_date": day(first), "end_date": last and day(last)}
        self.add("payout_assignments", structure_id=STRUCTURE, creator_id=creator, **days)

    def pause(self, paused_at: datetime, restarted_at: datetime | None = None) -> None:
        pause = {"creator_id": CREATOR, "paused_at": paused_at, "restarted_at": restarted_at}
        self.add("payout_pauses", **pause)

    # Readings

    def post(self, posted_at: datetime | None = None, *, status: str = "auto_tracked") -> Row:
        owner = {"account_id": ACCOUNT, "creator_id": CREATOR, "platform": "tiktok"}
        known = {"posted_at": posted_at, "posted_at_is_estimate": False}
        known["platform_video_id"] = str(len(self.tables["videos"]))
        return self.add("videos", tracking_status=status, **known, **owner)

    def read(
        self,
        post: Row,
        instant: datetime,
        views: int | None,
        *,
        exact: bool = True,
        source: str = "web",
    ) -> None:
        how = {"is_exact": exact, "source": source}
        reading = {"video_id": post["id"], "captured_at": instant, **how}
        unknown = dict.fromkeys(("like_count", "comment_count", "share_count", "save_count"))
        self.readings.append({**reading, "view_count": views, **unknown})

    def convert(self, instant: datetime, *, value: int = 0, quantity: int = 1) -> Row:
        about = {"conversion_event_id": EVENT, "creator_id": CREATOR, "account_id": None}
        amounts = {"quantity": quantity, "total_value_cents": value * quantity}
        return self.add("conversions", occurred_at=instant, voided_at=None, **about, **amounts)

    # Results

    def facts(self, as_of: datetime) -> Facts:
        raw = {"video_snapshots": self.readings, "account_snapshots": []}
        return Facts(self.tables, raw, as_of)

    def owed(self, as_of: datetime) -> list[Row]:
        rows = owed(self.facts(as_of))
        return sorted(rows, key=lambda row: (row["period_start"], row["view_count"] or 0))

    def shown(self, as_of: datetime) -> list[Row]:
        return shown(self.facts(as_of), self.owed(as_of))


def day(number: int) -> date:
    return date(2026, 3, number)
