"""Records URLs of posts' pictures."""

from datetime import datetime, timedelta

from sqlalchemy import exists, func, select
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session

from warehouse.operational.models import PostPicture
from warehouse.registration.registry import SAME_POST
from warehouse.registration.scrapable import scrapable_video
from warehouse.registration.staging import POSTS

GOOD_FOR = timedelta(hours=6)
"""Platforms' picture URLs expire after hours; older ones are not used."""


def note_pictures(session: Session, now: datetime) -> None:
    """Schedule pictures of tracked posts with their latest URL, unless they are stored."""
    addresses = (
        select(
            POSTS.c.platform,
            POSTS.c.platform_video_id,
            POSTS.c.thumbnail_url,
            func.now(),
        )
        .where(
            POSTS.c.thumbnail_url.is_not(None),
            POSTS.c.captured_at > now - GOOD_FOR,
            exists().where(SAME_POST, scrapable_video()),
        )
        .order_by(POSTS.c.platform, POSTS.c.platform_video_id)
    )
    columns = ["platform", "platform_video_id", "url", "due_at"]
    noted = upsert(PostPicture).from_select(columns, addresses)
    session.execute(
        noted.on_conflict_do_update(
            index_elements=["platform", "platform_video_id"],
            set_={"url": noted.excluded.url},
            where=PostPicture.path.is_(None),
        )
    )
