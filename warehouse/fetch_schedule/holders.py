"""Who holds leases of account fetches and jobs: runs of Dagster and staying workers, by name."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import and_, func, select, update
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.claims import is_under_way
from warehouse.fetch_schedule.plan import lock_plan
from warehouse.operational.models import AccountFetch, ScrapeJob
from warehouse.operational.store import OperationalStore


class Leased(NamedTuple):
    """The number of account fetches that a holder has leased, and until when."""

    fetches: int
    until: datetime


def leased_by(session: Session) -> Mapping[str, Leased]:
    """Return what each holder has leased. A `tracker scrape` that does not stay has no name."""
    rows: Sequence[Any] = session.execute(
        select(AccountFetch.lease_holder, func.count(), func.max(AccountFetch.lease_expires_at))
        .where(is_under_way(), AccountFetch.lease_holder.is_not(None))
        .group_by(AccountFetch.lease_holder)
    ).all()
    return {holder: Leased(fetches, until) for holder, fetches, until in rows}


def end_leases(store: OperationalStore, holder: str) -> None:
    """End the leases of a holder whose process is gone.

    Its jobs and account fetches are taken over one by one.
    """
    with store.write_session() as session:
        of_holder = and_(ScrapeJob.status == "running", ScrapeJob.lease_holder == holder)
        jobs = select(ScrapeJob).where(of_holder).order_by(ScrapeJob.id).with_for_update()
        for job in session.scalars(jobs):
            job.lease_expires_at, job.lease_holder = func.now(), None
    with store.write_session() as session:
        lock_plan(session)
        session.execute(
            update(AccountFetch)
            .where(AccountFetch.lease_holder == holder)
            .values(
                lease_expires_at=func.least(AccountFetch.lease_expires_at, func.now()),
                lease_holder=None,
            )
        )
