"""`/desk/projects/{project_id}/payouts/amounts/{accrual_id}/disputes`: answering disputes."""

from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, text_of
from serving_api.desk.once import AdminWriter
from serving_api.desk.payouts.routes import AMOUNT, show_amount_again
from serving_api.desk.routes import views
from serving_api.errors import NotFound
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import DisputeDecision

DISPUTE = f"{AMOUNT}/disputes/{{dispute_id}}"

router = desk_router()


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
    """Answer a dispute, reject it, or mark it as corrected."""
    show_amount_again(request, context, project_id, accrual_id, fields)
    if disputes.read_dispute(context, dispute_id).accrual_id != accrual_id:
        raise NotFound.named("Payout dispute")
    state = fields.get("state")
    correction = disputes.correction_of(context, dispute_id) if state == "corrected" else None
    decision = body_of(
        DisputeDecision,
        state=state,
        answer=text_of(fields.get("answer", "")),
        correction_id=correction and correction[0].accrual_id,
    )
    disputes.decide(context, dispute_id, decision)
    back = AMOUNT.format(project_id=project_id, accrual_id=accrual_id)
    words = {"rejected": "Dispute rejected.", "corrected": "Dispute marked as corrected."}
    return redirect(back, words.get(str(state), "Answer sent."))
