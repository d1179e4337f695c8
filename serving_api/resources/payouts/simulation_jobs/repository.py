"""SQL of stored simulations. Every statement names the organization.

Expired simulations are absent, whether or not they were deleted yet.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from sqlalchemy import ColumnElement, Select, func, select
from sqlalchemy.orm import InstrumentedAttribute, Session
from sqlalchemy.sql.base import ExecutableOption

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from warehouse.amounts import bounded_cents
from warehouse.operational.models import PayoutSimulation, PayoutSimulationCreator
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(PayoutSimulation.created_at, PayoutSimulation.id, "payout-simulations")


def of_organization(organization_id: UUID, now: datetime) -> Select[PayoutSimulation]:
    """Select the simulations of an organization; `now` is the real time."""
    return rows_of(PayoutSimulation, organization_id).where(PayoutSimulation.expires_at > now)


def find(
    session: Session, organization_id: UUID, simulation_id: UUID, now: datetime
) -> PayoutSimulation | None:
    """Return the simulation, or None if it is absent or belongs to another organization."""
    own = of_organization(organization_id, now)
    return session.scalar(own.where(PayoutSimulation.id == simulation_id))


def lock(
    session: WriteSession, organization_id: UUID, simulation_id: UUID, now: datetime
) -> PayoutSimulation | None:
    """Return the simulation locked for update, or None as in `find`."""
    own = of_organization(organization_id, now)
    return session.scalar(own.where(PayoutSimulation.id == simulation_id).with_for_update())


def count(session: Session, organization_id: UUID, now: datetime) -> tuple[int, int]:
    """Return how many simulations an organization has, and how many are unfinished."""
    under_way = PayoutSimulation.status.in_(("queued", "running"))
    counted = of_organization(organization_id, now).with_only_columns(
        func.count(), func.count().filter(under_way)
    )
    there, unfinished = session.execute(counted).one()
    return there, unfinished


def creators_between(
    session: Session,
    simulation: PayoutSimulation,
    numbers: tuple[InstrumentedAttribute[int], ColumnElement[int]],
    bounds: tuple[int, int],
    options: Sequence[ExecutableOption],
) -> Sequence[PayoutSimulationCreator]:
    """Return the creators with rows numbered from the first bound to below the last.

    `numbers` are the rows of all creators before one, and its own rows. The simulation was found
    as the organization's.
    """
    (before, rows), (first, last) = numbers, bounds
    statement = select(PayoutSimulationCreator).where(
        PayoutSimulationCreator.simulation_id == simulation.id, before < last, before + rows > first
    )
    in_order = statement.order_by(PayoutSimulationCreator.position).options(*options)
    return session.scalars(in_order).all()


def cents_on_hold(session: Session, simulation: PayoutSimulation) -> int | None:
    """Return the cents that would be on hold, or None if unknown for a creator."""
    cents = PayoutSimulationCreator.held_cents
    summed = select(func.sum(cents), func.count(cents)).where(
        PayoutSimulationCreator.simulation_id == simulation.id
    )
    total, known = session.execute(summed).one()
    return bounded_cents(int(total or 0)) if known == simulation.creators_done else None
