"""Random histories: decisions and readings of many small organizations, run after run.

One seed gives one history. It holds what makes days and deltas hard: unknown counters, falls,
rounded readings, several readings at one instant, late, early and unordered batches, readings of
the future, changes of owner and status, campaigns inside each other, removed accounts, zones with
half hours, zones that change, and days of 23, 24 and 25 hours.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

from hypothesis import Phase, settings, strategies

from warehouse.catalogue.counters import VIDEO_COUNTERS

BEGIN = datetime(2026, 3, 4, tzinfo=UTC)
"""New York changes its clocks on 8 March 2026, Berlin on the 29th, Lord Howe on 5 April."""

LAST = BEGIN + timedelta(days=40)
"""Time of the last run; all facts are older."""

ZONES = (
    "UTC",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "Europe/Berlin",
    "Pacific/Apia",
)
STATUSES = ("auto_tracked", "included", "direct_add", "pending_review", "excluded")
VIDEO_COUNTS = tuple(counter.count for counter in VIDEO_COUNTERS)
ACCOUNT_COUNTS = ("follower_count", "following_count", "total_likes_count", "video_count")
ORGANIC = "instagram.login_media"
OUTCOMES = ("ok", "ok", "rate_limited", "challenged", "not_found")

SEEDS = strategies.integers(min_value=0, max_value=2**32 - 1).filter(bool)
"""Seeds without 0, with which hypothesis begins, so that a single example varies."""
ONE_NEW = settings(max_examples=1, deadline=None, phases=(Phase.reuse, Phase.generate))
"""One example without shrinking: a history takes a dbt build a run.

