"""Checks the clocks of all machines against PostgreSQL's.

Pay depends on when a reading was captured, so a wrong clock of a worker would move money between
periods. A wrong clock of a builder would close a day before it is over.
"""

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


def refuse_wrong_dates(session: Session) -> None:
    """Raise WrongClockError before a wrong clock dates owners or statuses.

    TRACKER_NOW, if set, dates them instead.
    """
    if session.info.get("clock", system_clock) is system_clock:
        refuse_wrong_clock(session, BUILDERS_SKEW)


def business_time(settings: Settings, store: OperationalStore) -> datetime:
    """Return the as_of of a build. Raises WrongClockError, unless TRACKER_NOW or --as-of set it."""
    if settings.now is None:
        with store.read_session() as session:
            refuse_wrong_clock(session, BUILDERS_SKEW)
    return settings.clock()
