"""Queue of simulations: a worker claims one under a lease and stores its results.

Leases and expiry use the real clock. A lease is identified by its end: results that arrive after
it ended, or after the simulation was deleted, are discarded.
"""

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

from sqlalchemy import (
    ColumnElement,
    ScalarSelect,
    and_,
    case,
    delete,
    exists,
    func,
    literal_column,
    or_,
    select,
    update,
)
from sqlalchemy.orm import aliased

from serving_api.resources.payouts.simulation_jobs import repository
from serving_api.resources.payouts.simulation_jobs.repository import rows_by_video
from serving_api.resources.payouts.simulations.schemas import CreatorSimulation
from warehouse.amounts import bounded_cents
from warehouse.operational.base import business_now
from warehouse.operational.expiry import delete_expired
from warehouse.operational.models import PayoutSimulation, PayoutSimulationCreator
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.publication.info import PublicationInfo

LEASE = timedelta(minutes=3)
"""Much longer than a slice of creators takes."""
MOST_ATTEMPTS = 5
NEVER_FINISHED = f"the computation made no progress in {MOST_ATTEMPTS} attempts"
FOREVER: ColumnElement[datetime] = literal_column("timestamptz 'infinity'")
DELETED_AT_ONCE = 1
"""Each may have thousands of rows."""


class Lost(Exception):  # noqa: N818 (reads as what happened)
    """The lease was lost to another worker, or the simulation was deleted."""


def tidy(store: OperationalStore) -> None:
    """Delete an expired simulation, and fail those that used all attempts."""
    now = datetime.now(UTC)
    with store.write_session() as session:
        delete_expired(
            session, PayoutSimulation, PayoutSimulation.expires_at <= now, limit=DELETED_AT_ONCE
        )
        session.execute(
            update(PayoutSimulation)
            .where(
                PayoutSimulation.status == "running",
                PayoutSimulation.attempts >= MOST_ATTEMPTS,
                PayoutSimulation.lease_expires_at < now,
            )
            .values(status="failed", error=NEVER_FINISHED, finished_at=business_now(session))
        )


def claim(store: OperationalStore) -> "Claim | None":
    """Claim a waiting simulation for LEASE, or return None.

    Takes the oldest of the organization that was served least recently.
    """
    now = datetime.now(UTC)
    waiting = (
        select(PayoutSimulation)
        .where(_waits(now))
        .order_by(
            func.coalesce(_last_served(now), PayoutSimulation.created_at),
            PayoutSimulation.created_at,
            PayoutSimulation.id,
        )
        .limit(1)
        .with_for_update(skip_locked=True)
    )
    with store.write_session() as session:
        row = session.scalar(waiting)
        if row is None:
            return None
        row.status = "running"
        row.attempts += 1
        row.started_at = row.started_at or business_now(session)
        row.lease_expires_at = now + LEASE
    return Claim(store, row)


def _waits(now: datetime) -> ColumnElement[bool]:
    """Return the condition that a simulation is queued, or lost by its worker."""
    lost = and_(PayoutSimulation.status == "running", PayoutSimulation.lease_expires_at < now)
    return and_(
        or_(PayoutSimulation.status == "queued", lost),
        PayoutSimulation.attempts < MOST_ATTEMPTS,
        PayoutSimulation.expires_at > now,
    )


def _last_served(now: datetime) -> ScalarSelect[datetime]:
    """Return when a simulation's organization was last served, null if never.

    An organization never served is ordered by its request time, so that deleting results gains
    nothing.
    """
    own = aliased(PayoutSimulation)
    is_under_way = and_(own.status == "running", own.lease_expires_at >= now)
    until = case((is_under_way, FOREVER), (own.started_at.is_not(None), own.updated_at))
    same = own.organization_id == PayoutSimulation.organization_id
    return select(func.max(until)).where(same).correlate(PayoutSimulation).scalar_subquery()


class Claim:
    """A simulation that this worker computes; `row` is as last written."""

    def __init__(self, store: OperationalStore, row: PayoutSimulation) -> None:
        self._store = store
        self.row = row

    def begin(self, info: PublicationInfo) -> None:
        """Record the publication it is computed over; start again if it was another.

        Raises Lost.
        """
        if self.row.publication_id == info.publication_id:
            return
        with self._store.write_session() as session:
            row = self._begun_again(session)
            row.publication_id, row.as_of = info.publication_id, info.as_of

    def begin_by(self, decisions: str) -> None:
        """Record the decisions it is computed by, and start from the first creator. Raises Lost.

        All creators of one sum are paid by the same rules.
        """
        with self._store.write_session() as session:
            self._begun_again(session).decisions = decisions

    def _begun_again(self, session: WriteSession) -> PayoutSimulation:
        row, results = self._lock(session), PayoutSimulationCreator
        session.execute(delete(results).where(results.simulation_id == row.id))
        row.creators_done = row.periods = row.videos = 0
        row.simulated_cents = row.in_force_cents = 0
        return row

    def store(self, simulated: Sequence[CreatorSimulation]) -> None:
        """Store the results of the next creators. Raises Lost."""
        with self._store.write_session() as session:
            row = self._lock(session)
            for of_creator in simulated:
                session.add(_next(row, of_creator))
            row.attempts = 0

    def gives_way(self) -> bool:
        """Give up the lease if another organization waits, and return whether it did. Raises Lost.

        The status stays `running`. A worker of any version continues a simulation without a lease.
        """
        now = datetime.now(UTC)
        others = PayoutSimulation.organization_id != self.row.organization_id
        with self._store.write_session() as session:
            if not session.scalar(select(exists().where(_waits(now), others))):
                return False
            self._lock(session).lease_expires_at = now - LEASE
        return True

    def end(self, error: str | None = None) -> None:
        """Mark it as succeeded, or as failed with a reason. Raises Lost."""
        with self._store.write_session() as session:
            row = self._lock(session)
            row.status, row.error = ("failed", error) if error else ("succeeded", None)
            row.finished_at, row.lease_expires_at = business_now(session), None
            row.held_cents = repository.cents_on_hold(session, row)

    def _lock(self, session: WriteSession) -> PayoutSimulation:
        """Return the row locked for update, with a renewed lease. Raises Lost."""
        row = session.scalar(
            select(PayoutSimulation)
            .where(
                PayoutSimulation.id == self.row.id,
                PayoutSimulation.lease_expires_at == self.row.lease_expires_at,
            )
            .with_for_update()
        )
        if row is None:
            raise Lost
        row.lease_expires_at = datetime.now(UTC) + LEASE
        self.row = row
        return row


def _next(row: PayoutSimulation, simulated: CreatorSimulation) -> PayoutSimulationCreator:
    """Return the next creator's result row, and add it to the simulation's sums."""
    periods = [period.model_dump(mode="json") for period in simulated.periods]
    result = PayoutSimulationCreator(
        simulation_id=row.id,
        position=row.creators_done,
        creator_id=simulated.creator_id,
        simulated_cents=simulated.simulated_cents,
        in_force_cents=simulated.in_force_cents or 0,
        held_cents=simulated.held_cents,
        periods_before=row.periods,
        periods=len(periods),
        videos_before=row.videos,
        videos=sum(1 for _ in rows_by_video(periods)),
        told=periods,
    )
    row.creators_done += 1
    row.periods += result.periods
    row.videos += result.videos
    row.simulated_cents = bounded_cents(row.simulated_cents + result.simulated_cents)
    row.in_force_cents = bounded_cents(row.in_force_cents + result.in_force_cents)
    return result
