"""Small histories of an organization, and their deltas and daily metrics in slow, obvious Python.

Readings are exact: rounding is left to the models.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfo

METRICS = {
    "view": "views",
    "like": "likes",
    "comment": "comments",
    "share": "shares",
    "save": "saves",
}


def named(name: str) -> UUID:
    """Return a deterministic id."""
    return uuid5(NAMESPACE_OID, name)


ORGANIZATION = named("organization")
PROJECT = named("project")
CREATOR = named("creator")
CAMPAIGN = named("campaign")


@dataclass(frozen=True)
class Video:
    name: str
    readings: dict[datetime, dict[str, int | None]] = field(default_factory=dict)
    """Counts by time and counter (view, like, ...); a counter without a reading is missing."""
    posted_at: datetime | None = None
    platform: str = "tiktok"
    is_counted: bool = True
    account: UUID | None = None
    creator: UUID = CREATOR
    in_campaign: bool = True
    due_from: datetime | None = None
    """When the post was added; None if no view readings are due."""

    @property
    def id(self) -> UUID:
        return named(self.name)


@dataclass(frozen=True)
class Account:
    name: str
    readings: dict[datetime, int | None] = field(default_factory=dict)
    """Followers by time."""
    posts: dict[datetime, int] = field(default_factory=dict)
    """The platform's post count at some of those times."""
    is_active: bool = True
    creator: UUID = CREATOR
    in_campaign: bool = True

    @property
    def id(self) -> UUID:
        return named(self.name)


@dataclass(frozen=True)
class History:
    videos: list[Video]
    accounts: list[Account] = field(default_factory=list)
    org_zone: str = "UTC"
    as_of: datetime = datetime(2027, 1, 1, tzinfo=UTC)
    organization: UUID = ORGANIZATION
    project: UUID = PROJECT
    campaign: UUID = CAMPAIGN
    looks: list[dict[str, Any]] = field(default_factory=list)
    """Rows of marts.recent_looks without organization and project."""
    statuses: list[dict[str, Any]] = field(default_factory=list)
    """Rows of marts.platform_status without organization and project."""
    coverage: list[dict[str, Any]] = field(default_factory=list)
    """Rows of marts.view_coverage without the organization."""

    def day(self, instant: datetime) -> date:
        return instant.astimezone(ZoneInfo(self.org_zone)).date()


Members = dict[UUID, tuple[list[Video], list[Account]]]


def of_creators(history: History) -> Members:
    members: Members = defaultdict(lambda: ([], []))
    for video in history.videos:
        if video.is_counted:
            members[video.creator][0].append(video)
    for account in history.accounts:
        if account.is_active:
            members[account.creator][1].append(account)
    return members


def of_campaign(history: History) -> Members:
    videos = [video for video in history.videos if video.in_campaign and video.is_counted]
    accounts = [
        account for account in history.accounts if account.in_campaign and account.is_active
    ]
    return {history.campaign: (videos, accounts)}


def deltas_of(video: Video) -> Iterator[dict[str, Any]]:
    last = dict.fromkeys(METRICS, 0)
    for index, at in enumerate(sorted(video.readings)):
        row: dict[str, Any] = {"video_id": video.id, "captured_at": at, "is_exact": True}
        for counter in METRICS:
            count = video.readings[at].get(counter)
            row[f"{counter}_count"] = count
            row[f"{counter}_delta"] = None if count is None else count - last[counter]
            last[counter] = last[counter] if count is None else count
        yield {**row, "source": "test", "is_first": index == 0}


def before_tracking(history: History, video: Video, counter: str) -> int | None:
    """Return how much of the first known count is from before tracking; None if none is known."""
    counts = [video.readings[at].get(counter) for at in sorted(video.readings)]
    first = next((count for count in counts if count is not None), None)
    tracked: list[Iterable[datetime]] = [video.readings]
    if video.account is not None:
        tracked += [other.readings for other in history.videos if other.account == video.account]
        tracked += [account.readings for account in history.accounts if account.id == video.account]
    if first is None or video.posted_at is None:
        return first
    return 0 if video.posted_at > min(at for readings in tracked for at in readings) else first


def video_daily(history: History, deltas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_video = defaultdict(list)
    for row in deltas:
        by_video[row["video_id"]].append(row)
    for video_id, rows in by_video.items():
        for day in sorted({history.day(row["captured_at"]) for row in rows}):
            today = [row for row in rows if history.day(row["captured_at"]) == day]
            until = [row for row in rows if history.day(row["captured_at"]) <= day]
            daily: dict[str, Any] = {"video_id": str(video_id), "day": day, "readings": len(today)}
            for counter, counted in METRICS.items():
                daily |= gain_and_total(counted, f"{counter}_delta", today, until)
            yield daily


def gain_and_total(
    counted: str, delta: str, today: Iterable[dict[str, Any]], until: Iterable[dict[str, Any]]
) -> dict[str, int | None]:
    known = [row[delta] for row in until if row[delta] is not None]
    gain = sum(row[delta] or 0 for row in today)
    return {
        f"new_{counted}": gain if known else None,
        f"cumulative_{counted}": sum(known) if known else None,
    }


def appearances(history: History, videos: list[Video]) -> Iterator[datetime]:
    for video in videos:
        appeared_at = video.posted_at or min(video.readings, default=None)
        if appeared_at is not None and appeared_at <= history.as_of:
            yield appeared_at
