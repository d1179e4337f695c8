"""`/desk/projects/{project_id}/payouts/amounts/{accrual_id}/disputes`: answering disputes."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creator_in
from serving_api.desk.disputes import owed_cents
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, text_of
from serving_api.desk.once import AdminWriter
from serving_api.desk.payouts.bonuses import bonus_day, make_bonus, positive_cents_in
from serving_api.desk.payouts.content import Explained
from serving_api.desk.payouts.lapsed import lapsed_page
from serving_api.desk.payouts.routes import AMOUNT, ENTERED, show_amount_again
from serving_api.desk.routes import views
from serving_api.errors import InvalidBody, NotFound
from serving_api.kit.days import day_in_words
from serving_api.kit.request_context import WriteContext
from serving_api.kit.schemas import Body, Label
from serving_api.resources.payouts.accruals import deciding
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualDecision
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import DisputeDecision
from serving_api.resources.tracking.creators import repository as creators

DISPUTE = f"{AMOUNT}/disputes/{{dispute_id}}"
DONE = {"rejected": "Dispute rejected.", "corrected": "Dispute marked as corrected."}

router = desk_router()


class Correcting(Body):
    """What a correction is for."""

    correction_reason: Label


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
        correction, words = _correct(context, explained, fields)
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
    context: WriteContext, explained: Explained, fields: Mapping[str, str]
) -> tuple[disputes.Correction, str]:
    """Pay the difference to the correct amount as a bonus; return it, and what was done.

    A lower one takes the place of the amount, which is then not paid; corrections that were paid
    count. Raises InvalidBody.
    """
    accrual = explained.accrual
    owed = owed_cents(accrual, explained.related)
    made = explained.related.made if explained.related else ()
    paid = sum(each.amount_cents for each in made if each.payment_id)
    correct = _correct_cents(accrual, owed, paid, fields)
    reason = body_of(Correcting, correction_reason=fields.get("correction_reason", ""))
    creators.lock(context.session, context.organization_id, accrual.creator_id)
    words, cents = "", correct - owed
    if cents < 0:
        void = {"status": "void", "amount_cents": accrual.amount_cents}
        note = reason.correction_reason
        deciding.decide(context, accrual.id, body_of(AccrualDecision, **void, note=note))
        words, cents = f"{page_dollars(owed - paid)} will not be paid. ", correct - paid
    if not cents:
        return (None, correct - owed), words
    day = bonus_day(context, accrual.creator_id)
    creator = creator_in(context, accrual.project_id, accrual.creator_id)
    bonus_id = make_bonus(context, creator, cents, reason.correction_reason, day)
    words += f"Bonus of {page_dollars(cents)}, which Payouts lists after the next run, to approve."
    return (bonus_id, correct - owed), words


def _correct_cents(accrual: Accrual, owed: int, paid: int, fields: Mapping[str, str]) -> int:
    """Return the entered amount. Raises InvalidBody if no bonus can make up for it.

    `paid` are the cents of the amount's corrections that were paid.
    """
    correct = positive_cents_in(fields, "correct_cents", "The correct amount cannot be negative")
    message = ""
    if accrual.status == "void":
        message = "Restore this amount first: it is marked as not to be paid"
    elif accrual.status == "open":
        ends = day_in_words(accrual.period_end)
        message = f"The period ends on {ends}: decide then, or add a bonus"
    elif correct is None or correct == owed:
        message = f"Enter another amount than {page_dollars(owed)}"
    elif correct < owed and accrual.payment_id:
        why = "the amount was paid, and a bonus cannot be negative"
        message = f"Enter more than {page_dollars(owed)}: {why}. For less, void the payment first"
    elif correct < paid:
        message = f"Enter at least {page_dollars(paid)}, which was paid"
    if message or correct is None:
        raise InvalidBody.at("correct_cents", message)
    return correct
