"""Releases of amounts held because of anomalies."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed


class PayoutHoldRelease(Followed, Base):
    """An anomaly that no longer holds an accrual and its adjustments, written once.

    `anomaly_id` is of marts.reading_anomalies. An anomaly of another reading or kind has another
    id, and holds again.
    """

    __tablename__ = "payout_hold_releases"

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    anomaly_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    reason: Mapped[str]
    released_at: Mapped[datetime]
    released_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
