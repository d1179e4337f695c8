"""PostgreSQL's clock, by which the clocks of all machines are checked.

A reading pays by when it was captured, so a worker whose clock is wrong moves money between
periods.
"""

from datetime import UTC, datetime, timedelta

from sqlalchemy import func, select
from sqlalchemy.orm import Session

ALLOWED_SKEW = timedelta(seconds=5)
"""How far a worker's clock may be from PostgreSQL's."""


class WrongClockError(Exception):
    """This machine's clock is not PostgreSQL's. The message says by how much."""


def clock_of_database(session: Session) -> datetime:
    """Return the present instant by PostgreSQL's clock."""
    now: datetime = session.scalars(select(func.clock_timestamp())).one()
    return now


def clock_skew(session: Session) -> timedelta:
    """Return how far this machine's clock is ahead of PostgreSQL's at least (negative: behind)."""
    before = datetime.now(UTC)
    there = clock_of_database(session)
    after = datetime.now(UTC)
    return before - there if there < before else min(timedelta(), after - there)


def refuse_wrong_clock(session: Session, allowed: timedelta = ALLOWED_SKEW) -> None:
    """Raise WrongClockError where this machine's clock is too far from PostgreSQL's."""
    skew = clock_skew(session)
    if abs(skew) > allowed:
        side = "ahead of" if skew > timedelta() else "behind"
        raise WrongClockError(
            f"this machine's clock is {abs(skew).total_seconds():.0f} s {side} PostgreSQL's: "
            "nothing is done here until both agree (synchronize them, for example by chrony)"
        )
