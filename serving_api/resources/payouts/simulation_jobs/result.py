"""Results of a simulation as rows: by creator, period or video.

Creators are in the order of the request, their periods by time. Rows are numbered from 0 and never
change once a simulation succeeded.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel
from sqlalchemy import ColumnElement, literal
from sqlalchemy.orm import InstrumentedAttribute, Session, undefer
from sqlalchemy.sql.base import ExecutableOption

from serving_api.resources.payouts.simulation_jobs import repository
from serving_api.resources.payouts.simulation_jobs.schemas import (
    CreatorRow,
    PeriodRow,
    Row,
    VideoRow,
)
from serving_api.resources.payouts.simulations.presenter import ABOUT, sums_of
from warehouse.operational.models import PayoutSimulation, PayoutSimulationCreator

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
        creators = repository.creators_between(
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
