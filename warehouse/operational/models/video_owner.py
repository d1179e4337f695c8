"""Dated owners (money.md M14): whose a post was when a reading of it was taken."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class VideoOwner(Identified, Unlogged, Followed, Base):
    """From `valid_from` on the video belongs to this account and creator; the first also before."""

    __tablename__ = "video_owners"
    __table_args__ = (UniqueConstraint("video_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"))
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))
    creator_id: Mapped[UUID | None] = mapped_column(ForeignKey("creators.id"))
    valid_from: Mapped[datetime]
