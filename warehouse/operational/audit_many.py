"""Writes many rows with their change log lines in two statements.

For writes that would be too slow as objects: 10,000 rows take 0.5 s instead of 1.5 s.
"""

from collections.abc import Collection, Sequence
from itertools import repeat
from typing import Any, NamedTuple
from uuid import UUID

from sqlalchemy import ARRAY, bindparam, delete, func, inspect, literal, update

from warehouse.operational.audit import NOTED, STAMPS, Kind, Noting, note, redactor_of
from warehouse.operational.base import Base, business_now
from warehouse.operational.inserting import Row, insert_rows, with_defaults
from warehouse.operational.models import Account, ScrapeJob, TagItem, Video
from warehouse.operational.session import WriteSession


def change_many(
    session: WriteSession,
    model: type[Account] | type[Video],
    ids: Collection[UUID],
    *,
    organization_id: UUID,
    column: str,
    before: Any,
    after: Any,
) -> None:
    """Set a column of many rows of one organization.

    The caller guarantees that all of them had the value `before`.
    """
    values: dict[str, Any] = {column: after, "updated_at": business_now(session)}
    rows = update(model).where(model.organization_id == organization_id, model.id.in_(ids))
    session.execute(rows.values(values).execution_options(**{NOTED: True}))
    redact = redactor_of(model.__table__.c[column])
    changes = {column: {"from": redact(before), "to": redact(after)}}
    note(session, model, "changed", [Noting(organization_id, row_id, changes) for row_id in ids])


class Move(NamedTuple):
    """A row's id, and the old and new value of a column."""

    id: UUID
    before: Any
    after: Any


def change_each(
    session: WriteSession,
    model: type[Video],
    moves: Sequence[Move],
    *,
    organization_id: UUID,
    column: str,
) -> None:
    """Set a column of many rows of one organization, each to its own value.

    The caller guarantees the old values.
    """
    moves = [move for move in moves if move.before != move.after]
    table = model.__table__
    types = (table.c.id.type, table.c[column].type)
    lists = ([move.id for move in moves], [move.after for move in moves])
    arrays = [literal(values, ARRAY(kind)) for values, kind in zip(lists, types, strict=True)]
    new = func.unnest(*arrays).table_valued("id", "value").render_derived()
    rows = update(model).where(model.organization_id == organization_id, model.id == new.c.id)
    values: dict[str, Any] = {column: new.c.value, "updated_at": business_now(session)}
    session.execute(
        rows.values(values).execution_options(**{NOTED: True, "synchronize_session": False})
    )
    redact = redactor_of(table.c[column])
    changes = [{column: {"from": redact(move.before), "to": redact(move.after)}} for move in moves]
    ids = [move.id for move in moves]
    note(session, model, "changed", map(Noting, repeat(organization_id), ids, changes))


def insert_many(
    session: WriteSession,
    model: type[Account] | type[ScrapeJob] | type[TagItem],
    rows: Sequence[Row],
) -> None:
    """Insert rows with the same columns; the model's defaults complete them."""
    if rows:
        session.flush()
        rows = with_defaults(session, model, rows)
        insert_rows(session, model, rows)
        _note_whole(session, model, "created", rows)


def delete_many(session: WriteSession, model: type[TagItem], rows: Sequence[Row]) -> None:
    key = [column.name for column in inspect(model).primary_key]
    if rows:
        is_row = [model.__table__.c[name] == bindparam(f"key_{name}") for name in key]
        keys = [{f"key_{name}": row[name] for name in key} for row in rows]
        session.connection().execute(delete(model).where(*is_row), keys)
        _note_whole(session, model, "deleted", rows)


def _note_whole(session: WriteSession, model: type[Base], kind: Kind, rows: Sequence[Row]) -> None:
    side, other = ("to", "from") if kind == "created" else ("from", "to")
    redact = {column.name: redactor_of(column) for column in inspect(model).columns}
    key = inspect(model).primary_key[-1].name
    note(
        session,
        model,
        kind,
        [
            Noting(
                row["organization_id"],
                row[key],
                {
                    name: {side: redact[name](value), other: None}
                    for name, value in row.items()
                    if value is not None and name not in STAMPS
                },
            )
            for row in rows
        ],
    )
