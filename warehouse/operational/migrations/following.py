"""Creates the triggers of a table that the warehouse copies.

A revision that adds a table calls `note_changes` and `follow`; for a column it calls
`add_copied_column`. Never change what these functions create, because old revisions use them: add
other functions for other triggers. A test compares the columns with
`warehouse.catalogue.operational`.
"""

from collections.abc import Collection, Sequence
from typing import Any

import sqlalchemy as sa
from alembic import op

NAMED = sa.text("""
    select attname
    from pg_trigger
    cross join unnest(tgattr) with ordinality as named (number, place)
    join pg_attribute on attrelid = tgrelid and attnum = number
    where tgrelid = cast(:table as regclass) and tgname = :trigger
    order by place
""")
"""The columns that a trigger names."""


def note_changes(table: str, columns: Sequence[str]) -> None:
    """Make each write to one of the columns request a publication."""
    op.execute(
        "create trigger note_unpublished_change"
        f" after insert or delete or update of {', '.join(columns)}"
        f" on {table} for each statement execute function note_unpublished_change()"
    )


def follow(
    table: str, columns: Sequence[str], key: Sequence[str], *, generated: Collection[str] = ()
) -> None:
    """Record in each row the transaction that last wrote the columns, and record deleted rows.

    The table has the column `changed_by`. `generated` columns follow from others, and a trigger
    before a write may not read them.
    """
    compared = [column for column in columns if column not in generated]
    old_key, new_key = (_of_row(row, key) for row in ("old", "new"))
    _note_writer(table, compared)
    op.execute(
        f"create trigger refuse_another_key before update of {', '.join(key)} on {table}"
        f" for each row when (({old_key}) is distinct from ({new_key}))"
        " execute function refuse_another_key()"
    )
    op.execute(
        f"create trigger note_departures after delete on {table} referencing old table as gone"
        f" for each statement execute function note_departures('{', '.join(key)}')"
    )
    op.execute(
        f"create trigger note_emptied after truncate on {table}"
        " for each statement execute function note_emptied()"
    )


def add_copied_column(table: str, column: sa.Column[Any]) -> None:
    """Add a column to a copied table and to the triggers that name its columns."""
    noted, compared = (_columns(table, name) for name in ("note_unpublished_change", "note_writer"))
    op.add_column(table, column)
    op.execute(f"drop trigger note_unpublished_change on {table}")
    op.execute(f"drop trigger note_writer on {table}")
    note_changes(table, [*noted, column.name])
    _note_writer(table, [*compared, column.name])


def _columns(table: str, trigger: str) -> Sequence[str]:
    """Return the columns that a trigger names now: revisions must not use later models."""
    return op.get_bind().scalars(NAMED, {"table": table, "trigger": trigger}).all()


def _note_writer(table: str, columns: Sequence[str]) -> None:
    old, new = (_of_row(row, columns) for row in ("old", "new"))
    op.execute(
        f"create trigger note_writer before update of {', '.join(columns)} on {table}"
        f" for each row when (({old}) is distinct from ({new})) execute function note_writer()"
    )


def _of_row(row: str, columns: Sequence[str]) -> str:
    return ", ".join(f"{row}.{column}" for column in columns)
