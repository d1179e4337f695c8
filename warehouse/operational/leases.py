"""Queues of rows that processes claim under leases.

PostgreSQL's clock decides, whatever the machines' clocks show. No process waits for a row: those
that another transaction locks are skipped. A lease is identified by its end, which is later for
each new owner, so a process that lost its lease cannot write a result.
"""

from collections.abc import Collection, MutableMapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from itertools import takewhile
from typing import Any, Generic, TypeVar, TypeVarTuple
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Select, inspect, or_, select, tuple_
from sqlalchemy.orm import DeclarativeBase, InstrumentedAttribute

from warehouse.operational.clock import clock_of_database
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

CORRECTION = timedelta(minutes=1)
"""By how much PostgreSQL's clock may be set back without ending leases."""
FETCH_LEASE = timedelta(minutes=15)
"""For how long a killed worker keeps jobs and account fetches from others. A crawl extends leases
each minute, but not rows that a transaction has locked: LONGEST_IDLE is shorter.
"""
LONGEST_FETCH_LEASE = timedelta(minutes=45)
"""That of a worker of 2.0.0: one that ends later was written while PostgreSQL's clock was ahead."""
MACHINE_SECONDS = 60
"""How long a machine's lease lasts (warehouse.shards.lease)."""
LONGEST_MACHINE_SECONDS = MACHINE_SECONDS + CORRECTION.total_seconds()
"""One that ends later was written while PostgreSQL's clock was ahead: its holder may have ended."""

Row = TypeVar("Row", bound=DeclarativeBase)
Columns = TypeVarTuple("Columns")


def has_ended(
    ends: InstrumentedAttribute[Any], now: datetime | ColumnElement[datetime], longest: timedelta
) -> ColumnElement[bool]:
    """Match waits that have ended, or that were written while PostgreSQL's clock was ahead.

    Those end later than the `longest` one that begins now; zero if there is no limit.
    """
    ended = or_(ends.is_(None), ends <= now)
    return or_(ended, ends > now + longest + CORRECTION) if longest else ended


@dataclass(frozen=True, slots=True)
class Queue(Generic[Row]):
    """A table whose column `ends` has the end of each row's lease, null without one.

    A row whose lease has ended is free. `lasts` is for `lease` and `renew`. `attempts` is the
    column that counts claims, if any. `longest` is the longest wait if the column has others too.
    """

    table: type[Row]
    ends: InstrumentedAttribute[Any]
    lasts: timedelta = timedelta()
    attempts: InstrumentedAttribute[Any] | None = None
    longest: timedelta = timedelta()
    _renewing: MutableMapping[Row, set[datetime]] = field(default_factory=WeakKeyDictionary)
    """Ends of leases since the last renewal whose commit had an answer."""

    def is_free(self, now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
        return has_ended(self.ends, now, self.longest or self.lasts)

    def free(self, candidates: Select[*Columns], now: datetime) -> Select[*Columns]:
        """Select and lock the free ones of `candidates`, in their order.

        PostgreSQL repeats the conditions of the outermost query on a row that changed meanwhile.
        """
        free = candidates.where(self.is_free(now))
        return free.with_for_update(of=self.table, skip_locked=True)

    def lease(self, free: Sequence[Row], now: datetime) -> Sequence[Row]:
        """Lease the first of the rows that this transaction selected as free, and return them.

        One whose lease ran out is leased alone: it may be what ended its worker, and would end
        that of the rows beside it again.
        """
        rows = [*takewhile(lambda row: getattr(row, self.ends.key) is None, free)] or free[:1]
        for row in rows:
            setattr(row, self.ends.key, now + self.lasts)
            if self.attempts is not None:
                setattr(row, self.attempts.key, getattr(row, self.attempts.key) + 1)
        return rows

    def ours(
        self, session: WriteSession, rows: Collection[Row], *, skip_locked: bool = False
    ) -> Sequence[Row]:
        """Lock and return the claimed rows that no other process has claimed since."""
        return session.scalars(
            select(self.table)
            .where(self._are_ours(rows))
            .order_by(*inspect(self.table).primary_key)
            .with_for_update(skip_locked=skip_locked)
        ).all()

    def renew(self, store: OperationalStore, rows: Collection[Row]) -> list[Row]:
        """Extend the leases of those rows that are still ours; return the others.

        Locked ones are extended next time: waiting for them could deadlock. One that another
        process is claiming has a past end.
        """
        with store.write_session() as session:
            now = clock_of_database(session)
            until = now + self.lasts
            ours = self.ours(session, rows, skip_locked=True)
            for row in ours:
                setattr(row, self.ends.key, until)
            keys = {self._key(row) for row in ours}
            extended = [row for row in rows if self._key(row) in keys]
            for row in extended:
                self._renewing.setdefault(row, set()).add(until)
            leased = select(*inspect(self.table).primary_key).where(self._are_ours(rows))
            keys = {tuple(key) for key in session.execute(leased.where(self.ends > now))}
        for row in extended:
            setattr(row, self.ends.key, until)
            del self._renewing[row]
        return [row for row in rows if self._key(row) not in keys]

    def release(self, session: WriteSession, rows: Collection[Row]) -> Sequence[Row]:
        """End the leases of those rows that are still ours, and return them."""
        ours = self.ours(session, rows)
        for row in ours:
            setattr(row, self.ends.key, None)
        session.flush()
        return ours

    def _are_ours(self, rows: Collection[Row]) -> ColumnElement[bool]:
        leases = [(*self._key(row), end) for row in rows for end in self._ends(row)]
        return tuple_(*inspect(self.table).primary_key, self.ends).in_(leases)

    def _ends(self, row: Row) -> set[datetime | None]:
        return {getattr(row, self.ends.key), *self._renewing.get(row, ())}

    def _key(self, row: Row) -> tuple[Any, ...]:
        return tuple(inspect(self.table).primary_key_from_instance(row))
