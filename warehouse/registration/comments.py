"""For which registry rows a walk through comments counts: those it was made for that still may.

Texts do not pass through PostgreSQL: it only says which rows take them, and keeps when a video was
walked. Returns frames of the registered batch.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from uuid import UUID

import polars as pl
from sqlalchemy import literal, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.known_instants import FIRST_INSTANT, LAST_INSTANT
from warehouse.landing.schema import REGISTERED
from warehouse.operational.comment_settings import allowances
from warehouse.operational.models import CommentCollection, Video
from warehouse.registration.scrapable import collectable_video
from warehouse.scrape_jobs.comment_targets import PUBLISHED_AT, due_again

LONGEST_TEXT = 10_000
SAME_POST = ["platform", "platform_video_id"]
TAKERS = pl.Schema(
    {
        "platform": pl.String(),
        "platform_video_id": pl.String(),
        "video_id": pl.String(),
        "organization_id": pl.String(),
    }
)


def register_comments(
    session: Session, landed: Mapping[str, pl.DataFrame], now: datetime
) -> dict[str, pl.DataFrame]:
    """Return the batch's comments and walks by registry row, and note that these were walked."""
    takers = _takers(session, landed["comment_walks"], now)
    walks = landed["comment_walks"].join(takers, on=SAME_POST)
    _note_walks(session, walks)
    comments = _clean(landed["comments"]).join(takers, on=SAME_POST)
    return {
        "comments": comments.select(REGISTERED["comments"].names()).sort(
            "captured_at", "video_id", "platform_comment_id"
        ),
        "comment_walks": walks.select(REGISTERED["comment_walks"].names()).sort(
            "finished_at", "video_id"
        ),
    }


def _takers(session: Session, walks: pl.DataFrame, now: datetime) -> pl.DataFrame:
    """Return the rows that take comments: they may have them, and their day has room."""
    asked = {UUID(one) for ids in walks["video_ids"] for one in ids}
    if not asked:
        return pl.DataFrame(schema=TAKERS)
    statement = (
        select(Video.platform, Video.platform_video_id, Video.id, Video.organization_id)
        .where(Video.id.in_(asked), collectable_video())
        .order_by(Video.id)
    )
    by_organization: dict[UUID, dict[UUID, tuple[str, str]]] = {}
    for platform, platform_video_id, video_id, organization_id in session.execute(statement):
        posts = by_organization.setdefault(organization_id, {})
        posts[video_id] = (platform, platform_video_id)
    allowed = allowances(session, now)
    rows = [
        (*posts[video_id], str(video_id), str(organization_id))
        for organization_id, posts in by_organization.items()
        if organization_id in allowed
        for video_id in allowed[organization_id].admits(list(posts))
    ]
    return pl.DataFrame(rows, schema=TAKERS, orient="row")


def _note_walks(session: Session, walks: pl.DataFrame) -> None:
    """Note of each video its last walk, how often in a row walks failed, and when it is due."""
    published = _published_at(session, walks["video_id"])
    for video_id, organization_id, outcome, finished_at in walks.select(
        "video_id", "organization_id", "outcome", "finished_at"
    ).iter_rows():
        has_failed = int(outcome != "ok")
        first, further = literal(has_failed), (CommentCollection.failures + 1) * has_failed
        statement = insert(CommentCollection).values(
            video_id=UUID(video_id),
            organization_id=UUID(organization_id),
            walked_at=finished_at,
            outcome=outcome,
            failures=first,
            due_at=due_again(published[video_id], finished_at, first),
        )
        set_ = {
            "walked_at": finished_at,
            "outcome": outcome,
            "failures": further,
            "due_at": due_again(published[video_id], finished_at, further),
        }
        session.execute(
            statement.on_conflict_do_update(
                index_elements=[CommentCollection.video_id],
                set_=set_,
                where=CommentCollection.walked_at <= finished_at,
            )
        )


def _published_at(session: Session, video_ids: Iterable[str]) -> Mapping[str, datetime]:
    found = select(Video.id, PUBLISHED_AT).where(Video.id.in_([UUID(one) for one in video_ids]))
    return {str(video_id): published_at for video_id, published_at in session.execute(found)}


def _clean(comments: pl.DataFrame) -> pl.DataFrame:
    """Return comments without impossible times and lengths, each once for a post."""
    possible = pl.col("posted_at").is_between(FIRST_INSTANT, LAST_INSTANT, closed="left")
    return comments.with_columns(
        text=pl.col("text").str.slice(0, LONGEST_TEXT),
        author_unique_id=pl.col("author_unique_id").str.to_lowercase(),
        posted_at=pl.when(possible).then("posted_at"),
    ).unique([*SAME_POST, "platform_comment_id"], keep="last", maintain_order=True)
