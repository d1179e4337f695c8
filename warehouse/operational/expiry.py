"""Deletes expired rows, a few at a time."""

from sqlalchemy import ColumnElement, delete, inspect, select, tuple_

from warehouse.operational.base import Base
from warehouse.operational.session import WriteSession

DELETED_AT_ONCE = 50
"""More than one write adds: if each write deletes this many, no expired rows pile up."""


def delete_expired(
    session: WriteSession,
    model: type[Base],
    *is_past: ColumnElement[bool],
    limit: int = DELETED_AT_ONCE,
) -> int:
    """Delete at most `limit` rows of an internal table. Returns their number.

    Locked rows are skipped. The rows are selected once, in a materialized table: PostgreSQL may
    evaluate a subquery with a limit for each row, with other results.
    """
    key = inspect(model).primary_key
    unlocked = select(*key).where(*is_past).limit(limit).with_for_update(skip_locked=True)
    past = unlocked.cte("past").prefix_with("materialized", dialect="postgresql")
    gone = session.execute(
        delete(model)
        .where(tuple_(*key).in_(select(*past.c)))
        .returning(*key)
        .execution_options(synchronize_session=False)
    )
    return len(gone.all())
