"""The audit log and the change log: written in the transaction of what they tell of.

`recorded` is the one door: whatever ORM rows its block flushes are noted, one line for each, with
one entry for the whole. Statements that change rows behind the ORM's back would escape it and are
refused there; those of `audit_many` tell. Rows that are Unlogged are left out, columns that are
SECRET only named. Reading both logs is `audit_reading`'s.
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
"""Execution option of a statement that tells of its rows itself."""


class Noting(NamedTuple):
    """What the change log says of one row, beside what is the same for all of a statement's."""

    organization_id: UUID
    entity_id: UUID
    changes: dict[str, Change]


class EscapesChangeLogError(RuntimeError):
    """A statement would change rows without the change log's knowing: a fault of ours."""


@dataclass(frozen=True, kw_only=True)
class AuditEvent:
    """Who did what, through which door. `ids` name what it was asked of, by parameter."""

    channel: Channel
    action: str
    organization_id: UUID | None = None
    user_id: UUID | None = None
    api_key_id: UUID | None = None
    request_id: str | None = None
    ids: Mapping[str, str]


@contextmanager
def recorded(session: WriteSession, audit_event: Callable[[], AuditEvent]) -> Iterator[None]:
    """Record what the block writes, then the audit event; a block that raises leaves nothing.

    `audit_event` is called at the end, when everything of it is known.
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
    """Return the name of a model's rows in the logs: `ApiKey` is `api_key`."""
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
    """Return what the log may show of a column's values, as JSON."""
    return _hidden if column.info.get("secret") else _converter_of(column.key)


@event.listens_for(WriteSession, "after_flush")
def _note_flushed(session: WriteSession, _context: UOWTransaction) -> None:
    """Write what was flushed beside it, so that a savepoint takes back both."""
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
    """Raise for a statement that would change logged rows without their lines."""
    is_exempt = state.is_select or NOTED in state.execution_options
    if _ENTRY not in state.session.info or is_exempt or state.bind_mapper is None:
        return
    model = state.bind_mapper.class_
    if not issubclass(model, Unlogged):
        raise EscapesChangeLogError(f"write {model.__name__} rows one by one, or they go unnoted")


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
    """Return whose a row is; a user is nobody's."""
    tenant: UUID | None = getattr(row, "organization_id", None)
    return tenant


def _changes(state: InstanceState[Any], kind: Kind) -> dict[str, Change]:
    """Return what changed, by column. What was never given a value is left out."""
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
    """Return the version and length of notes: texts are kept in one place only."""
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
