"""Pauses that platforms requested: until they end, queued jobs start no crawl.

Each public address has its own (TRACKER_SCRAPE_EGRESS). They are rows of `leases`, by PostgreSQL's
clock.
"""

from datetime import datetime, timedelta

from sqlalchemy import ColumnElement, case, exists, func, select
from sqlalchemy.dialects.postgresql import insert
from sqlalchemy.orm import Session

from warehouse.operational.leases import CORRECTION, has_ended
from warehouse.operational.models import HostPace, Lease
from warehouse.operational.store import OperationalStore

LONGEST_PAUSE = timedelta(hours=1)
"""Longest wait of a job for a platform."""


def note_pause(store: OperationalStore, egress: str, platform: str, seconds: float | None) -> None:
    """Note that a platform pauses for an address, for LONGEST_PAUSE at most; None: it does not.

    A longer one that another process noted stays.
    """
    if seconds is None:
        return
    ends = func.clock_timestamp() + min(timedelta(seconds=seconds), LONGEST_PAUSE)
    values = {"name": _name_of(egress, platform), "holder": egress, "expires_at": ends}
    is_over = has_ended(Lease.expires_at, func.clock_timestamp(), LONGEST_PAUSE)
    last = case((is_over, ends), else_=func.greatest(Lease.expires_at, ends))
    row = insert(Lease).values(fence=1, **values)
    longer = row.on_conflict_do_update(index_elements=[Lease.name], set_={"expires_at": last})
    with store.write_session() as session:
        session.execute(longer)


def is_paused(egress: str, platform: str) -> ColumnElement[bool]:
    """Match while a platform pauses for an address."""
    is_over = has_ended(Lease.expires_at, func.now(), LONGEST_PAUSE)
    return exists().where(Lease.name == _name_of(egress, platform), ~is_over)


def paused_hosts(session: Session) -> dict[str, datetime]:
    """Return until when hosts requested a pause, known as soon as a worker was told so.

    It is the latest end for any address (UTC).
    """
    until = func.to_timestamp(HostPace.state["paused_until"].as_float())
    is_paused_now = until.between(func.now(), func.now() + LONGEST_PAUSE + CORRECTION)
    ends = (
        select(HostPace.host, func.max(until).label("end"))
        .where(is_paused_now)
        .group_by(HostPace.host)
    )
    return {row.host: row.end for row in session.execute(ends.order_by(HostPace.host))}


def _name_of(egress: str, platform: str) -> str:
    return f"pause {platform} {egress}"
