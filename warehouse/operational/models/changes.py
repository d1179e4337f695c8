"""Who changed what, and what the warehouse has not heard of yet."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import THIS_TRANSACTION, Base, Identified, Unlogged

CHANGE_IS_AWAITED = "(coalesce(current_setting('tracker.change_is_awaited', true), '') = 'yes')"
"""A transaction says so for what it writes: `warehouse.operational.unpublished.AWAITED`."""


# The audit log: who wrote what by which request (contract, Events).
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


# The change log: what a write changed, from what to what.
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


# Rows that were deleted for good: what the warehouse has to take out of its copies.
class Departure(Unlogged, Base):
    """A row of a Followed table that is no more; triggers add it. `changed_by` is as a row's.

    `row_key` is its primary key, in the key's order; null where the whole table was emptied.
    """

    __tablename__ = "departures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
    row_key: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)


# What was written that no publication shows yet.
class UnpublishedChange(Unlogged, Base):
    """A transaction wrote something that the warehouse copies; `table_name` is where it began.

    Triggers of every copied table add it, once a transaction, where a column that is copied is
    written. It is copied in the same snapshot as what it tells of, and goes when a publication was
    made of that copy; of several shards, when all have made one. `written_by` is 0 where it
    concerns every shard, `is_awaited` says that a person waits for its figures.
    """

    __tablename__ = "unpublished_changes"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
    written_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION)
    is_awaited: Mapped[bool] = mapped_column(server_default=text(CHANGE_IS_AWAITED))


# Which shards' publications show a change that others do not show yet.
class PublishedChange(Unlogged, Base):
    """A publication of a shard shows what a transaction wrote; it goes with the change."""

    __tablename__ = "shown_changes"

    change_id: Mapped[int] = mapped_column(
        ForeignKey("unpublished_changes.id", ondelete="CASCADE"), primary_key=True
    )
    shard: Mapped[str] = mapped_column(
        ForeignKey("shards.name", ondelete="CASCADE"), primary_key=True, index=True
    )


# Which state of its rows each organization has.
class OrganizationVersion(Unlogged, Base):
    """A transaction wrote rows of an organization; triggers of nearly all tables add it.

    The version of an organization is `bit_xor(token)` over its rows and those of EVERYBODY. Each
    transaction adds a random token, and merges the rows of transactions that ended into its own:
    so the version follows from which transactions are visible, and writers never wait. After a
    restore other tokens are drawn, so that no version comes back with other rows. `last_writer` is
    the highest number among its transaction and those that it merged.
    """

    __tablename__ = "organization_versions"

    organization_id: Mapped[UUID] = mapped_column(primary_key=True)
    written_by: Mapped[int] = mapped_column(BigInteger, primary_key=True, autoincrement=False)
    token: Mapped[int] = mapped_column(BigInteger)
    last_writer: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION)
