"""Amounts beside those of the period before, both with their corrections."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple
from uuid import UUID

from serving_api.kit.days import ONE_DAY
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.schemas import Accrual
from warehouse.reading.accruals.accrual import PeriodAmount
from warehouse.reading.accruals.listing import AccrualFilter, list_amounts

MOST_READ = 1_000
"""Amounts of the creators in these periods. Of older ones the period before is unknown."""


class AmountChange(NamedTuple):
    """The cents of a period and of the one before, and whether either has corrections."""

    cents: int
    cents_before: int
    is_corrected: bool

    @property
    def pct(self) -> float:
        return 100 * (self.cents - self.cents_before) / self.cents_before


def changes_among(context: RequestContext, rows: Sequence[Accrual]) -> Mapping[UUID, AmountChange]:
    """Return the changes of amounts since the period before, where they are known.

    Those in progress are left out: a part of a period does not compare with a whole one.
    """
    ended = [row for row in rows if _is_of_period(row) and row.status not in {"open", "void"}]
    if not ended:
        return {}
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        if accruals.cursor is None:
            return {}
        filters = AccrualFilter(
            organization_id=context.organization_id,
            creator_ids=",".join({str(row.creator_id) for row in ended}),
            from_day=min(row.period_start for row in ended) - ONE_DAY,
            to_day=max(row.period_end for row in ended),
        )
        listed = list_amounts(accruals.cursor, filters, accruals.newer(), limit=MOST_READ)
    if len(listed) == MOST_READ:  # the last day may lack amounts
        listed = [each for each in listed if each.period_end > listed[-1].period_end]
    cents, of_period = Counter[UUID](), dict[object, UUID]()
    corrected = {each.adjusts_accrual_id for each in listed if each.status != "void"}
    for each in listed:
        if each.status != "void":
            cents[each.adjusts_accrual_id or each.accrual_id] += each.amount_cents
        if _is_of_period(each):
            of_period[each.structure_id, each.creator_id, each.period_end] = each.accrual_id
    pairs = (
        (row.id, of_period.get((row.structure_id, row.creator_id, row.period_start - ONE_DAY)))
        for row in ended
    )
    return {
        now: AmountChange(cents[now], cents[before], not corrected.isdisjoint((now, before)))
        for now, before in pairs
        if before and cents[before] > 0
    }


def _is_of_period(row: Accrual | PeriodAmount) -> bool:
    """Whether an amount is what a rule pays for a period."""
    return row.kind == "earning" and not row.subject_id
