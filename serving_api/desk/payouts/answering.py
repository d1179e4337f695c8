"""`/desk/projects/{project_id}/payouts/amounts/{accrual_id}/disputes`: disputes."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creator_in
from serving_api.desk.disputes import obstacle_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, text_of
from serving_api.desk.once import AdminWriter, Writer
from serving_api.desk.payouts.bonuses import done_words, make_bonus, positive_cents_in, unpaused_day
from serving_api.desk.payouts.content import Explained
from serving_api.desk.payouts.lapsed import lapsed_page
from serving_api.desk.payouts.routes import AMOUNT, ENTERED, show_amount_again
from serving_api.desk.routes import views
from serving_api.errors import InvalidBody, NotFound
from serving_api.kit.days import day_in_words, today_in
from serving_api.kit.request_context import WriteContext
from serving_api.kit.rows import require_row
from serving_api.kit.schemas import Body, Label, Remark
from serving_api.resources.payouts.accruals import deciding
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.replacing import Owed, read_owed
from serving_api.resources.payouts.accruals.schemas import AccrualDecision
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import DisputeDecision
from warehouse.operational.models import PayoutDispute
from warehouse.reading.accruals.accrual import Accrual

DISPUTES = f"{AMOUNT}/disputes"
DISPUTE = f"{DISPUTES}/{{dispute_id}}"
DONE = {"rejected": "Dispute rejected.", "corrected": "Dispute marked as corrected."}

router = desk_router()


class Correcting(Body):
    """What a correction is for."""

    correction_reason: Label


class Claim(Body):
    """What a creator says about an amount."""

    claim: Remark


@router.post(DISPUTES, dependencies=[views])
def record_dispute(
    request: Request, context: Writer, project_id: UUID, accrual_id: UUID, fields: OwnFields
) -> Response:
    """Open a dispute with the creator's words."""
    show_amount_again(request, context, project_id, accrual_id, fields)
    claim = body_of(Claim, claim=text_of(fields.get("claim", ""))).claim
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        disputed = require_row(accruals.find([accrual_id]).get(accrual_id), "Accrual")
    dispute = disputes.dispute(context.session, disputed, claim, by=context.caller.user_id)
    back = AMOUNT.format(project_id=project_id, accrual_id=accrual_id)
    due_on = day_in_words(today_in(context.caller.analytics_tz, dispute.due_at))
    words = f"Dispute of {page_dollars(dispute.amount_cents)} recorded, due by {due_on}."
    return redirect(f"{back}#dispute-{dispute.id}", words)


@router.post(DISPUTE, dependencies=[views])
def answer_dispute(
    *,
    request: Request,
    context: AdminWriter,
    project_id: UUID,
    accrual_id: UUID,
    dispute_id: UUID,
    fields: OwnFields,
) -> Response:
    """Answer a dispute, reject it, mark it as corrected, or accept it with a correction."""
    explained = _amount_again(request, context, project_id, accrual_id, fields)
    if disputes.read_dispute(context, dispute_id).accrual_id != accrual_id:
        raise NotFound.named("Payout dispute")
    state, answer = fields.get("state"), text_of(fields.get("answer", ""))
    back = AMOUNT.format(project_id=project_id, accrual_id=accrual_id)
    if state == "accepted" and explained:
        decision = body_of(DisputeDecision, state="corrected", answer=answer)
        dispute = disputes.lock_for(context, dispute_id, decision.state)
        correction, words = _correct(context, dispute, fields)
        disputes.decide(context, dispute_id, decision, correction)
        return redirect(back, f"Dispute accepted: {words}")
    latest = disputes.correction_of(context, dispute_id) if state == "corrected" else None
    correction_id = latest and latest[0].accrual_id
    decision = body_of(DisputeDecision, state=state, answer=answer, correction_id=correction_id)
    disputes.decide(context, dispute_id, decision)
    return redirect(back, DONE.get(str(state), "Answer sent."))


def _amount_again(
    request: Request,
    context: WriteContext,
    project_id: UUID,
    accrual_id: UUID,
    fields: Mapping[str, str],
) -> Explained | None:
    """Show later errors on the amount's page; return None of one that is gone. Raises NotFound."""
    try:
        return show_amount_again(request, context, project_id, accrual_id, fields)
    except NotFound:
        show = partial(lapsed_page, request, context, project_id, accrual_id)
        show(NOTHING)  # of this project
        show_again(request, fields, ENTERED, show)
        return None


def _correct(
    context: WriteContext, dispute: PayoutDispute, fields: Mapping[str, str]
) -> tuple[disputes.Correction, str]:
    """Pay the correct amount by a bonus; return it, and what was done.

    An amount in a payment gets the difference. Any other is replaced: it is not paid, and the bonus
    pays the correct amount. The creator is locked. Raises InvalidBody.
    """
    owed = read_owed(context, dispute.accrual_id, dispute.creator_id)
    amount, now, correct = _correct_cents(owed, fields)
    reason = body_of(Correcting, correction_reason=fields.get("correction_reason", ""))
    words, cents = "", correct - now
    if not amount.payment_id:
        void = {"status": "void", "amount_cents": amount.amount_cents}
        note = reason.correction_reason
        deciding.decide(context, amount.accrual_id, body_of(AccrualDecision, **void, note=note))
        words = f"{page_dollars(now - owed.other_cents)} will not be paid. "
        cents = correct - owed.other_cents
    if not cents:
        return (None, correct - now), words
    day = unpaused_day(context, dispute.creator_id)
    creator = creator_in(context, dispute.project_id, dispute.creator_id)
    bonus_id = make_bonus(context, creator, cents, reason.correction_reason, day)
    return (bonus_id, correct - now), words + done_words(cents, day)


def _correct_cents(owed: Owed, fields: Mapping[str, str]) -> tuple[Accrual, int, int]:
    """Return the amount to correct, what is owed now, and the entered amount.

    Raises InvalidBody if no bonus can make up for it.
    """
    correct = positive_cents_in(fields, "correct_cents", "The correct amount cannot be negative")
    message = obstacle_of(owed) or ""
    if owed.amount is None or owed.cents is None or message:
        raise InvalidBody.at("correct_cents", message)
    now = page_dollars(owed.cents)
    if correct is None or correct == owed.cents:
        message = f"Enter another amount than {now}"
    elif correct < owed.cents and owed.amount.payment_id:
        why = "the amount was paid, and a bonus cannot be negative"
        message = f"Enter more than {now}: {why}. For less, void the payment first"
    elif correct < owed.other_cents:
        message = f"Enter at least {page_dollars(owed.other_cents)}: other corrections pay it"
    if message or correct is None:
        raise InvalidBody.at("correct_cents", message)
    return owed.amount, owed.cents, correct
