"""Voiding payments at the desk, one or those of a run, with a reason in their notes."""

from collections.abc import Sequence

from serving_api.desk.forms import body_of
from serving_api.errors import Conflict
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Body, Remark
from serving_api.resources.payouts.accruals.summary import page_dollars, plural
from serving_api.resources.payouts.payments import endpoints
from serving_api.resources.payouts.payments.schemas import PaymentChanges, PaymentDetail
from serving_api.resources.tracking.creators import repository as creators
from serving_api.share_page.corrections import read_corrections
from warehouse.storage.storage import Storage


class Voiding(Body):
    """Why a payment is void."""

    reason: Remark


def void(context: WriteContext, payment: PaymentDetail, reason: str, *, files: Storage) -> str:
    """Void a payment and return what was done in words."""
    ended = _end(context, payment, reason, files=files)
    cents = page_dollars(payment.amount_cents)
    return f"Payment of {cents} is void. Its amounts can be paid again. {ended}".rstrip()


def void_all(
    context: WriteContext, payments: Sequence[PaymentDetail], reason: str, *, files: Storage
) -> str:
    """Void payments, all or none, and return what was done in words."""
    # All at once and in order: payment runs lock them too.
    creators.lock(context.session, context.organization_id, *(each.creator_id for each in payments))
    for payment in payments:
        _end(context, payment, reason, files=files)
    cents = page_dollars(sum(payment.amount_cents for payment in payments))
    return f"{plural(len(payments), 'payment')} void, {cents}. The amounts can be paid again."


def _end(context: WriteContext, payment: PaymentDetail, why: str, *, files: Storage) -> str:
    """Void a payment and return which corrections end with it."""
    if payment.status == "void":
        raise Conflict("This payment is already void")
    ended = _ended_in_words(context, payment)
    reason = f"Void: {why}\n\n{ended}".strip()
    changes = body_of(
        PaymentChanges,
        status="void",
        readme=f"{payment.readme}\n\n{reason}" if payment.readme else reason,
        expected_readme_version=payment.readme_version,
    )
    endpoints.change(context, payment.id, changes, files=files)
    return ended


def _ended_in_words(context: RequestContext, payment: PaymentDetail) -> str:
    """Say which open corrections end with the payment (money.md M19), "" if there are none."""
    related = read_corrections(context, payment.accrual_ids).values()
    made = [each for corrections in related for each in corrections.made if not each.payment_id]
    cents = ", ".join(page_dollars(each.amount_cents) for each in made)
    noun = "correction" if len(made) == 1 else "corrections"
    return f"Open {noun} that ended with it: {cents}. The amounts include them." if made else ""
