"""Who holds leases of account fetches and jobs: runs of Dagster and staying workers, by name.

A worker of schema 0078 that claims a row whose lease ran out leaves its former holder's name.
"""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import func, select, union_all
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.claims import LEASE
from warehouse.fetch_schedule.plan import lock_plan
from warehouse.operational.clock import clock_of_database
from warehouse.operational.leases import has_ended
from warehouse.operational.models import AccountFetch, ScrapeJob
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore

ENDS_WITHIN = timedelta(minutes=2)
"""How long a dead holder's leases still last at most. If they ended at once, a fetch that kills its
worker would be claimed first by each successor, and no other fetch would be made.
"""


class Leased(NamedTuple):
    """The number of account fetches and jobs that a holder has leased, and until when."""

    fetches: int
    until: datetime


def leased_by(session: Session) -> Mapping[str, Leased]:
    """Return what each holder has leased. A `tracker scrape` that does not stay has no name."""
    leased = union_all(
        *(
            select(table.lease_holder, table.lease_expires_at).where(
                table.lease_holder.is_not(None),
                ~has_ended(table.lease_expires_at, func.now(), LEASE),
            )
            for table in (ScrapeJob, AccountFetch)
        )
    ).subquery()
    holder, until = leased.c
    rows: Sequence[Any] = session.execute(
        select(holder, func.count(), func.max(until)).group_by(holder)
    ).all()
    return {holder: Leased(fetches, until) for holder, fetches, until in rows}


def end_leases(store: OperationalStore, holder: str) -> None:
    """End the leases of a holder whose process is gone, within ENDS_WITHIN.

    Its jobs and account fetches are then taken over one by one.
    """
    with store.write_session() as session:
        _end(session, ScrapeJob, holder)
    with store.write_session() as session:
        lock_plan(session)
        _end(session, AccountFetch, holder)


def _end(session: WriteSession, table: type[ScrapeJob | AccountFetch], holder: str) -> None:
    until = clock_of_database(session) + ENDS_WITHIN
    later = select(table).where(table.lease_holder == holder, table.lease_expires_at > until)
    in_order = later.order_by(*table.__table__.primary_key).with_for_update()
    rows: Iterable[Any] = session.scalars(in_order)
    for row in rows:
        row.lease_expires_at = until
