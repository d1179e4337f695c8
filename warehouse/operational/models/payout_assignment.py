"""Which creators a payout structure pays, and on which days."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Timestamped


class PayoutAssignment(Identified, Timestamped, Followed, Base):
    """A structure's days for a creator, in the organization's zone; `end_date` is inclusive."""

    __tablename__ = "payout_assignments"
    __table_args__ = (CheckConstraint("end_date >= start_date", name="days"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    structure_id: Mapped[UUID] = mapped_column(ForeignKey("payout_structures.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), index=True)
    start_date: Mapped[date]
    end_date: Mapped[date | None]
    ended_at: Mapped[datetime | None]
