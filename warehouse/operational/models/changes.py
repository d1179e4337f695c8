"""The audit log, the change log, and changes that are not published yet."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import THIS_TRANSACTION, Base, Identified, Unlogged

CHANGE_IS_AWAITED = "(coalesce(current_setting('tracker.change_is_awaited', true), '') = 'yes')"
"""A transaction sets this for its writes: `warehouse.operational.unpublished.AWAITED`."""


class AuditEntry(Identified, Unlogged, Base):
    """A successful write, in its own transaction (contract, Events). ChangeEntry has its changes.

    `at` is the real clock's. `ids` are those of the path. Writes of the accept page or the command
    line have no key; those of the command line may have no user.
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


class ChangeEntry(Identified, Unlogged, Base):
    """A created, changed or deleted row: `{field: {"from": ..., "to": ...}}`.

    `notes` changes only the notes, logged as versions and lengths. Secrets are named without
    values. `changed_at` is business time; the audit entry, in real time, follows at the end of the
    transaction.
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


class Departure(Unlogged, Base):
    """A deleted row of a Followed table, to be removed from the warehouse's copy.

    Added by triggers.

    `row_key` is its primary key in order, null if the whole table was truncated. `changed_by` is
    as in Followed.
    """

    __tablename__ = "departures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
    row_key: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)


class UnpublishedChange(Unlogged, Base):
    """A transaction that wrote copied columns and is not published yet.

    Triggers of every copied table add it, once per transaction; `table_name` is the first such
    table. It is copied in the same snapshot as the rows, and deleted after a publication of that
    copy; with several shards, after a publication of each that it concerns. `written_by` is the
    transaction, as `changed_by` in Followed. `is_awaited`: a person waits for its figures.
    """

    __tablename__ = "unpublished_changes"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
    written_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION)
    is_awaited: Mapped[bool] = mapped_column(server_default=text(CHANGE_IS_AWAITED))


class PublishedChange(Unlogged, Base):
    """A shard's publication shows a change that others do not show yet. Deleted with the change."""

    __tablename__ = "shown_changes"

    change_id: Mapped[int] = mapped_column(
        ForeignKey("unpublished_changes.id", ondelete="CASCADE"), primary_key=True
    )
    shard: Mapped[str] = mapped_column(
        ForeignKey("shards.name", ondelete="CASCADE"), primary_key=True, index=True
    )
