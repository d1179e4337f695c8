"""Stored simulations and their results as rows: by creator, period or video.

Expired simulations are absent, whether or not they were deleted yet. Creators are in the order
of the request, their periods by time. Rows are numbered from 0 and never change once a
simulation succeeded. Every statement names the organization.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select, func, literal, select
from sqlalchemy.orm import InstrumentedAttribute, Session, undefer
from sqlalchemy.sql.base import ExecutableOption

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.payouts.simulation_jobs.schemas import (
    CreatorRow,
    PeriodRow,
    Row,
    VideoRow,
)
from serving_api.resources.payouts.simulations.presenter import ABOUT, sums_of
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


PeriodFields = Mapping[str, Any]
"""A period as the answer of a small simulation has it."""

_WITH_PERIODS = (undefer(PayoutSimulationCreator.told),)


@dataclass(frozen=True, slots=True)
class Rows:
    """A form of a result: its number of rows, each creator's share of them, and their content."""

    schema: type[BaseModel]
    total: Callable[[PayoutSimulation], int]
    before: InstrumentedAttribute[int]
    own: ColumnElement[int]
    of: Callable[[PayoutSimulation, PayoutSimulationCreator], Sequence[Row]]
    options: Sequence[ExecutableOption] = _WITH_PERIODS

    def between(
        self, session: Session, simulation: PayoutSimulation, first: int, last: int
    ) -> list[Row]:
        """Return the rows numbered from `first` to below `last`."""
        creators = creators_between(
            session, simulation, (self.before, self.own), (first, last), self.options
        )
        if not creators:
            return []
        skipped = max(first - getattr(creators[0], self.before.key), 0)
        rows = [row for creator in creators for row in self.of(simulation, creator)]
        return rows[skipped : skipped + last - first]


def rows_by_video(periods: Sequence[PeriodFields]) -> Iterator[dict[str, Any]]:
    """Yield each post's part of a creator's periods."""
    for period in periods:
        simulated, in_force = (_parts(period[name]) for name in ("simulated", "in_force"))
        for video_id in {**simulated, **in_force}:
            new, paid = simulated.get(video_id, {}), in_force.get(video_id, {})
            yield {
                **{name: period[name] for name in ABOUT},
                "video_id": video_id,
                "simulated_views": new.get("views"),
                "simulated_cents": new.get("amount_cents"),
                "in_force_views": paid.get("views"),
                "in_force_cents": paid.get("amount_cents"),
            }


def _parts(amount: PeriodFields | None) -> Mapping[str | None, PeriodFields]:
    return {part["video_id"]: part for part in amount["videos"]} if amount else {}


def _by_creator(simulation: PayoutSimulation, creator: PayoutSimulationCreator) -> Sequence[Row]:
    sums = sums_of(
        creator.simulated_cents, creator.in_force_cents, is_new=simulation.structure_id is None
    )
    return [CreatorRow(creator_id=creator.creator_id, held_cents=creator.held_cents, **sums)]


def _by_period(_: PayoutSimulation, creator: PayoutSimulationCreator) -> Sequence[Row]:
    return [
        PeriodRow.model_validate({"creator_id": creator.creator_id, **period})
        for period in creator.told
    ]


def _by_video(_: PayoutSimulation, creator: PayoutSimulationCreator) -> Sequence[Row]:
    return [VideoRow(creator_id=creator.creator_id, **row) for row in rows_by_video(creator.told)]


BY: Mapping[str, Rows] = {
    "creator": Rows(
        CreatorRow,
        lambda simulation: simulation.creators_done,
        PayoutSimulationCreator.position,
        literal(1),
        _by_creator,
        options=(),
    ),
    "period": Rows(
        PeriodRow,
        lambda simulation: simulation.periods,
        PayoutSimulationCreator.periods_before,
        PayoutSimulationCreator.periods.expression,
        _by_period,
    ),
    "video": Rows(
        VideoRow,
        lambda simulation: simulation.videos,
        PayoutSimulationCreator.videos_before,
        PayoutSimulationCreator.videos.expression,
        _by_video,
    ),
}
