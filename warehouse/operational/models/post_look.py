"""When each post is looked at next, and why (warehouse/looks)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class PostLook(Unlogged, Base):
    """The plan of one row of the registry that may be scraped.

    `subject` names the visit that shows it (Visit). `looked_at` is when it was last shown or asked
    for, in whatever way that ended; `views` were read at `read_at`, and grew by `views_a_day`
    before (null: not known yet). Bookkeeping that can be made anew: nothing is computed from it.
    """

    __tablename__ = "post_looks"
    __table_args__ = (
        Index("ix_post_looks_subject", "platform", "subject", "due_at"),
        Index("ix_post_looks_post", "platform", "platform_video_id"),
    )

    video_id: Mapped[UUID] = mapped_column(
        ForeignKey("videos.id", ondelete="CASCADE"), primary_key=True
    )
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    platform: Mapped[str]
    platform_video_id: Mapped[str]
    subject: Mapped[str]
    looked_at: Mapped[datetime | None]
    read_at: Mapped[datetime | None]
    views: Mapped[int | None] = mapped_column(BigInteger)
    views_a_day: Mapped[float | None]
    due_at: Mapped[datetime]
    reason: Mapped[str]
