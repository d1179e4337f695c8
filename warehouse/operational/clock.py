"""Checks the clocks of all machines against PostgreSQL's.

Pay depends on when a reading was captured, so a wrong clock of a worker would move money between
periods. A wrong clock of a builder would close a day before it is over.
"""

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.clock import system_clock
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

ALLOWED_SKEW = timedelta(seconds=5)
"""Maximal difference between a worker's clock and PostgreSQL's."""
BUILDERS_SKEW = timedelta(minutes=1)
"""The same of a builder: a day closes earlier or later by no more."""
_COMPARED_IN = "clocks_compared_in"
"""Key in a session's `info` of its latest transaction that compared clocks."""


class WrongClockError(Exception):
    """This machine's clock differs from PostgreSQL's. The message says by how much."""


def clock_of_database(session: Session) -> datetime:
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now


def clock_skew(session: Session) -> timedelta:
    """Return the least by which this machine's clock is ahead (negative: behind)."""
    before = datetime.now(UTC)
    there = clock_of_database(session)
    after = datetime.now(UTC)
    return before - there if there < before else min(timedelta(), after - there)


def refuse_wrong_clock(session: Session, allowed: timedelta = ALLOWED_SKEW) -> None:
    """Raise WrongClockError if this machine's clock differs too much from PostgreSQL's."""
    skew = clock_skew(session)
    if abs(skew) > allowed:
        side = "ahead of" if skew > timedelta() else "behind"
        raise WrongClockError(
            f"this machine's clock is {abs(skew).total_seconds():.0f} s {side} PostgreSQL's: "
            "synchronize both, for example with chrony, and start again"
        )


def booted_at() -> datetime:
    """Return when this machine booted by its clock: setting the clock moves it, sleep does not."""
    counts_sleep = getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC)  # the latter on macOS
    return datetime.now(UTC) - timedelta(seconds=time.clock_gettime(counts_sleep))


class ClockWatch:
    """Notices that this machine's clock is set, also if it is set right again soon."""

    def __init__(self) -> None:
        self._booted_at, self._was_set = booted_at(), False

    def note(self) -> datetime:
        at = booted_at()
        if abs(at - self._booted_at) > ALLOWED_SKEW:
            self._was_set = True
        return at

    def compare(self, compare_clocks: Callable[[], object]) -> None:
        """Raise WrongClockError if the clock was set since the last comparison, or is wrong."""
        at = self.note()
        if self._was_set:
            raise WrongClockError("this machine's clock was set: unlanded fetches are repeated")
        compare_clocks()
        self._booted_at = at


def refuse_wrong_dates(session: Session) -> None:
    """Raise WrongClockError before a wrong clock dates owners or statuses.

    Compares once per transaction. TRACKER_NOW, if set, dates them instead.
    """
    is_system = session.info.get("clock", system_clock) is system_clock
    if is_system and session.info.get(_COMPARED_IN, False) is not session.get_transaction():
        refuse_wrong_clock(session, BUILDERS_SKEW)
        session.info[_COMPARED_IN] = session.get_transaction()


def business_time(settings: Settings, store: OperationalStore) -> datetime:
    """Return the as_of of a build. Raises WrongClockError, unless TRACKER_NOW or --as-of set it."""
    if settings.now is None:
        with store.read_session() as session:
            refuse_wrong_clock(session, BUILDERS_SKEW)
    return settings.clock()
