"""Which amounts were in a payment before a reading behind them turned out to be odd."""

from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.holds import hold_of, odd_behind_frozen
from serving_api.resources.programs.program_health.payout_schemas import OddPayment
from serving_api.resources.programs.program_health.repository import MOST, Scope, creators_of
from warehouse.operational.models import Creator


def odd_payments(context: RequestContext, scope: Scope) -> list[OddPayment]:
    """Return up to 25 of the project's or campaign's creators, the latest readings first."""
    with accruals_now(context.session, context.marts, scope.organization_id) as accruals:
        odd = odd_behind_frozen(accruals)
        if not odd:
            return []
        creators = set(context.session.scalars(creators_of(scope).with_only_columns(Creator.id)))
        payments = [
            OddPayment(
                accrual_id=accrual.accrual_id,
                payment_id=accrual.payment_id,
                creator_id=accrual.creator_id,
                amount_cents=accrual.amount_cents,
                currency=accrual.currency,
                held=hold_of(readings),
            )
            for accrual, readings in odd
            if accrual.creator_id in creators
        ]
    return sorted(
        payments, key=lambda payment: (payment.held.since_at, payment.accrual_id), reverse=True
    )[:MOST]
