"""What hangs on a creator's posts being read in time."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class LookDeadline(Unlogged, Base):
    """An instant before which a creator's posts are to be read: the end of a period that pays.

    Taken from the current publication, in the zone of what pays (money.md M15).
    """

    __tablename__ = "look_deadlines"

    creator_id: Mapped[UUID] = mapped_column(
        ForeignKey("creators.id", ondelete="CASCADE"), primary_key=True
    )
    ends_at: Mapped[datetime] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
