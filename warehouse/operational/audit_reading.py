"""Reads the audit log with the change log, newest first."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Row, Select, select
from sqlalchemy.orm import Session

from warehouse.operational.models import ApiKey, AuditEntry, ChangeEntry, User


@dataclass(frozen=True, kw_only=True)
class AuditFilters:
    """Filters of entries; None matches all. `since` is inclusive, `until` exclusive.

    An organization also sees entries in which others changed its rows.
    """

    organization_id: UUID | None = None
    user_id: UUID | None = None
    api_key_id: UUID | None = None
    request_id: str | None = None
    action: str | None = None
    entity_type: str | None = None
    entity_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


@dataclass(frozen=True, kw_only=True)
class ChangeRecord:
    """A changed row, with old and new values by field."""

    entity_type: str
    entity_id: UUID
    kind: str
    changes: Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class AuditRecord:
    """A write: time (real clock), user or key, channel, and its changes."""

    id: UUID
    at: datetime
    channel: str
    action: str
    organization_id: UUID | None
    user_id: UUID | None
    user_name: str | None
    api_key_id: UUID | None
    api_key_name: str | None
    request_id: str | None
    ids: Mapping[str, str]
    changes: Sequence[ChangeRecord]


def read_audit(session: Session, filters: AuditFilters, *, limit: int) -> list[AuditRecord]:
    """Return up to `limit` writes, newest first. Two statements."""
    statement = (
        _filtered(
            select(
                AuditEntry, User.display_name.label("user_name"), ApiKey.name.label("api_key_name")
            )
            .outerjoin(User, User.id == AuditEntry.user_id)
            .outerjoin(ApiKey, ApiKey.id == AuditEntry.api_key_id),
            filters,
        )
        .order_by(AuditEntry.at.desc(), AuditEntry.id.desc())
        .limit(limit)
    )
    rows = session.execute(statement).all()
    changes = _changes_of(session, [row.AuditEntry.id for row in rows])
    return [_record(row, changes[row.AuditEntry.id]) for row in rows]


def _filtered(
    statement: Select[*tuple[Any, ...]], filters: AuditFilters
) -> Select[*tuple[Any, ...]]:
    for name in ("user_id", "api_key_id", "request_id", "action"):
        expected = getattr(filters, name)
        if expected is not None:
            statement = statement.where(getattr(AuditEntry, name) == expected)
    if filters.since is not None:
        statement = statement.where(AuditEntry.at >= filters.since)
    if filters.until is not None:
        statement = statement.where(AuditEntry.at < filters.until)
    return _about(statement, filters)


def _about(statement: Select[*tuple[Any, ...]], filters: AuditFilters) -> Select[*tuple[Any, ...]]:
    """Filter entries by an organization or a changed entity."""
    changed = select(ChangeEntry.id).where(ChangeEntry.audit_entry_id == AuditEntry.id)
    if filters.organization_id is not None:
        its_own = changed.where(ChangeEntry.organization_id == filters.organization_id).exists()
        acted = AuditEntry.organization_id == filters.organization_id
        statement = statement.where(acted | its_own)
    if filters.entity_type is not None:
        changed = changed.where(ChangeEntry.entity_type == filters.entity_type)
    if filters.entity_id is not None:
        changed = changed.where(ChangeEntry.entity_id == filters.entity_id)
    if filters.entity_type or filters.entity_id:
        statement = statement.where(changed.exists())
    return statement


def _changes_of(session: Session, entry_ids: Iterable[UUID]) -> Mapping[UUID, list[ChangeRecord]]:
    statement = (
        select(ChangeEntry)
        .where(ChangeEntry.audit_entry_id.in_(entry_ids))
        .order_by(ChangeEntry.id)
    )
    changes: dict[UUID, list[ChangeRecord]] = defaultdict(list)
    for row in session.scalars(statement):
        changes[row.audit_entry_id].append(
            ChangeRecord(
                entity_type=row.entity_type,
                entity_id=row.entity_id,
                kind=row.kind,
                changes=row.changes,
            )
        )
    return changes


def _record(row: Row[*tuple[Any, ...]], changes: Sequence[ChangeRecord]) -> AuditRecord:
    entry: AuditEntry = row.AuditEntry
    return AuditRecord(
        id=entry.id,
        at=entry.at,
        channel=entry.channel,
        action=entry.action,
        organization_id=entry.organization_id,
        user_id=entry.user_id,
        user_name=row.user_name,
        api_key_id=entry.api_key_id,
        api_key_name=row.api_key_name,
        request_id=entry.request_id,
        ids=entry.ids,
        changes=changes,
    )
