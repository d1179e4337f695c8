"""What platforms showed of an account's profile that was different from before."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, UniqueConstraint
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged


class AccountProfileChange(Identified, Unlogged, Base):
    """One profile read at `observed_at` that changed known fields, written by registration.

    `changes` is `{field: {"from": ..., "to": ...}}`; a first sight of a field is no change.
    """

    __tablename__ = "account_profile_changes"
    __table_args__ = (UniqueConstraint("account_id", "observed_at"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    observed_at: Mapped[datetime]
    changes: Mapped[dict[str, Any]] = mapped_column(JSONB)
