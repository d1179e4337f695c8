"""What members said of odd readings behind amounts: that they may be paid all the same."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed


# Anomalies that no longer hold an accrual, because somebody looked at them.
class PayoutHoldRelease(Followed, Base):
    """That an accrual, and what corrects it, waits no longer for a check of one anomaly.

    `anomaly_id` is marts.reading_anomalies': an anomaly of another reading, or of another kind,
    is another one, which holds again. Written once.
    """

    __tablename__ = "payout_hold_releases"

    accrual_id: Mapped[UUID] = mapped_column(primary_key=True)
    anomaly_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    reason: Mapped[str]
    released_at: Mapped[datetime]
    released_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
