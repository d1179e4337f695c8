"""Dated statuses (money.md M3, M13): when a post was excluded, accepted or stopped."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class VideoStatus(Identified, Unlogged, Followed, Base):
    """From `valid_from` on the video has this tracking_status; an instant has one."""

    __tablename__ = "video_statuses"
    __table_args__ = (UniqueConstraint("video_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"))
    tracking_status: Mapped[str]
    valid_from: Mapped[datetime]
