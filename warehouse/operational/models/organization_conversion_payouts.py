"""Dated support setting (money.md M3): whether conversions create accruals."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class OrganizationConversionPayouts(Identified, Unlogged, Followed, Base):
    """From `valid_from` on, conversions that are recorded create accruals, or not.

    Whatever their `occurred_at`; the instant itself is included. Without a row they do.
    """

    __tablename__ = "organization_conversion_payouts"
    __table_args__ = (UniqueConstraint("organization_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    is_enabled: Mapped[bool]
    valid_from: Mapped[datetime]
