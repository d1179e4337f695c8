"""When a video's comments were last walked through, and how that ended."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class CommentCollection(Unlogged, Base):
    """Bookkeeping of a video's walks: when its comments are due again follows from it.

    `walked_at` is when the last walk ended, whatever its outcome; `failures` counts the walks
    since the last one that ended ok. What walks saw is in raw.comments and raw.comment_walks.
    """

    __tablename__ = "comment_collections"
    __table_args__ = (
        # How many of its videos an organization had walked on a day.
        Index("ix_comment_collections_walked", "organization_id", "walked_at"),
    )

    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    walked_at: Mapped[datetime]
    outcome: Mapped[str]
    failures: Mapped[int]
