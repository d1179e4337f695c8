"""Approved or disputed amounts of which nothing is owed any more.

They have no row (money.md M16): no list has them, and GET answers 404. Their decision keeps a copy,
and applies again if the amount returns (M17).
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from datetime import date, timedelta
from itertools import count
from typing import Any
from uuid import UUID

from sqlalchemy import Select, select

from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_row
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.correcting import changes_until_gone
from serving_api.resources.payouts.accruals.current import (
    Accruals,
    accruals_now,
    content_of,
    rows_of_amounts,
)
from serving_api.resources.payouts.accruals.repository import DecisionRow
from serving_api.resources.payouts.disputes.repository import of_accruals
from warehouse.operational.models import PayoutAccrualDecision, PayoutPaymentAccrual
from warehouse.reading.accruals.accrual import Content
from warehouse.reading.accruals.published import OwedQuery, owed

COPIED = (
    *("project_id", "creator_id", "structure_id"),
    *("period_start", "period_end", "amount_cents"),
)
"""Columns of both a decision and a dispute."""
LISTED_FOR = timedelta(days=30)
"""How long after its approval an amount without a row is listed."""
READ_AT_ONCE = 2000


def lapsed_approvals(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID] | None, most: int
) -> Sequence[DecisionRow]:
    """Return up to `most` recent approvals whose amount is gone, the latest period first.

    Of some creators or all, with the columns that name them.
    """
    statement, lapsed = _unpaid_approvals(context, project_id, creator_ids), list[DecisionRow]()
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        for offset in count(step=READ_AT_ONCE):
            page = statement.limit(READ_AT_ONCE).offset(offset)
            approved = context.session.execute(page).all()
            lapsed += _lapsed(accruals, approved)
            if len(approved) < READ_AT_ONCE or len(lapsed) >= most:
                break
    return lapsed[:most]


def _lapsed(accruals: Accruals, approved: Sequence[DecisionRow]) -> list[DecisionRow]:
    """Return the approvals whose amount is gone, none before the first publication."""
    if not approved or accruals.cursor is None:
        return []
    query = OwedQuery(accruals.organization_id, tuple(row.accrual_id for row in approved))
    answer = accruals.numbers.cached(owed, query, rows_of_amounts)
    present = answer[0] if answer else {}
    missing = [row for row in approved if row.accrual_id not in present]
    adjustments = [row.accrual_id for row in missing if row.kind == "adjustment"]
    corrections = accruals.find(adjustments) if adjustments else {}
    return [row for row in missing if row.accrual_id not in corrections]


def _unpaid_approvals(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID] | None
) -> Select[*tuple[Any, ...]]:
    row, paid = PayoutAccrualDecision, PayoutPaymentAccrual
    in_payment = select(paid.accrual_id).where(paid.accrual_id == row.accrual_id, paid.is_live)
    columns = ("accrual_id", "creator_id", "kind", "period_start", "period_end", "amount_cents")
    statement = (
        select(*(getattr(row, name) for name in columns))
        .where(
            row.organization_id == context.organization_id,
            row.project_id == project_id,
            row.decision == "approved",
            row.decided_at >= context.now - LISTED_FOR,
            ~in_payment.where(paid.organization_id == context.organization_id).exists(),
        )
        .order_by(row.period_end.desc(), PayoutAccrualDecision.accrual_id)
    )
    if creator_ids is not None:
        statement = statement.where(among(row.creator_id, creator_ids))
    return statement


@dataclass(frozen=True, slots=True)
class Lapsed:
    """An amount that is gone, as decided or else as disputed, and what changed since.

    Its time zone and the type of its rule are None of one that was only disputed.
    """

    accrual_id: UUID
    subject_id: UUID
    project_id: UUID
    creator_id: UUID
    structure_id: UUID
    structure_name: str
    period_start: date
    period_end: date
    amount_cents: int
    decision: str | None = None
    timezone: str | None = None
    criteria_type: str | None = None
    changes: Sequence[str] = ()


def read_lapsed(context: RequestContext, accrual_id: UUID) -> Lapsed:
    """Return an amount that no list has. Raises NotFound if it was not decided nor disputed."""
    whose = (context.session, context.organization_id)
    rows = {row.accrual_id: row for row in repository.decisions(*whose, [accrual_id])}
    decided = rows.get(accrual_id)
    disputes = of_accruals(*whose, [accrual_id]).get(accrual_id, [])
    row: Any = require_row(decided or next(iter(disputes), None), "Accrual")
    lapsed = Lapsed(
        accrual_id=accrual_id,
        subject_id=(decided and decided.adjusts_accrual_id) or accrual_id,
        structure_name=repository.structure_names(*whose, {row.structure_id})[row.structure_id],
        **{name: getattr(row, name) for name in COPIED},
    )
    if decided is None:
        return lapsed
    return replace(
        lapsed,
        decision=decided.decision,
        timezone=decided.timezone,
        criteria_type=decided.criteria_type,
        changes=_changes(context, accrual_id, content_of(decided)),
    )


def _changes(context: RequestContext, accrual_id: UUID, content: Content) -> list[str]:
    if content.kind == "adjustment":
        return ["nothing is left to correct: what was paid is owed again"]
    whose = (context.session, context.organization_id)
    evidence = repository.decided_evidence(*whose, [accrual_id])[accrual_id]
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        changes = changes_until_gone(accruals, content, evidence)
    return [change["text"].replace("when it was paid", "before") for change in changes]
