"""Registers comment crawls for the registry rows that requested them and may have comments.

Texts do not pass through PostgreSQL, which only decides on rows and records crawls. Returns frames
of the registered batch.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import ColumnElement, literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.landing.schema import REGISTERED
from warehouse.operational.comment_settings import allowances
from warehouse.operational.models import CommentCollection, Video
from warehouse.registration.scrapable import collectable_video
from warehouse.registration.staging import BATCH
from warehouse.scrape_jobs.comment_targets import PUBLISHED_AT, due_again
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT

LONGEST_TEXT = 10_000
SAME_POST = ["platform", "platform_video_id"]
TAKERS = pl.Schema(
    {
        "platform": pl.String(),
        "platform_video_id": pl.String(),
        "video_id": pl.String(),
        "organization_id": pl.String(),
        "published_at": pl.Datetime("us", "UTC"),
    }
)


def register_comments(
    session: Session, landed: Mapping[str, pl.DataFrame], now: datetime
) -> dict[str, pl.DataFrame]:
    """Return the batch's comments and crawls by registry row, and record the crawls."""
    takers = _takers(session, landed["comment_walks"], now)
    comment_crawls = landed["comment_walks"].join(takers, on=SAME_POST)
    _note_crawls(session, comment_crawls)
    comments = _clean(landed["comments"]).join(takers, on=SAME_POST)
    return {
        "comments": comments.select(BATCH, *REGISTERED["comments"].names()).sort(
            "captured_at", "video_id", "platform_comment_id"
        ),
        "comment_walks": comment_crawls.select(BATCH, *REGISTERED["comment_walks"].names()).sort(
            "finished_at", "video_id"
        ),
    }


def _takers(session: Session, comment_crawls: pl.DataFrame, now: datetime) -> pl.DataFrame:
    """Return the rows that may have comments and whose daily allowance covers them."""
    video_ids = {UUID(video_id) for ids in comment_crawls["video_ids"] for video_id in ids}
    if not video_ids:
        return pl.DataFrame(schema=TAKERS)
    statement = (
        select(
            Video.platform,
            Video.platform_video_id,
            Video.id,
            Video.organization_id,
            PUBLISHED_AT.label("published_at"),
        )
        .where(Video.id.in_(video_ids), collectable_video())
        .order_by(Video.id)
    )
    by_organization: dict[UUID, dict[UUID, Any]] = {}
    for row in session.execute(statement):
        by_organization.setdefault(row.organization_id, {})[row.id] = row
    allowed = allowances(session, now)
    takers = (
        posts[video_id]
        for organization_id, posts in by_organization.items()
        if organization_id in allowed
        for video_id in allowed[organization_id].within_allowance(list(posts))
    )
    rows = [
        (
            post.platform,
            post.platform_video_id,
            str(post.id),
            str(post.organization_id),
            post.published_at,
        )
        for post in takers
    ]
    return pl.DataFrame(rows, schema=TAKERS, orient="row")


def _note_crawls(session: Session, comment_crawls: pl.DataFrame) -> None:
    """Record each video's last crawl, its consecutive failures, and when the next is due."""
    for comment_crawl in comment_crawls.iter_rows(named=True):
        has_failed = int(comment_crawl["outcome"] != "ok")
        statement = insert(CommentCollection).values(
            video_id=UUID(comment_crawl["video_id"]),
            organization_id=UUID(comment_crawl["organization_id"]),
            **_noted(comment_crawl, literal(has_failed)),
        )
        session.execute(
            statement.on_conflict_do_update(
                index_elements=[CommentCollection.video_id],
                set_=_noted(comment_crawl, (CommentCollection.failures + 1) * has_failed),
                where=CommentCollection.walked_at <= comment_crawl["finished_at"],
            )
        )


def _noted(comment_crawl: Mapping[str, Any], failures: ColumnElement[int]) -> Mapping[str, Any]:
    return {
        "walked_at": comment_crawl["finished_at"],
        "outcome": comment_crawl["outcome"],
        "failures": failures,
        "due_at": due_again(comment_crawl["published_at"], comment_crawl["finished_at"], failures),
    }


def _clean(comments: pl.DataFrame) -> pl.DataFrame:
    """Return each comment once, with impossible times removed and long texts cut."""
    possible = pl.col("posted_at").is_between(FIRST_INSTANT, LAST_INSTANT, closed="left")
    return comments.with_columns(
        text=pl.col("text").str.slice(0, LONGEST_TEXT),
        author_unique_id=pl.col("author_unique_id").str.to_lowercase(),
        posted_at=pl.when(possible).then("posted_at"),
    ).unique([*SAME_POST, "platform_comment_id"], keep="last", maintain_order=True)
