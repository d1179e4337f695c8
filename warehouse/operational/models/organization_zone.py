"""Dated zones (money.md M3, M15): which analytics_tz an organization had from when."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class OrganizationZone(Identified, Unlogged, Followed, Base):
    """From `valid_from` on, days of the organization are days of `analytics_tz`."""

    __tablename__ = "organization_zones"
    __table_args__ = (UniqueConstraint("organization_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    analytics_tz: Mapped[str]
    valid_from: Mapped[datetime]
