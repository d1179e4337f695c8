"""How many requests an organization made on a day of its zone (contract, Limits)."""

from datetime import date
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class ApiRequestDay(Unlogged, Base):
    """One organization's requests on one day by the real clock, those refused left out."""

    __tablename__ = "api_request_days"
    __table_args__ = {"postgresql_with": {"fillfactor": "50"}}  # noqa: RUF012 - updated in place

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]
