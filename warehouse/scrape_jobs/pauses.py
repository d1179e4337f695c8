"""Pauses that platforms requested: until they end, queued jobs start no crawl.

Each public address has its own (TRACKER_SCRAPE_EGRESS). They are rows of `leases`, by PostgreSQL's
clock.
"""

from datetime import timedelta

from sqlalchemy import ColumnElement, exists, func
from sqlalchemy.dialects.postgresql import insert

from warehouse.operational.leases import has_ended
from warehouse.operational.models import Lease
from warehouse.operational.store import OperationalStore

LONGEST_PAUSE = timedelta(hours=1)
"""Longest wait of a job for a platform."""


def note_pause(store: OperationalStore, egress: str, platform: str, seconds: float | None) -> None:
    """Note that a platform pauses for an address, for LONGEST_PAUSE at most; None: it does not."""
    if seconds is None:
        return
    length = min(timedelta(seconds=seconds), LONGEST_PAUSE)
    pause = {"holder": egress, "expires_at": func.clock_timestamp() + length}
    row = insert(Lease).values(name=_name_of(egress, platform), fence=1, **pause)
    with store.write_session() as session:
        session.execute(row.on_conflict_do_update(index_elements=[Lease.name], set_=pause))


def is_paused(egress: str, platform: str) -> ColumnElement[bool]:
    """Match while a platform pauses for an address."""
    is_over = has_ended(Lease.expires_at, func.now(), LONGEST_PAUSE)
    return exists().where(Lease.name == _name_of(egress, platform), ~is_over)


def _name_of(egress: str, platform: str) -> str:
    return f"pause {platform} {egress}"
