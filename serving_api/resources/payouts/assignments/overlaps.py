"""Rules on views that pay a creator on the same days: allowed, but shown to a person."""

from collections.abc import Collection, Sequence
from datetime import date, timedelta
from itertools import combinations, groupby, starmap
from typing import cast
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from sqlalchemy import ColumnElement, Select, exists, func, select, true
from sqlalchemy.dialects.postgresql import aggregate_order_by
from sqlalchemy.orm import Session, aliased

from serving_api.kit.days import today_in
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.resources.payouts.assignments.repository import covers_after
from serving_api.resources.payouts.structures.repository import (
    current_versions,
    span_of,
    zone_of,
)
from serving_api.resources.payouts.structures.rules import Period
from warehouse.operational.models import PayoutAssignment, PayoutStructure, PayoutVersion

ON_VIEWS = ("cpm", "view_threshold")
ONE_DAY = timedelta(days=1)


class AlsoPaidBy(BaseModel):
    """Another structure that pays a creator for views on common days."""

    model_config = ConfigDict(from_attributes=True)

    creator_id: UUID
    structure_id: UUID
    structure_name: str
    start_date: date
    end_date: date | None


class PaidTwice(BaseModel):
    """A creator whom several rules pay for the same views."""

    creator_id: UUID
    rules: list[AlsoPaidBy]

    @property
    def names(self) -> dict[UUID, str]:
        """The rules' names by id; a rule may have several assignments."""
        return {rule.structure_id: rule.structure_name for rule in self.rules}


Rule = tuple[AlsoPaidBy, PayoutVersion]


def also_paid_by(
    context: RequestContext,
    structure_id: UUID,
    creator_ids: Collection[UUID],
    start: date,
    end: date | None = None,
) -> list[AlsoPaidBy]:
    """Return the other rules on views of each creator, if this structure pays for views too."""
    whose = (context.session, context.organization_id)
    own = current_versions(*whose, [structure_id])[structure_id]
    if own.criteria_type not in ON_VIEWS:
        return []
    rules = _on_views(
        *whose,
        PayoutAssignment.structure_id != structure_id,
        among(PayoutAssignment.creator_id, creator_ids),
        covers_after(start - ONE_DAY),
        true() if end is None else PayoutAssignment.start_date <= end,
    )
    return [rule for rule, version in rules if _share_views(own, version)]


def also_paid_by_change(context: RequestContext, structure_id: UUID) -> list[AlsoPaidBy]:
    """Return the other rules on views of its creators from the period on that a change pays."""
    structure = require_own(context, PayoutStructure, structure_id, "Payout structure")
    zone = zone_of(structure, context.caller.analytics_tz)
    whose = (context.session, context.organization_id)
    own = current_versions(*whose, [structure_id])[structure_id]
    today, period = today_in(zone, context.now), cast("Period | None", own.period)
    changed = func.daterange(span_of(today, period, own.period_anchor, zone).first, None)
    assigned = aliased(PayoutAssignment)
    days, others = (
        func.daterange(each.start_date, each.end_date, "[]")
        for each in (assigned, PayoutAssignment)
    )
    shares_days = exists().where(
        assigned.organization_id == context.organization_id,
        assigned.structure_id == structure_id,
        assigned.creator_id == PayoutAssignment.creator_id,
        ~func.isempty(days.op("*")(others).op("*")(changed)),
    )
    rules = _on_views(*whose, shares_days) if own.criteria_type in ON_VIEWS else []
    return [rule for rule, version in rules if _share_views(own, version)]


def paid_twice(
    session: Session, organization_id: UUID, creators: Select[UUID], day: date, most: int
) -> list[PaidTwice]:
    """Return the first `most` creators whom several rules pay for the same views on a day."""
    on_day = (covers_after(day - ONE_DAY), PayoutAssignment.start_date <= day)
    structures = func.array_agg(PayoutAssignment.structure_id.distinct())
    several = (
        select(PayoutAssignment.creator_id, structures.label("structures"))
        .where(PayoutAssignment.organization_id == organization_id, *on_day)
        .where(PayoutAssignment.creator_id.in_(creators))
        .group_by(PayoutAssignment.creator_id)
        .having(func.cardinality(structures) > 1)  # PostgreSQL aggregates once
        .subquery()
    )
    first = func.array_agg(aggregate_order_by(several.c.creator_id, several.c.creator_id))
    # Many creators have the same rules: one row for each set of them.
    sets = select(several.c.structures, first[1:most]).group_by(several.c.structures)
    rows = cast("Sequence[tuple[list[UUID], list[UUID]]]", session.execute(sets).all())
    paying = {structure_id for structures, _ in rows for structure_id in structures}
    versions = current_versions(session, organization_id, paying)
    on_views = {key: each for key, each in versions.items() if each.criteria_type in ON_VIEWS}
    twice = sorted(
        creator_id
        for structures, creator_ids in rows
        if any(starmap(_share_views, combinations(filter(None, map(on_views.get, structures)), 2)))
        for creator_id in creator_ids
    )
    whose = among(PayoutAssignment.creator_id, twice[:most])
    rules = [rule for rule, _ in _on_views(session, organization_id, whose, *on_day)]
    return [
        PaidTwice(creator_id=creator_id, rules=list(of_creator))
        for creator_id, of_creator in groupby(rules, key=lambda rule: rule.creator_id)
    ]


def _on_views(
    session: Session, organization_id: UUID, *conditions: ColumnElement[bool]
) -> list[Rule]:
    """Return assignments whose structure pays for views, with its current version."""
    columns = (
        PayoutAssignment.creator_id,
        PayoutAssignment.structure_id,
        PayoutStructure.name.label("structure_name"),
        PayoutAssignment.start_date,
        PayoutAssignment.end_date,
    )
    statement = (
        select(*columns)
        .join(PayoutStructure, PayoutStructure.id == PayoutAssignment.structure_id)
        .where(PayoutAssignment.organization_id == organization_id, *conditions)
        .order_by(PayoutAssignment.creator_id, PayoutStructure.name, PayoutAssignment.id)
    )
    rows = session.execute(statement).all()
    versions = current_versions(session, organization_id, {row.structure_id for row in rows})
    rules = [(row, versions[row.structure_id]) for row in rows]
    return [
        (AlsoPaidBy.model_validate(row), version)
        for row, version in rules
        if version.criteria_type in ON_VIEWS
    ]


def _share_views(one: PayoutVersion, other: PayoutVersion) -> bool:
    """Return whether rules may pay for one post: not if each has its own platform or account."""
    return one.structure_id != other.structure_id and not any(
        None not in (mine, its) and mine != its
        for mine, its in ((one.platform, other.platform), (one.account_id, other.account_id))
    )
