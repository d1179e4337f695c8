"""When accounts were deactivated, with which choices, and when they came back (dated, M3)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


class AccountDeactivation(Identified, Followed, Base):
    """One stretch in which an account was deactivated; open while `reactivated_at` is null.

    At an instant at most one begins: the account's next stretch takes the row of one that had no
    length.

    Registration files posts published in the stretch as `missed_posts` says.
    """

    __tablename__ = "account_deactivations"
    __table_args__ = (
        CheckConstraint(
            "video_choice in ('keep_tracking', 'freeze', 'stop_tracking')", name="video_choice"
        ),
        CheckConstraint("missed_posts in ('inbox', 'track', 'ignore')", name="missed_posts"),
        CheckConstraint("existing_videos in ('resume', 'keep', 'stop')", name="existing_videos"),
        CheckConstraint("reactivated_at >= deactivated_at", name="stretch"),
        Index(
            "uq_account_deactivations_open",
            "account_id",
            unique=True,
            postgresql_where=text("reactivated_at is null"),
        ),
        UniqueConstraint("account_id", "deactivated_at"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    deactivated_at: Mapped[datetime]
    deactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    via_creator: Mapped[bool]
    video_choice: Mapped[str]
    reason: Mapped[str | None]
    reactivated_at: Mapped[datetime | None]
    reactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    missed_posts: Mapped[str | None]
    existing_videos: Mapped[str | None]
    note: Mapped[str | None]
