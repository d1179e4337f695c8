"""Expected marts of comments, computed one comment at a time from crawls."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from datetime import date, datetime
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

from tests.oracles.goals import COUNTED

SIGNALS = (
    "app_question",
    "signup_intent",
    "ad_disclosure",
    "risk",
    "pay_talk",
    "brand_mention",
    "competitor",
    "referral_spam",
)
FLAGS = {"ad_disclosure", "risk"}
Row = Mapping[str, Any]


def text_id(text: str) -> UUID:
    return UUID(hashlib.sha256(text.encode()).hexdigest()[:32])


def latest_comments(
    comments: Iterable[Row], crawls: Iterable[Row], as_of: datetime
) -> dict[tuple[UUID, str], dict[str, Any]]:
    """Return each comment as last seen, unless a later complete crawl missed it."""
    seen: dict[tuple[UUID, str], list[Row]] = defaultdict(list)
    for row in comments:
        if row["captured_at"] <= as_of:
            seen[row["video_id"], row["platform_comment_id"]].append(row)
    latest = {}
    for key, rows in seen.items():
        last = max(rows, key=lambda row: (row["captured_at"], row["batch_seq"]))
        missed = any(
            crawl["video_id"] == key[0]
            and crawl["is_complete"]
            and crawl["outcome"] == "ok"
            and crawl["finished_at"] <= as_of
            and crawl["started_at"] > last["captured_at"]
            for crawl in crawls
        )
        if not missed:
            first = min(row["captured_at"] for row in rows)
            latest[key] = {**last, "first_captured_at": first}
    return latest


def expected_comments(
    latest: Mapping[tuple[UUID, str], Row], world: "World"
) -> list[dict[str, Any]]:
    """Return comments with their scores and owners, for posts of the world."""
    rows = []
    for (video_id, platform_comment_id), row in latest.items():
        if video_id not in world.videos:
            continue
        video = world.videos[video_id]
        organization = video["organization_id"]
        commented_at = row["posted_at"] or row["first_captured_at"]
        score = world.scores.get(row["text"], {})
        signals = [*score.get("signals", []), *world.mentions.get((organization, row["text"]), [])]
        rows.append(
            {
                "comment_id": uuid5(video_id, platform_comment_id),
                "video_id": video_id,
                "creator_id": video["creator_id"],
                "text": row["text"],
                "like_count": row["like_count"],
                "commented_at": commented_at,
                "day": commented_at.astimezone(ZoneInfo(world.zones[organization])).date(),
                "sentiment": score.get("sentiment"),
                "signals": sorted(signals),
                "is_flagged": bool(FLAGS & set(signals)),
            }
        )
    return sorted(rows, key=lambda row: str(row["comment_id"]))


def counts(rows: Iterable[Row]) -> dict[str, int]:
    """Count comments by sentiment and by signal."""
    feelings: Counter[str] = Counter()
    signals: Counter[str] = Counter()
    for row in rows:
        feelings[row["sentiment"] or "unscored"] += 1
        signals.update(row["signals"])
        signals["flagged"] += row["is_flagged"]
    return {
        "comment_count": sum(feelings.values()),
        **{f"{name}_count": feelings[name] for name in ("positive", "neutral", "negative")},
        "unscored_count": feelings["unscored"],
        **{f"{name}_count": signals[name] for name in (*SIGNALS, "flagged")},
    }


def by_day(rows: Iterable[Row], world: "World") -> dict[tuple[UUID, date], dict[str, int]]:
    """Return daily counts of posts that count in totals (counting.md, Whose).

    Only the status matters: comments count even if the post's posting time is awaited.
    """
    days: dict[tuple[UUID, date], list[Row]] = defaultdict(list)
    for row in rows:
        if world.videos[row["video_id"]]["tracking_status"] in COUNTED:
            days[row["video_id"], row["day"]].append(row)
    return {key: counts(comment_rows) for key, comment_rows in days.items()}


class World:
    """Posts, time zones of organizations, and scores and mentions of texts."""

    def __init__(
        self,
        videos: Mapping[UUID, Row],
        zones: Mapping[UUID, str],
        scores: Mapping[str, Row],
        mentions: Mapping[tuple[UUID, str], list[str]],
    ) -> None:
        self.videos, self.zones, self.scores, self.mentions = videos, zones, scores, mentions
