"""Comment marts of small tests, aggregated by the oracle's plain counts."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID, uuid5
from zoneinfo import ZoneInfo

import duckdb
import polars as pl

from tests.factories.readings import History
from tests.oracles.comments import FLAGS, counts

SCORES = {"positive": Decimal("0.5"), "neutral": Decimal(0), "negative": Decimal("-0.5")}
COLLECTED_AT = datetime(2026, 5, 20, 6, tzinfo=UTC)


@dataclass(frozen=True)
class Said:
    """A comment with its scores."""

    video: UUID
    at: datetime
    text: str = "hello"
    sentiment: str | None = "neutral"
    signals: tuple[str, ...] = ()
    likes: int | None = 0
    is_post_time_known: bool = True
    language: str | None = "en"
    name: str = field(default="")

    @property
    def id(self) -> UUID:
        return uuid5(self.video, self.name or f"{self.at.isoformat()} {self.text}")


def fill_comments(
    connection: duckdb.DuckDBPyConnection, history: History, written: Sequence[Said]
) -> None:
    """Fill the comment marts of a history."""
    for table, rows in marts_of_comments(history, written).items():
        _insert(connection, table, rows)


def marts_of_comments(history: History, written: Sequence[Said]) -> dict[str, list[dict[str, Any]]]:
    rows = [_row(history, comment) for comment in written]
    by_video: dict[Any, list[Any]] = defaultdict(list)
    by_day: dict[Any, list[Any]] = defaultdict(list)
    for row in rows:
        by_video[row["video_id"]].append(row)
        if row["is_counted"]:
            by_day[row["video_id"], row["day"]].append(row)
    organization = str(history.organization)
    owner_columns = ("organization_id", "project_id", "creator_id", "platform")
    return {
        "comments": rows,
        "video_comments": [
            {
                "video_id": video,
                "organization_id": organization,
                "last_collected_at": COLLECTED_AT,
                **counts(comment_rows),
            }
            for video, comment_rows in by_video.items()
        ],
        "video_comment_daily": [
            {
                "video_id": video,
                "day": day,
                **{name: comment_rows[0][name] for name in owner_columns},
                **counts(comment_rows),
            }
            for (video, day), comment_rows in by_day.items()
        ],
    }


def _row(history: History, comment: Said) -> dict[str, Any]:
    video = next(video for video in history.videos if video.id == comment.video)
    return {
        "comment_id": str(comment.id),
        "video_id": str(video.id),
        "organization_id": str(history.organization),
        "project_id": str(history.project),
        "creator_id": str(video.creator),
        "platform": video.platform,
        "is_counted": video.is_counted,
        "platform_comment_id": comment.name or comment.text,
        "text": comment.text,
        "like_count": comment.likes,
        "author_unique_id": "ann",
        "posted_at": comment.at if comment.is_post_time_known else None,
        "commented_at": comment.at,
        "day": _day(history, comment.at),
        "first_captured_at": comment.at,
        "captured_at": COLLECTED_AT,
        "language": comment.language,
        "sentiment": comment.sentiment,
        "sentiment_score": SCORES.get(comment.sentiment or ""),
        "sentiment_model": comment.sentiment and "vader-test",
        "signals": sorted(comment.signals),
        "is_flagged": bool(FLAGS & set(comment.signals)),
    }


def _day(history: History, at: datetime) -> date:
    return at.astimezone(ZoneInfo(history.org_zone)).date()


def _insert(connection: duckdb.DuckDBPyConnection, table: str, rows: list[dict[str, Any]]) -> None:
    if rows:
        connection.register("said", pl.DataFrame(rows, infer_schema_length=None))
        connection.execute(f"insert into marts.{table} by name select * from said")
        connection.unregister("said")
