"""The triggers of a table that the warehouse copies: a revision that adds one calls both of these.

What they make stays as it is, since revisions that ran used them: other triggers are other
functions. A test compares the columns with `warehouse.catalogue.operational`.
"""

from collections.abc import Collection, Sequence

from alembic import op


def note_changes(table: str, columns: Sequence[str]) -> None:
    """Have a write to any of the columns ask for a publication that shows it."""
    op.execute(
        "create trigger note_unpublished_change"
        f" after insert or delete or update of {', '.join(columns)}"
        f" on {table} for each statement execute function note_unpublished_change()"
    )


def follow(
    table: str, columns: Sequence[str], key: Sequence[str], *, generated: Collection[str] = ()
) -> None:
    """Have rows say which transaction wrote the columns last, and note which rows go.

    The table has the column `changed_by`. `generated` columns follow from others: a trigger that
    comes before a write may not ask for them.
    """
    compared = [column for column in columns if column not in generated]
    old, new, old_key, new_key = (
        ", ".join(f"{row}.{column}" for column in names)
        for names in (compared, key)
        for row in ("old", "new")
    )
    op.execute(
        f"create trigger note_writer before update of {', '.join(compared)} on {table}"
        f" for each row when (({old}) is distinct from ({new})) execute function note_writer()"
    )
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
