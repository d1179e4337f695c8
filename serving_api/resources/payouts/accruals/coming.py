"""Bonuses of disputes that the publication lacks, and the runs that compute them."""

from collections.abc import Collection, Mapping
from datetime import date
from typing import NamedTuple
from uuid import UUID

from sqlalchemy import and_, select

from serving_api.kit.days import day_in_words, today_in
from serving_api.kit.pagination import among
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.current import Accruals
from warehouse.ids import accrual_id as earning_id
from warehouse.operational.base import business_now
from warehouse.operational.dated import zone_of
from warehouse.operational.models import PayoutAssignment, PayoutVersion
from warehouse.reading.series.known import zone_of_days


class Coming(NamedTuple):
    """A bonus that the publication lacks, and the run that computes it.

    One that adds to an amount pays just the difference, any other replaces the amount.
    """

    cents: int
    adds: bool
    run: str


def first_pay(accruals: Accruals, creator_ids: Collection[UUID]) -> Mapping[UUID, tuple[date, int]]:
    """Return what assignments of creators pay for their first day, as bonuses do, by amount.

    The cents are those of the rule's first version, which the dispute was accepted with.
    """
    assigned, version = PayoutAssignment, PayoutVersion
    columns = (assigned.structure_id, assigned.creator_id, assigned.start_date)
    statement = (
        select(*columns, version.amount_cents)
        .join(version, and_(version.structure_id == assigned.structure_id, version.number == 1))
        .where(
            assigned.organization_id == accruals.organization_id,
            version.organization_id == accruals.organization_id,
            version.amount_cents.is_not(None),
            among(assigned.creator_id, creator_ids),
        )
    )
    rows = accruals.session.execute(statement)
    return {earning_id(rule, creator, day): (day, cents or 0) for rule, creator, day, cents in rows}


def runs(
    accruals: Accruals, bonuses: Collection[tuple[UUID, int]], days: Mapping[UUID, date]
) -> Mapping[UUID, str]:
    """Return the runs that compute bonuses that the publication lacks, without void ones.

    `bonuses` have the transactions that accepted their disputes, `days` the days of bonuses. A run
    since then left one out that is paused or pays nothing, unless its day had not begun: a new time
    zone of the organization moves a day into the future.
    """
    since, organization_id = accruals.published.decided_up_to, accruals.organization_id
    answer = accruals.numbers.cached(zone_of_days, organization_id, lambda _zone: 1)
    zone = zone_of(accruals.session, organization_id)
    published_to = today_in((answer and answer[0]) or zone, accruals.published.moment.as_of)
    coming = {key for key, changed_by in bonuses if changed_by >= since or days[key] > published_to}
    decisions = repository.decisions(accruals.session, organization_id, coming)
    void = {row.accrual_id for row in decisions if row.decision == "void"}
    today = today_in(zone, business_now(accruals.session))
    return {
        key: "the next run"
        if days[key] <= today
        else f"the first run on {day_in_words(days[key])} or later"
        for key in coming - void
    }
