"""The change log: what a write changed, from what to what."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged


class ChangeEntry(Identified, Unlogged, Base):
    """One row that was created, changed or deleted: `{field: {"from": ..., "to": ...}}`.

    `notes` is a change of nothing but the notes, kept as versions and lengths. Secrets are named
    and never shown. `changed_at` is business time; the entry of the audit log, in real time,
    follows at the end of the transaction.
    """

    __tablename__ = "change_entries"
    __table_args__ = (
        CheckConstraint("kind in ('created', 'changed', 'deleted', 'notes')", name="kind"),
        Index("ix_change_entries_entity", "entity_type", "entity_id"),
    )

    audit_entry_id: Mapped[UUID] = mapped_column(
        ForeignKey("audit_entries.id", deferrable=True, initially="DEFERRED"), index=True
    )
    organization_id: Mapped[UUID | None] = mapped_column(ForeignKey("organizations.id"))
    entity_type: Mapped[str]
    entity_id: Mapped[UUID]
    kind: Mapped[str]
    changed_at: Mapped[datetime]
    changes: Mapped[dict[str, Any]] = mapped_column(JSONB)
