"""Conversions that were deleted for good: what the warehouse has to take out of its copy."""

from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged
from warehouse.operational.models.conversion import THIS_TRANSACTION


class ConversionDeletion(Unlogged, Base):
    """A conversion that is no more, though its event is. `changed_by` is as a conversion's."""

    __tablename__ = "conversion_deletions"

    conversion_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)
