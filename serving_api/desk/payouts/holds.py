"""`/desk/projects/{project_id}/payouts/amounts/{accrual_id}/release`: releasing held amounts."""

from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import AdminWriter
from serving_api.desk.payouts.routes import AMOUNT, show_amount_again
from serving_api.desk.routes import views
from serving_api.resources.payouts.accruals import service as accruals
from serving_api.resources.payouts.accruals.schemas import Release
from serving_api.resources.payouts.accruals.summary import dollars

RELEASE = f"{AMOUNT}/release"

router = desk_router()


@router.post(RELEASE, dependencies=[views])
def release_amount(
    request: Request, context: AdminWriter, project_id: UUID, accrual_id: UUID, fields: OwnFields
) -> Response:
    """Release an amount on hold, with a reason."""
    accrual = show_amount_again(request, context, project_id, accrual_id, fields)
    accruals.release(context, accrual_id, body_of(Release, reason=fields.get("reason", "")))
    back = AMOUNT.format(project_id=project_id, accrual_id=accrual_id)
    words = "confirmed" if accrual.payment_id else "released"
    return redirect(back, f"{dollars(accrual.amount_cents)} {words}.")
