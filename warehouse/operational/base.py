"""The base of all operational tables: naming, ids, and timestamps in business time."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, DateTime, FetchedValue, MetaData, event, text
from sqlalchemy.engine import Connection
from sqlalchemy.orm import DeclarativeBase, Mapped, Mapper, Session, mapped_column, object_session

from warehouse.clock import Clock, system_clock
from warehouse.ids import uuid7

NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """Declarative base. Every datetime is `timestamptz`."""

    metadata = MetaData(naming_convention=NAMING)
    type_annotation_map = {datetime: DateTime(timezone=True)}  # noqa: RUF012


class Identified:
    """A UUIDv7 primary key, generated in Python."""

    id: Mapped[UUID] = mapped_column(primary_key=True, default=uuid7, sort_order=-10)


class Noted:
    """Markdown notes of an entity, and when they were last written (null: never)."""

    readme: Mapped[str | None] = mapped_column(sort_order=80)
    readme_updated_at: Mapped[datetime | None] = mapped_column(sort_order=81)


class Unlogged:
    """Rows without change log: they are history themselves, or internal."""


THIS_TRANSACTION = text("pg_current_xact_id()::text::bigint")
"""The id of the writing transaction: PostgreSQL's xid8, which never wraps around."""


class Followed:
    """Rows that the warehouse copies incrementally.

    `changed_by` is the transaction that last wrote a copied column, or one that the fetch schedule
    uses; a trigger sets it for every writer. Deleted rows leave a Departure, and keys never change.
    """

    changed_by: Mapped[int] = mapped_column(
        BigInteger,
        server_default=THIS_TRANSACTION,
        server_onupdate=FetchedValue(),
        index=True,
        sort_order=95,
    )


SECRET = {"secret": True}
"""`info` of a column whose value must not appear in logs."""


class Timestamped:
    """Timestamps in business time, by the session's clock `session.info["clock"]`."""

    created_at: Mapped[datetime] = mapped_column(sort_order=90)
    updated_at: Mapped[datetime] = mapped_column(sort_order=91)


def business_now(session: Session) -> datetime:
    """Return business time by the session's clock (default: the system's)."""
    clock: Clock = session.info.get("clock", system_clock)
    return clock()


@contextmanager
def business_time(session: Session, instant: datetime | None) -> Iterator[datetime]:
    """Fix business time in the block, by default to the present instant, which is yielded."""
    clock: Clock = session.info.get("clock", system_clock)
    pinned = instant or clock()
    session.info["clock"] = lambda: pinned
    try:
        yield pinned
    finally:
        session.info["clock"] = clock


@event.listens_for(Timestamped, "before_insert", propagate=True)
def _stamp_insert(_mapper: Mapper[Timestamped], _connection: Connection, row: Timestamped) -> None:
    now = business_now(_session_of(row))
    row.created_at = row.created_at or now
    row.updated_at = row.updated_at or now


@event.listens_for(Timestamped, "before_update", propagate=True)
def _stamp_update(_mapper: Mapper[Timestamped], _connection: Connection, row: Timestamped) -> None:
    session = _session_of(row)
    # Also called for rows whose assigned values are unchanged.
    if session.is_modified(row):
        row.updated_at = business_now(session)


def _session_of(row: Timestamped) -> Session:
    session = object_session(row)
    if session is None:
        raise RuntimeError(f"{row!r} is written outside of a session")
    return session