A failed seed runs again; a smaller seed gives no smaller history.
"""

Row = dict[str, Any]
Tables = dict[str, list[Row]]


@dataclass
class Step:
    """Facts that arrive before one run, and the decisions at that time."""

    as_of: datetime
    operational: Tables
    batches: list[Tables] = field(default_factory=list)


class History:
    ZONES: tuple[str, ...] = ZONES

    READINGS: tuple[int, ...] = (0, 1, 3, 8, 12)
    """Numbers of readings of a post or an account."""

    STRAYS = 0.15
    """Share of facts that arrive early or late, with any run."""

    def __init__(self, seed: int, *, organizations: int, runs: int) -> None:
        self.random = Random(seed)
        self.runs = runs
        self.operational: Tables = {
            table: []
            for table in (
                "organizations",
                "creators",
                "accounts",
                "videos",
                "campaigns",
                "campaign_items",
                "zone_offsets",
            )
        }
        self.as_ofs = [*sorted(self.as_of(run) for run in range(1, runs)), self.last()]
        self.arriving: list[list[tuple[str, Row]]] = [[] for _ in range(runs)]
        for _ in range(organizations):
            self.add_organization()
        self.operational["zone_offsets"] = list(zone_offsets(self.ZONES))

    def steps(self) -> Iterator[Step]:
        """Yield the input of each run; decisions change between runs."""
        for number, as_of in enumerate(self.as_ofs):
            if number:
                self.change_decisions()
            facts = self.arriving[number]
            self.random.shuffle(facts)
            yield Step(as_of, copy_of(self.operational), list(self.batches_of(facts)))

    def batches_of(self, facts: list[tuple[str, Row]]) -> Iterator[Tables]:
        cuts = sorted(self.random.randrange(len(facts) + 1) for _ in range(2))
        for begin, end in zip([0, *cuts], [*cuts, len(facts)], strict=True):
            batch: Tables = {}
            for table, row in facts[begin:end]:
                batch.setdefault(table, []).append(row)
            yield batch

    def id(self) -> UUID:
        return UUID(int=self.random.getrandbits(128))

    def instant(self) -> datetime:
        minutes = self.random.randrange(40 * 24 * 4) * 15
        return BEGIN + timedelta(minutes=minutes, seconds=self.random.choice((0, 0, 59)))

    def as_of(self, _run: int) -> datetime:
        """Return the time of a run before the last."""
        return self.instant()

    def last(self) -> datetime:
        return LAST

    def sometimes(self, share: float) -> bool:
        return self.random.random() < share

    def arrive(self, table: str, row: Row, at: datetime) -> None:
        """Assign a fact to the first run after it, or now and then to any run."""
        due = next(n for n, as_of in enumerate(self.as_ofs) if as_of >= at or n == self.runs - 1)
        if self.sometimes(self.STRAYS):
            due = self.random.randrange(self.runs)
        self.arriving[due].append((table, row))

    # Entities

    def add_organization(self) -> None:
        organization, project = self.id(), self.id()
        self.operational["organizations"].append(
            {"id": organization, "name": "o", "analytics_tz": self.random.choice(self.ZONES)}
        )
        owned = {"organization_id": organization, "project_id": project}
        creators = [self.add("creators", **owned) for _ in range(self.random.randint(1, 3))]
        accounts = [
            self.add_account(owned, self.random.choice(creators))
            for _ in range(self.random.randint(1, 3))
        ]
        videos = [self.add_video(owned, accounts) for _ in range(self.random.randint(1, 5))]
        campaigns = [self.add("campaigns", **owned) for _ in range(self.random.randint(0, 3))]
        for campaign in campaigns:
            for _ in range(self.random.randint(0, 3)):
                self.add_item(campaign, creators, videos, campaigns)

    def add(self, table: str, **columns: Any) -> UUID:
        identifier = self.id()
        self.operational[table].append({"id": identifier, **columns})
        return identifier

    def add_account(self, owned: Row, creator: UUID) -> Row:
        account = self.add(
            "accounts",
            **owned,
            creator_id=creator,
            platform=self.random.choice(("tiktok", "instagram")),
            handle=f"h{self.random.getrandbits(32)}",
            is_active=not self.sometimes(0.1),
            deactivated_at=BEGIN if self.sometimes(0.1) else None,
        )
        self.read("account_snapshots", "account_id", account, ACCOUNT_COUNTS)
        self.look_at(account)
        return self.operational["accounts"][-1]

    def add_video(self, owned: Row, accounts: list[Row]) -> UUID:
        account = self.random.choice([*accounts, None])
        video = self.add(
            "videos",
            **owned,
            account_id=account and account["id"],
            creator_id=account and account["creator_id"],
            platform="tiktok",
            platform_video_id=str(self.random.getrandbits(60)),
            url="https://www.tiktok.com/@h/video/1",
            tracking_status=self.random.choice(STATUSES),
            posted_at=self.instant() if self.sometimes(0.6) else None,
        )
        row = self.operational["videos"][-1]
        row["created_at"] = BEGIN + timedelta(minutes=video.int % (40 * 24 * 60))
        row["platform"] = "instagram" if video.int % 5 == 0 else "tiktok"
        row["media_type"] = (None, "video", "photo", "carousel")[video.int % 4]
        row["tracking_disabled"] = video.int % 11 == 0
        for number, name in enumerate(("plan_limit_paused_at", "frozen_at", "stopped_at")):
            is_off = video.int % 7 == number
            row[name] = (
                BEGIN + timedelta(minutes=video.int // 7 % (40 * 24 * 60)) if is_off else None
            )
        row["posted_at_is_estimate"] = row["posted_at"] is not None and video.int % 3 == 0
        self.read("video_snapshots", "video_id", video, VIDEO_COUNTS)
        return video

    def add_item(
        self, campaign: UUID, creators: list[UUID], videos: list[UUID], campaigns: list[UUID]
    ) -> None:
        item: Row = {
            "campaign_id": campaign,
            "creator_id": None,
            "video_id": None,
            "child_campaign_id": None,
        }
        kind, members = self.random.choice(
            (
                ("creator_id", creators),
                ("video_id", videos),
                ("child_campaign_id", [c for c in campaigns if c != campaign]),
            )
        )
        if members:
            self.operational["campaign_items"].append({**item, kind: self.random.choice(members)})

    # Readings

    def read(self, table: str, key: str, entity: UUID, counts: tuple[str, ...]) -> None:
        hidden = {name for name in counts if self.sometimes(0.15)}
        level = self.random.choice((0, 40, 900, 60_000, 990_000, 5_000_000))
        instants = sorted(self.instant() for _ in range(self.random.choice(self.READINGS)))
        for instant in instants:
            for _ in range(self.random.choice((1, 1, 1, 1, 2, 3))):
                level = self.later(level)
                row: Row = {key: entity, "captured_at": instant}
                row["is_exact"] = not self.sometimes(0.3)
                row["source"] = self.random.choice(("web", "embed", "import"))
                if key == "video_id":
                    row["source"] = with_meaning(row, entity)
                nothing_shown = self.sometimes(0.1)
                for name in counts:
                    unknown = nothing_shown or name in hidden or self.sometimes(0.25)
                    row[name] = None if unknown else self.shown(level, exact=row["is_exact"])
                if row["source"] == ORGANIC and row["view_count"] and row["is_exact"]:
                    row["view_count"] -= row["view_count"] // 5
                self.arrive(table, row, instant)

    def later(self, level: int) -> int:
        """Return the next value of a counter."""
        return max(0, level + self.random.randint(-level // 20, level // 5 + 9))

    def shown(self, level: int, *, exact: bool) -> int:
        count = max(0, level - self.random.randint(0, 30))
        if exact or count < 1000:
            return count
        step = 100 if count < 1_000_000 else 100_000
        return round(count / step) * step

    def look_at(self, account: UUID) -> None:
        for _ in range(self.random.randint(0, 8)):
            instant = self.instant()
            look = {
                "account_id": account,
                "video_id": self.id() if self.sometimes(0.2) else None,
                "job_type": self.random.choice(("creator_profiles", "discover_videos")),
                "outcome": self.random.choice(OUTCOMES),
                "reached_known": True,
                "started_at": instant - timedelta(seconds=3),
                "finished_at": instant,
            }
            self.arrive("scrape_outcomes", look, instant)

    # Changes

    def change_decisions(self) -> None:
        changes: dict[str, tuple[float, Callable[[Row], None]]] = {
            "organizations": (0.1, self.move),
            "accounts": (0.15, self.reconsider_account),
            "videos": (0.2, self.reconsider_video),
        }
        for table, (share, change) in changes.items():
            for row in self.operational[table]:
                if self.sometimes(share):
                    change(row)
        items = self.operational["campaign_items"]
        self.operational["campaign_items"] = [i for i in items if not self.sometimes(0.2)]
        for campaign in self.operational["campaigns"]:
            if self.sometimes(0.2):
                self.add_item(campaign["id"], *self.of_project(campaign["project_id"]))

    def move(self, organization: Row) -> None:
        organization["analytics_tz"] = self.random.choice(self.ZONES)

    def reconsider_account(self, account: Row) -> None:
        account["is_active"] = not account["is_active"] if self.sometimes(0.5) else True
        account["deactivated_at"] = BEGIN if self.sometimes(0.3) else None

    def reconsider_video(self, video: Row) -> None:
        creators = self.of_project(video["project_id"])[0]
        if self.sometimes(0.5):
            video["tracking_status"] = self.random.choice(STATUSES)
        if self.sometimes(0.3):
            video["creator_id"] = self.random.choice([*creators, None])
        if self.sometimes(0.2):
            video["posted_at"] = self.instant() if self.sometimes(0.7) else None

    def of_project(self, project: UUID) -> tuple[list[UUID], list[UUID], list[UUID]]:
        creators, videos, campaigns = (
            [row["id"] for row in self.operational[table] if row["project_id"] == project]
            for table in ("creators", "videos", "campaigns")
        )
        return creators, videos, campaigns


def with_meaning(reading: Row, post: UUID) -> str:
    """Return the source of a reading; half of the posts have organic readings now and then.

    For some posts it changes with each reading, for others every few days.
    """
    every_few_days = (reading["captured_at"] - BEGIN).days // (3 + post.int // 4 % 12) % 2 == 1
    is_organic = (False, False, reading["source"] == "import", every_few_days)[post.int % 4]
    return ORGANIC if is_organic else str(reading["source"])


def copy_of(tables: Tables) -> Tables:
    return {table: [dict(row) for row in rows] for table, rows in tables.items()}


def zone_offsets(names: tuple[str, ...]) -> Iterator[Row]:
    """Yield the UTC offsets of spring 2026, checked every 15 minutes."""
    for name in names:
        zone = ZoneInfo(name)
        begin, end = datetime(2025, 12, 1, tzinfo=UTC), datetime(2026, 6, 1, tzinfo=UTC)
        starts_at, instant = begin, begin
        offset = begin.astimezone(zone).utcoffset()
        while instant <= end:
            now = instant.astimezone(zone).utcoffset()
            if now != offset or instant == end:
                yield {
                    "zone": name,
                    "starts_at": starts_at,
                    "ends_at": instant,
                    "utc_offset_seconds": int((offset or timedelta()).total_seconds()),
                }
                starts_at, offset = instant, now
            instant += timedelta(minutes=15)
