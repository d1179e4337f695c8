"""The audit log: who wrote what by which request (contract, Events)."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged


class AuditEntry(Identified, Unlogged, Base):
    """One write that succeeded, in its own transaction; what it changed is ChangeEntry's.

    `at` is the real clock's. `ids` are those of the path. Written by the accept page, or on the
    command line, it has no key; there nobody may be known at all.
    """

    __tablename__ = "audit_entries"
    __table_args__ = (
        CheckConstraint("channel in ('api', 'mcp', 'page', 'cli')", name="channel"),
        Index("ix_audit_entries_organization_at", "organization_id", "at"),
    )

    at: Mapped[datetime]
    channel: Mapped[str]
    action: Mapped[str]
    ids: Mapped[dict[str, Any]] = mapped_column(JSONB)
    organization_id: Mapped[UUID | None] = mapped_column(ForeignKey("organizations.id"))
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    api_key_id: Mapped[UUID | None] = mapped_column(ForeignKey("api_keys.id"))
    request_id: Mapped[str | None]
