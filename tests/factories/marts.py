"""Marts computed from small histories by slow, obvious Python: what the models would have made.

Only what readers of a publication use. Readings here are exact; rounding is the models' affair.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from typing import Any
from uuid import NAMESPACE_OID, UUID, uuid5
from zoneinfo import ZoneInfo

import duckdb
import polars as pl

from tests.oracles.milestones import milestones

METRICS = {
    "view": "views",
    "like": "likes",
    "comment": "comments",
    "share": "shares",
    "save": "saves",
}

TABLES = {
    "organizations": "organization_id uuid, name varchar, analytics_tz varchar",
    "videos": """
        video_id uuid, organization_id uuid, project_id uuid, account_id uuid, creator_id uuid,
        platform varchar, platform_video_id varchar, url varchar, tracking_status varchar,
        is_counted boolean, posted_at timestamptz, first_captured_at timestamptz,
        last_captured_at timestamptz, view_count bigint, like_count bigint, comment_count bigint,
        share_count bigint, save_count bigint
    """,
    "accounts": """
        account_id uuid, organization_id uuid, project_id uuid, creator_id uuid, platform varchar,
        handle varchar, is_active boolean, is_deactivated boolean, first_captured_at timestamptz,
        last_captured_at timestamptz, follower_count bigint, following_count bigint,
        total_likes_count bigint, video_count bigint
    """,
    "video_deltas": """
        video_id uuid, captured_at timestamptz, is_exact boolean, source varchar,
        view_count bigint, like_count bigint, comment_count bigint, share_count bigint,
        save_count bigint, view_delta bigint, like_delta bigint, comment_delta bigint,
        share_delta bigint, save_delta bigint, is_first boolean
    """,
    "video_daily": """
        video_id uuid, day date, readings bigint,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint
    """,
    "account_snapshots": """
        account_id uuid, captured_at timestamptz, is_exact boolean, source varchar,
        follower_count bigint, following_count bigint, total_likes_count bigint,
        video_count bigint, follower_delta bigint, following_delta bigint,
        total_likes_delta bigint, video_delta bigint
    """,
    "creator_daily": """
        organization_id uuid, project_id uuid, creator_id uuid, day date,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint,
        new_videos bigint, cumulative_videos bigint, new_followers bigint, followers bigint
    """,
    "campaign_daily": """
        organization_id uuid, project_id uuid, campaign_id uuid, day date,
        new_views bigint, new_likes bigint, new_comments bigint, new_shares bigint,
        new_saves bigint, cumulative_views bigint, cumulative_likes bigint,
        cumulative_comments bigint, cumulative_shares bigint, cumulative_saves bigint,
        new_videos bigint, cumulative_videos bigint, new_followers bigint, followers bigint
    """,
    "creator_milestones": """
        organization_id uuid, project_id uuid, creator_id uuid, counted varchar, threshold bigint,
        day date
    """,
    "campaign_videos": "campaign_id uuid, video_id uuid",
    "campaign_accounts": "campaign_id uuid, account_id uuid",
}


def named(name: str) -> UUID:
    """The id of a thing in a test, by its name."""
    return uuid5(NAMESPACE_OID, name)


ORGANIZATION = named("organization")
PROJECT = named("project")
CREATOR = named("creator")
CAMPAIGN = named("campaign")


@dataclass(frozen=True)
class Video:
    name: str
    readings: dict[datetime, dict[str, int | None]] = field(default_factory=dict)
    """Counts by counter (view, like, ...) at instants; a counter left out was not shown."""
    posted_at: datetime | None = None
    platform: str = "tiktok"
    is_counted: bool = True
    creator: UUID = CREATOR
    in_campaign: bool = True

    @property
    def id(self) -> UUID:
        return named(self.name)


@dataclass(frozen=True)
class Account:
    name: str
    readings: dict[datetime, int | None] = field(default_factory=dict)
    """Followers at instants."""
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

    def day(self, instant: datetime) -> date:
        return instant.astimezone(ZoneInfo(self.org_zone)).date()


def create_marts(connection: duckdb.DuckDBPyConnection) -> None:
    """Create the schema `marts` with its tables, empty."""
    connection.execute("set TimeZone = 'UTC'")
    connection.execute("create schema marts")
    for table, columns in TABLES.items():
        connection.execute(f"create table marts.{table} ({columns})")


def fill_marts(connection: duckdb.DuckDBPyConnection, history: History) -> None:
    """Replace the rows of all marts by what follows from the history."""
    for table, rows in marts_of(history).items():
        connection.execute(f"delete from marts.{table}")
        if rows:
            connection.register("rows_of_test", pl.DataFrame(rows, infer_schema_length=None))
            connection.execute(f"insert into marts.{table} by name select * from rows_of_test")
            connection.unregister("rows_of_test")


def marts_of(history: History) -> dict[str, list[dict[str, Any]]]:
    deltas = [row for video in history.videos for row in _deltas(video)]
    snapshots = [row for account in history.accounts for row in _snapshots(account)]
    creator_daily = list(_totals(history, "creator_id", _of_creators(history)))
    return {
        "organizations": [
            {
                "organization_id": str(history.organization),
                "name": "Acme",
                "analytics_tz": history.org_zone,
            }
        ],
        "videos": [_video(history, video) for video in history.videos],
        "accounts": [_account(history, account) for account in history.accounts],
        "video_deltas": [_texts(row) for row in deltas],
        "account_snapshots": [_texts(row) for row in snapshots],
        "video_daily": list(_video_daily(history, deltas)),
        "creator_daily": creator_daily,
        "creator_milestones": milestones(creator_daily),
        "campaign_daily": list(_totals(history, "campaign_id", _of_campaign(history))),
        "campaign_videos": [
            {"campaign_id": str(CAMPAIGN), "video_id": str(video.id)}
            for video in history.videos
            if video.in_campaign and video.is_counted
        ],
        "campaign_accounts": [
            {"campaign_id": str(CAMPAIGN), "account_id": str(account.id)}
            for account in history.accounts
            if account.in_campaign and account.is_active
        ],
    }


Members = dict[UUID, tuple[list[Video], list[Account]]]


def _of_creators(history: History) -> Members:
    members: Members = defaultdict(lambda: ([], []))
    for video in history.videos:
        if video.is_counted:
            members[video.creator][0].append(video)
    for account in history.accounts:
        if account.is_active:
            members[account.creator][1].append(account)
    return members


def _of_campaign(history: History) -> Members:
    videos = [video for video in history.videos if video.in_campaign and video.is_counted]
    accounts = [
        account for account in history.accounts if account.in_campaign and account.is_active
    ]
    return {CAMPAIGN: (videos, accounts)}


def _texts(row: dict[str, Any]) -> dict[str, Any]:
    return {name: str(value) if isinstance(value, UUID) else value for name, value in row.items()}


def _video(history: History, video: Video) -> dict[str, Any]:
    instants = sorted(video.readings)
    latest = {
        f"{counter}_count": next(
            (
                video.readings[at][counter]
                for at in reversed(instants)
                if video.readings[at].get(counter) is not None
            ),
            None,
        )
        for counter in METRICS
    }
    return {
        "video_id": str(video.id),
        "organization_id": str(history.organization),
        "project_id": str(history.project),
        "platform": video.platform,
        "creator_id": str(video.creator),
        "is_counted": video.is_counted,
        "posted_at": video.posted_at,
        "first_captured_at": instants[0] if instants else None,
        "last_captured_at": instants[-1] if instants else None,
        **latest,
    }


def _account(history: History, account: Account) -> dict[str, Any]:
    instants = sorted(account.readings)
    known = [account.readings[at] for at in instants if account.readings[at] is not None]
    return {
        "account_id": str(account.id),
        "organization_id": str(history.organization),
        "creator_id": str(account.creator),
        "is_active": account.is_active,
        "is_deactivated": False,
        "first_captured_at": instants[0] if instants else None,
        "last_captured_at": instants[-1] if instants else None,
        "follower_count": known[-1] if known else None,
    }


def _deltas(video: Video) -> Iterator[dict[str, Any]]:
    last = dict.fromkeys(METRICS, 0)
    for index, at in enumerate(sorted(video.readings)):
        row: dict[str, Any] = {"video_id": video.id, "captured_at": at, "is_exact": True}
        for counter in METRICS:
            count = video.readings[at].get(counter)
            row[f"{counter}_count"] = count
            row[f"{counter}_delta"] = None if count is None else count - last[counter]
            last[counter] = last[counter] if count is None else count
        yield {**row, "source": "test", "is_first": index == 0}


def _snapshots(account: Account) -> Iterator[dict[str, Any]]:
    last = 0
    for at in sorted(account.readings):
        count = account.readings[at]
        delta = None if count is None else count - last
        last = last if count is None else count
        yield {
            "account_id": account.id,
            "captured_at": at,
            "is_exact": True,
            "source": "test",
            "follower_count": count,
            "follower_delta": delta,
        }


def _video_daily(history: History, deltas: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    by_video = defaultdict(list)
    for row in deltas:
        by_video[row["video_id"]].append(row)
    for video_id, rows in by_video.items():
        for day in sorted({history.day(row["captured_at"]) for row in rows}):
            today = [row for row in rows if history.day(row["captured_at"]) == day]
            until = [row for row in rows if history.day(row["captured_at"]) <= day]
            daily: dict[str, Any] = {"video_id": str(video_id), "day": day, "readings": len(today)}
            for counter, counted in METRICS.items():
                daily |= _gain_and_total(counted, f"{counter}_delta", today, until)
            yield daily


def _gain_and_total(
    counted: str, delta: str, today: Iterable[dict[str, Any]], until: Iterable[dict[str, Any]]
) -> dict[str, int | None]:
    known = [row[delta] for row in until if row[delta] is not None]
    gain = sum(row[delta] or 0 for row in today)
    return {
        f"new_{counted}": gain if known else None,
        f"cumulative_{counted}": sum(known) if known else None,
    }


def _totals(history: History, key: str, members: Members) -> Iterator[dict[str, Any]]:
    for entity, (videos, accounts) in members.items():
        deltas = [row for video in videos for row in _deltas(video)]
        snapshots = [row for account in accounts for row in _snapshots(account)]
        posts = [history.day(at) for at in _appearances(history, videos)]
        read = {history.day(row["captured_at"]) for row in deltas + snapshots}
        for day in sorted(read | set(posts)):
            row: dict[str, Any] = {
                "organization_id": str(history.organization),
                "project_id": str(history.project),
                key: str(entity),
                "day": day,
                "new_videos": posts.count(day),
                "cumulative_videos": sum(posted <= day for posted in posts),
            }
            today = [d for d in deltas if history.day(d["captured_at"]) == day]
            until = [d for d in deltas if history.day(d["captured_at"]) <= day]
            for counter, counted in METRICS.items():
                row |= _gain_and_total(counted, f"{counter}_delta", today, until)
            today = [s for s in snapshots if history.day(s["captured_at"]) == day]
            until = [s for s in snapshots if history.day(s["captured_at"]) <= day]
            followers = _gain_and_total("f", "follower_delta", today, until)
            row |= {"new_followers": followers["new_f"], "followers": followers["cumulative_f"]}
            yield row


def _appearances(history: History, videos: list[Video]) -> Iterator[datetime]:
    for video in videos:
        appeared_at = video.posted_at or min(video.readings, default=None)
        if appeared_at is not None and appeared_at <= history.as_of:
            yield appeared_at
