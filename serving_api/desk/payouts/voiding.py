"""Voiding payments at the desk, one or those of a run, with a reason in their notes."""

from collections.abc import Sequence

from serving_api.desk.choices import names_of
from serving_api.desk.forms import body_of
from serving_api.errors import Conflict
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Body, Remark
from serving_api.resources.payouts.accruals.summary import page_dollars, plural, shortened
from serving_api.resources.payouts.payments import endpoints
from serving_api.resources.payouts.payments.schemas import PaymentChanges, PaymentDetail
from serving_api.resources.tracking.creators import repository as creators
from serving_api.share_page.corrections import read_corrections
from warehouse.storage.storage import Storage


class Voiding(Body):
    """Why a payment is void."""

    reason: Remark


def void(context: WriteContext, payment: PaymentDetail, reason: str, *, files: Storage) -> str:
    """Void a payment and return what was done in words. Raises Conflict."""
    if payment.status == "void":
        raise Conflict("This payment is already void. Its amounts can be paid again.")
    ended = _ended_in_words(_end(context, payment, reason, files=files), "it")
    cents = page_dollars(payment.amount_cents)
    return f"Payment of {cents} is void. Its amounts can be paid again. {ended}".rstrip()


def void_all(
    context: WriteContext, payments: Sequence[PaymentDetail], reason: str, *, files: Storage
) -> str:
    """Void payments, all or none, and return what was done in words. Raises Conflict."""
    _require_live(context, payments)
    # All at once and in order: payment runs lock them too.
    creators.lock(context.session, context.organization_id, *(each.creator_id for each in payments))
    ended = [cents for each in payments for cents in _end(context, each, reason, files=files)]
    cents = page_dollars(sum(payment.amount_cents for payment in payments))
    done = f"{plural(len(payments), 'payment')} void, {cents}. The amounts can be paid again."
    return f"{done} {_ended_in_words(ended, 'them')}".rstrip()


def _require_live(context: RequestContext, payments: Sequence[PaymentDetail]) -> None:
    """Raise Conflict, which names the payments that are already void."""
    voided = [payment for payment in payments if payment.status == "void"]
    if voided:
        names = names_of(context, {each.creator_id for each in voided})
        listed = [
            f"{page_dollars(each.amount_cents)} to {names[each.creator_id]}" for each in voided
        ]
        others = "" if len(voided) == len(payments) else " To void the others, open one of them."
        raise Conflict(f"Already void: {shortened(listed)}. No payment was changed.{others}")


def _end(context: WriteContext, payment: PaymentDetail, why: str, *, files: Storage) -> list[int]:
    """Void a payment and return the cents of the open corrections that end (money.md M19)."""
    related = read_corrections(context, payment.accrual_ids).values()
    made = [each for corrections in related for each in corrections.made if not each.payment_id]
    ended = [each.amount_cents for each in made]
    reason = f"Void: {why}\n\n{_ended_in_words(ended, 'it')}".strip()
    changes = body_of(
        PaymentChanges,
        status="void",
        readme=f"{payment.readme}\n\n{reason}" if payment.readme else reason,
        expected_readme_version=payment.readme_version,
    )
    endpoints.change(context, payment.id, changes, files=files)
    return ended


def _ended_in_words(ended: Sequence[int], pronoun: str) -> str:
    """Say which open corrections ended with a payment or with several, "" if there are none."""
    if not ended:
        return ""
    cents = shortened([page_dollars(each) for each in ended])  # a cookie has them
    total = f", in total {page_dollars(sum(ended))}" if len(ended) > 1 else ""
    noun, included = ("correction", "it") if len(ended) == 1 else ("corrections", "them")
    return f"Open {noun} that ended with {pronoun}: {cents}{total}. The amounts include {included}."
