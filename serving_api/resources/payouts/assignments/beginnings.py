"""When the pay of assignments begins, when its first period ends, and which days are paid."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast
from uuid import UUID

from sqlalchemy import Select, func, select

from serving_api.kit.days import ONE_DAY, day_in_words
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own, rows_of
from serving_api.resources.payouts.assignments.repository import covers_after
from serving_api.resources.payouts.structures.bonuses import bonus_day
from serving_api.resources.payouts.structures.repository import (
    current_versions,
    span_of,
    zone_of,
)
from serving_api.resources.payouts.structures.rules import Period
from warehouse.operational.models import PayoutAssignment, PayoutStructure


@dataclass(frozen=True, slots=True)
class Beginning:
    """A rule's first paid day, and the last day of its period (None for rules without one)."""

    name: str
    first_day: date
    period_end: date | None
    pays_earlier: bool

    @property
    def words(self) -> str:
        earlier = "" if self.pays_earlier else " Earlier days are not paid."
        ends = (
            f" The first period ends on {day_in_words(self.period_end)}." if self.period_end else ""
        )
        return f"Pay begins on {day_in_words(self.first_day)}.{earlier}{ends}"


def beginning_of(
    context: RequestContext, structure_id: UUID, first_day: date, creator_ids: Collection[UUID]
) -> Beginning:
    """Return the beginning of assignments from a day on. Raises NotFound."""
    structure = require_own(context, PayoutStructure, structure_id, "Payout structure")
    first = func.min(PayoutAssignment.start_date)
    earliest = context.session.scalar(
        _assigned(context, structure_id, creator_ids).with_only_columns(first)
    )
    [beginning] = _present(context, [(structure, first_day, earliest or first_day)])
    return beginning


def beginnings(context: RequestContext, project_id: UUID) -> list[Beginning]:
    """Return the rules of a project with assignments whose first period has not ended, by name.

    Bonuses are no rules.
    """
    today = context.today
    first = func.min(PayoutAssignment.start_date)
    first_current = first.filter(covers_after(today - ONE_DAY))
    assigned = (
        select(PayoutStructure, first_current, first)
        .join(PayoutAssignment, PayoutAssignment.structure_id == PayoutStructure.id)
        .where(
            PayoutStructure.organization_id == context.organization_id,
            PayoutStructure.project_id == project_id,
            bonus_day().is_(None),
        )
        .group_by(PayoutStructure.id)
        .having(first_current.is_not(None))
        .order_by(PayoutStructure.name, PayoutStructure.id)
    )
    rows = [(structure, day, first) for structure, day, first in context.session.execute(assigned)]
    listed = _present(context, rows)
    return [each for each in listed if (each.period_end or each.first_day) >= today]


def intervals(
    context: RequestContext, structure_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, Sequence[tuple[date, date | None]]]:
    """Return by creator the first and last days, both paid, of all assignments, by time (M5)."""
    days = defaultdict[UUID, list[tuple[date, date | None]]](list)
    assigned = _assigned(context, structure_id, creator_ids)
    for row in context.session.scalars(
        assigned.order_by(PayoutAssignment.start_date, PayoutAssignment.id)
    ):
        days[row.creator_id].append((row.start_date, row.end_date))
    return days


def _assigned(
    context: RequestContext, structure_id: UUID, creator_ids: Collection[UUID]
) -> Select[PayoutAssignment]:
    return rows_of(PayoutAssignment, context.organization_id).where(
        PayoutAssignment.structure_id == structure_id,
        PayoutAssignment.creator_id.in_(creator_ids),
    )


def _present(
    context: RequestContext, rows: Sequence[tuple[PayoutStructure, date, date]]
) -> list[Beginning]:
    ids = [structure.id for structure, *_ in rows]
    versions = current_versions(context.session, context.organization_id, ids)

    def period_end(structure: PayoutStructure, day: date) -> date | None:
        version = versions[structure.id]
        period = cast("Period | None", version.period)
        zone = zone_of(structure, context.caller.analytics_tz)
        return span_of(day, period, version.period_anchor, zone).last if period else None

    return [
        Beginning(
            name=structure.name,
            first_day=day,
            period_end=period_end(structure, day),
            pays_earlier=first < day or versions[structure.id].backfill_on_assignment,
        )
        for structure, day, first in rows
    ]
