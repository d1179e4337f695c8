"""Writes the audit log and the change log in the transaction they describe.

All writes pass through `recorded`: each ORM row flushed in its block gets a line in the change
log, and the block one audit entry. Bulk statements would bypass it and are refused, except those
of `audit_many`, which write their own lines. Unlogged rows are skipped; of SECRET columns only the
name is logged. `audit_reading` reads both logs.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, Literal, NamedTuple
from uuid import UUID

from sqlalchemy import event, inspect
from sqlalchemy.orm import InstanceState, ORMExecuteState
from sqlalchemy.orm.unitofwork import UOWTransaction
from sqlalchemy.sql.elements import KeyedColumnElement

from warehouse.ids import uuid7
from warehouse.notes import readme_version
from warehouse.operational.base import Base, Unlogged, business_now
from warehouse.operational.inserting import insert_rows
from warehouse.operational.models import AuditEntry, ChangeEntry, Organization
from warehouse.operational.session import WriteSession

Channel = Literal["api", "mcp", "page", "cli"]
Kind = Literal["created", "changed", "deleted", "notes"]
Change = dict[str, Any]
"""`{"from": ..., "to": ...}` of one field, as JSON."""

HIDDEN = "(not shown)"
NOTES = {"readme", "readme_updated_at"}
STAMPS = {"created_at", "updated_at", "readme_updated_at", "changed_by"}
_ENTRY = "audit_entry_id"
NOTED = "noted"
"""Execution option of statements that write their own lines."""


class Noting(NamedTuple):
    """The part of a change log line that differs between rows of a statement."""

    organization_id: UUID
    entity_id: UUID
    changes: dict[str, Change]


class EscapesChangeLogError(RuntimeError):
    """A statement would bypass the change log: a programming error."""


@dataclass(frozen=True, kw_only=True)
class AuditEvent:
    """Who did what, through which channel. `ids` are the ids in the request, by parameter."""

    channel: Channel
    action: str
    organization_id: UUID | None = None
    user_id: UUID | None = None
    api_key_id: UUID | None = None
    request_id: str | None = None
    ids: Mapping[str, str]


@contextmanager
def recorded(session: WriteSession, audit_event: Callable[[], AuditEvent]) -> Iterator[None]:
    """Record the block's writes, then the audit event. If the block raises, nothing is written.

    `audit_event` is called at the end, when all of its fields are known.
    """
    entry_id = session.info[_ENTRY] = uuid7()
    try:
        yield
        session.flush()
    finally:
        del session.info[_ENTRY]
    done = audit_event()
    session.add(
        AuditEntry(
            id=entry_id,
            at=datetime.now(UTC),
            channel=done.channel,
            action=done.action,
            ids=dict(done.ids),
            organization_id=done.organization_id,
            user_id=done.user_id,
            api_key_id=done.api_key_id,
            request_id=done.request_id,
        )
    )


def entity_type_of(model: type[Base]) -> str:
    """Return the entity type of a model in the logs: `api_key` for `ApiKey`."""
    name = model.__name__
    return "".join(f"_{c.lower()}" if c.isupper() else c for c in name).removeprefix("_")


def note(session: WriteSession, model: type[Base], kind: Kind, rows: Iterable[Noting]) -> None:
    """Write a line for each row that a statement of `audit_many` changed."""
    entry_id: UUID | None = session.info.get(_ENTRY)
    if entry_id is None:
        return
    line = {
        "audit_entry_id": entry_id,
        "entity_type": entity_type_of(model),
        "kind": kind,
        "changed_at": business_now(session),
    }
    lines = [{**line, "id": uuid7(), **row._asdict()} for row in rows]
    if lines:
        insert_rows(session, ChangeEntry, lines)


def redactor_of(column: KeyedColumnElement[Any]) -> Callable[[Any], Any]:
    """Return the function that converts a column's values to JSON for the log, or hides them."""
    return _hidden if column.info.get("secret") else _converter_of(column.key)


@event.listens_for(WriteSession, "after_flush")
def _note_flushed(session: WriteSession, _context: UOWTransaction) -> None:
    """Write lines right after the flush, so that a savepoint rolls back both."""
    entry_id: UUID | None = session.info.get(_ENTRY)
    if entry_id is None:
        return
    lines = [
        *(_line(entry_id, row, "created") for row in session.new if _is_logged(row)),
        *(_line(entry_id, row, "changed") for row in session.dirty if _is_logged(row)),
        *(_line(entry_id, row, "deleted") for row in session.deleted if _is_logged(row)),
    ]
    now = business_now(session)
    rows = [{**line, "changed_at": now} for line in lines if line["changes"]]
    if rows:
        insert_rows(session, ChangeEntry, rows)


@event.listens_for(WriteSession, "do_orm_execute")
def _refuse_what_escapes(state: ORMExecuteState) -> None:
    """Raise for a bulk statement on logged rows."""
    is_exempt = state.is_select or NOTED in state.execution_options
    if _ENTRY not in state.session.info or is_exempt or state.bind_mapper is None:
        return
    model = state.bind_mapper.class_
    if not issubclass(model, Unlogged):
        raise EscapesChangeLogError(
            f"write {model.__name__} rows through the ORM, or the change log misses them"
        )


def _is_logged(row: object) -> bool:
    return not isinstance(row, Unlogged)


def _line(entry_id: UUID, row: Any, kind: Kind) -> dict[str, Any]:
    state: InstanceState[Any] = inspect(row)
    changes = _changes(state, kind)
    if kind == "changed" and changes and changes.keys() <= NOTES:
        kind = "notes"
    return {
        "id": uuid7(),
        "audit_entry_id": entry_id,
        "organization_id": row.id if isinstance(row, Organization) else _tenant_of(row),
        "entity_type": entity_type_of(type(row)),
        "entity_id": state.mapper.primary_key_from_instance(row)[-1],
        "kind": kind,
        "changes": changes,
    }


def _tenant_of(row: Any) -> UUID | None:
    """Return the organization of a row. Users have none."""
    tenant: UUID | None = getattr(row, "organization_id", None)
    return tenant


def _changes(state: InstanceState[Any], kind: Kind) -> dict[str, Change]:
    """Return changes by column. Columns that never had a value are skipped."""
    changes = {}
    for attribute in state.mapper.column_attrs:
        before, after = _values(state, attribute.key, kind)
        if before == after or attribute.key in STAMPS:
            continue
        column = attribute.columns[0]
        redact = redactor_of(column)
        changes[column.name] = {"from": redact(before), "to": redact(after)}
    return changes


def _values(state: InstanceState[Any], name: str, kind: Kind) -> tuple[Any, Any]:
    history = state.attrs[name].history
    if kind == "created":
        return None, state.dict.get(name)
    if kind == "deleted":
        return state.dict.get(name), None
    before = history.deleted[0] if history.deleted else None
    return (before, history.added[0]) if history.added else (None, None)


def _hidden(value: Any) -> Any:
    return None if value is None else HIDDEN


def _converter_of(name: str) -> Callable[[Any], Any]:
    return _notes if name == "readme" else _as_json


def _notes(text: str | None) -> Any:
    """Return version and length of notes, whose text is stored in one place only."""
    return {"version": readme_version(text), "length": len(text or "")}


def _as_json(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, UUID | Decimal):
        return str(value)
    if isinstance(value, list | tuple):
        return [_as_json(item) for item in value]
    if isinstance(value, dict):
        return {name: _as_json(item) for name, item in value.items()}
    return HIDDEN if isinstance(value, bytes) else value
