"""The marts that aggregate others: members with their first readings, and sums."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from tests.factories.readings import (
    METRICS,
    History,
    Members,
    Video,
    appearances,
    deltas_of,
    of_campaign,
    of_creators,
    video_daily,
)


def rollups_of(history: History) -> dict[str, list[dict[str, Any]]]:
    creators, campaign = of_creators(history), of_campaign(history)
    return {
        "campaign_creator_daily": list(_parts(history)),
        "creator_quarter_hours": list(_quarters(history, "creator_id", creators)),
        "campaign_quarter_hours": list(_quarters(history, "campaign_id", campaign)),
        "creator_videos": [
            {"creator_id": str(creator), **_place(history, video)}
            for creator, (videos, _) in creators.items()
            for video in videos
        ],
        "campaign_videos": [
            {
                "campaign_id": str(history.campaign),
                "creator_id": str(video.creator),
                **_place(history, video),
            }
            for video in campaign[history.campaign][0]
        ],
        "campaign_creators": [
            {
                "campaign_id": str(history.campaign),
                "creator_id": str(creator),
                "organization_id": str(history.organization),
            }
            for creator in {video.creator for video in campaign[history.campaign][0]}
            if creator
        ],
        "campaign_accounts": [
            {
                "campaign_id": str(history.campaign),
                "account_id": str(account.id),
                "organization_id": str(history.organization),
                "first_captured_at": min(account.readings, default=None),
            }
            for account in campaign[history.campaign][1]
        ],
    }


def _place(history: History, video: Video) -> dict[str, Any]:
    return {
        "video_id": str(video.id),
        "organization_id": str(history.organization),
        "appeared_at": next(appearances(history, [video]), None),
        "first_captured_at": min(video.readings, default=None),
    }


def _parts(history: History) -> Iterator[dict[str, Any]]:
    """Yield a campaign's daily metrics by creator."""
    by_creator: dict[UUID, list[Video]] = defaultdict(list)
    for video in of_campaign(history)[history.campaign][0]:
        by_creator[video.creator].append(video)
    for creator, videos in by_creator.items():
        gained = list(video_daily(history, [row for v in videos for row in deltas_of(v)]))
        posts = [history.day(at) for at in appearances(history, videos)]
        for day in sorted({row["day"] for row in gained} | set(posts)):
            today = [row for row in gained if row["day"] == day]
            yield {
                "organization_id": str(history.organization),
                "project_id": str(history.project),
                "campaign_id": str(history.campaign),
                "creator_id": str(creator),
                "day": day,
                "new_videos": posts.count(day),
                **{f"new_{c}": _known_sum(today, f"new_{c}") for c in METRICS.values()},
            }


def _quarters(history: History, key: str, members: Members) -> Iterator[dict[str, Any]]:
    for entity, (videos, _) in members.items():
        read: dict[datetime, list[dict[str, Any]]] = defaultdict(list)
        for row in (row for video in videos for row in deltas_of(video)):
            at = row["captured_at"]
            read[at - timedelta(seconds=at.timestamp() % 900)].append(row)
        for quarter, rows in read.items():
            yield {
                "organization_id": str(history.organization),
                key: str(entity),
                "quarter_at": quarter,
                **{f"new_{c}": _known_sum(rows, f"{d}_delta") for d, c in METRICS.items()},
            }


def _known_sum(rows: Iterable[dict[str, Any]], column: str) -> int | None:
    known = [row[column] for row in rows if row[column] is not None]
    return sum(known) if known else None
