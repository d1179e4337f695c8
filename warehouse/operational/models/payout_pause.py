"""When a creator's payouts paused (money.md M6)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


class PayoutPause(Identified, Followed, Base):
    """One stretch without payouts, of all of a creator's structures; open while not restarted.

    Instants of the decisions; which days of a structure they cover follows from M6.
    """

    __tablename__ = "payout_pauses"
    __table_args__ = (
        CheckConstraint("restarted_at >= paused_at", name="stretch"),
        Index(
            "uq_payout_pauses_open",
            "creator_id",
            unique=True,
            postgresql_where=text("restarted_at is null"),
        ),
        Index("ix_payout_pauses_creator_id", "creator_id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    paused_at: Mapped[datetime]
    paused_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    restarted_at: Mapped[datetime | None]
    restarted_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
