"""Deleting rows that are past their time: each write that adds such rows deletes a few of them."""

from sqlalchemy import ColumnElement, delete, inspect, select, tuple_

from warehouse.operational.base import Base
from warehouse.operational.session import WriteSession

SWEPT_AT_ONCE = 50


def sweep(session: WriteSession, model: type[Base], *is_past: ColumnElement[bool]) -> None:
    """Delete a few rows of a bookkeeping table: more than one write adds, so none stay.

    What somebody else holds at this moment is left to the next write.
    """
    key = inspect(model).primary_key
    past = select(*key).where(*is_past).limit(SWEPT_AT_ONCE).with_for_update(skip_locked=True)
    session.execute(
        delete(model).where(tuple_(*key).in_(past)).execution_options(synchronize_session=False)
    )
