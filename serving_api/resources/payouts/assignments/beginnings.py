"""When the pay of assignments begins, when its first period ends, and the last paid day."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import cast
from uuid import UUID

from sqlalchemy import func, select

from serving_api.kit.days import ONE_DAY, day_in_words, today_in
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.payouts.assignments.repository import covers_after
from serving_api.resources.payouts.structures.repository import (
    current_versions,
    span_of,
    zone_of,
)
from serving_api.resources.payouts.structures.rules import Period
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutAssignment, PayoutStructure


@dataclass(frozen=True, slots=True)
class Beginning:
    """A rule's first paid day, and the last day of its period (None for rules without one)."""

    name: str
    first_day: date
    period_end: date | None
    backfills: bool

    @property
    def words(self) -> str:
        earlier = "" if self.backfills else " Earlier days are not paid."
        ends = (
            f" The first period ends on {day_in_words(self.period_end)}." if self.period_end else ""
        )
        return f"Pay begins on {day_in_words(self.first_day)}.{earlier}{ends}"


def beginning_of(context: RequestContext, structure_id: UUID, first_day: date) -> Beginning:
    """Return the beginning of an assignment from a day on. Raises NotFound."""
    structure = require_own(context, PayoutStructure, structure_id, "Payout structure")
    [beginning] = _present(context, [(structure, first_day)])
    return beginning


def beginnings(context: RequestContext, project_id: UUID) -> list[Beginning]:
    """Return the rules of a project with assignments whose first period has not ended, by name."""
    today = today_in(context.caller.analytics_tz, business_now(context.session))
    assigned = (
        select(PayoutStructure, func.min(PayoutAssignment.start_date))
        .join(PayoutAssignment, PayoutAssignment.structure_id == PayoutStructure.id)
        .where(
            PayoutStructure.organization_id == context.organization_id,
            PayoutStructure.project_id == project_id,
            covers_after(today - ONE_DAY),
        )
        .group_by(PayoutStructure.id)
        .order_by(PayoutStructure.name, PayoutStructure.id)
    )
    rows = [(structure, day) for structure, day in context.session.execute(assigned)]
    listed = _present(context, rows)
    return [each for each in listed if (each.period_end or each.first_day) >= today]


def last_days(
    context: RequestContext, structure_id: UUID, creator_ids: Collection[UUID]
) -> Mapping[UUID, date]:
    """Return by creator the last day of assignments that end, which is still paid (M5)."""
    creator, last = PayoutAssignment.creator_id, func.max(PayoutAssignment.end_date)
    ending = select(creator, last).where(
        PayoutAssignment.organization_id == context.organization_id,
        PayoutAssignment.structure_id == structure_id,
        creator.in_(creator_ids),
    )
    rows = context.session.execute(ending.group_by(creator))
    return {creator_id: day for creator_id, day in rows if day}


def _present(
    context: RequestContext, rows: Sequence[tuple[PayoutStructure, date]]
) -> list[Beginning]:
    ids = [structure.id for structure, _ in rows]
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
            backfills=versions[structure.id].backfill_on_assignment,
        )
        for structure, day in rows
    ]
