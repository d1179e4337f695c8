"""Writing many rows at once, each with its line in the change log: two statements.

For what would take too long as objects: 10,000 of those take a second and a half, these half a one.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from sqlalchemy import bindparam, delete, insert, inspect, update

from warehouse.operational.audit import NOTED, STAMPS, Kind, Noting, note, shown_by
from warehouse.operational.base import Base, business_now
from warehouse.operational.models import Account, TagItem, Video
from warehouse.operational.session import WriteSession

Row = Mapping[str, Any]
"""All columns of a row, by name."""


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

    That all of them had the value `before` is the caller's to know.
    """
    values: dict[str, Any] = {column: after, "updated_at": business_now(session)}
    rows = update(model).where(model.organization_id == organization_id, model.id.in_(ids))
    session.execute(rows.values(values).execution_options(**{NOTED: True}))
    shown = shown_by(model.__table__.c[column])
    changes = {column: {"from": shown(before), "to": shown(after)}}
    note(session, model, "changed", [Noting(organization_id, one, changes) for one in ids])


def insert_many(session: WriteSession, model: type[TagItem], rows: Sequence[Row]) -> None:
    """Insert rows that all have the same columns."""
    if rows:
        session.connection().execute(insert(model), rows)
        _note_whole(session, model, "created", rows)


def delete_many(session: WriteSession, model: type[TagItem], rows: Sequence[Row]) -> None:
    """Delete rows, known as they are."""
    key = [column.name for column in inspect(model).primary_key]
    if rows:
        is_row = [model.__table__.c[name] == bindparam(f"key_{name}") for name in key]
        keys = [{f"key_{name}": row[name] for name in key} for row in rows]
        session.connection().execute(delete(model).where(*is_row), keys)
        _note_whole(session, model, "deleted", rows)


def _note_whole(session: WriteSession, model: type[Base], kind: Kind, rows: Sequence[Row]) -> None:
    side, other = ("to", "from") if kind == "created" else ("from", "to")
    shown = {column.name: shown_by(column) for column in inspect(model).columns}
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
                    name: {side: shown[name](value), other: None}
                    for name, value in row.items()
                    if value is not None and name not in STAMPS
                },
            )
            for row in rows
        ],
    )
