"""Deleting rows that are past their time, a few at once."""

from sqlalchemy import ColumnElement, delete, inspect, select, tuple_

from warehouse.operational.base import Base
from warehouse.operational.session import WriteSession

DELETED_AT_ONCE = 50
"""More than one write adds: if each deletes as many, no expired rows stay."""


def delete_expired(
    session: WriteSession,
    model: type[Base],
    *is_past: ColumnElement[bool],
    limit: int = DELETED_AT_ONCE,
) -> int:
    """Delete at most `limit` rows of a bookkeeping table; return how many.

    What somebody else holds at this moment is left to the next time. Which rows go is asked once,
    in a table of its own: a subquery with a limit may be asked anew for each row, and gives others.
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
