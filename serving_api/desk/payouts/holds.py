"""`/desk/projects/{project_id}/payouts/amounts/{accrual_id}/hold` and `release`."""

from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of
from serving_api.desk.once import AdminWriter
from serving_api.desk.payouts.routes import AMOUNT, show_amount_again
from serving_api.desk.routes import views
from serving_api.resources.payouts.accruals import service as accruals
from serving_api.resources.payouts.accruals.holds import version_of
from serving_api.resources.payouts.accruals.schemas import Release
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.history import PUT_ON_HOLD

HOLD, RELEASE = f"{AMOUNT}/hold", f"{AMOUNT}/release"

router = desk_router()


@router.post(HOLD, dependencies=[views])
def hold_amount(
    request: Request, context: AdminWriter, project_id: UUID, accrual_id: UUID, fields: OwnFields
) -> Response:
    """Put an amount on hold, with a reason; the undo of a release repeats the last one."""
    explained = show_amount_again(request, context, project_id, accrual_id, fields)
    sent = fields.get("reason", "")
    if "undone" in fields:
        steps = (step for step in reversed(explained.history) if step.text == PUT_ON_HOLD)
        sent = next((step.reason for step in steps), None) or ""
    made = accruals.hold(context, accrual_id, body_of(Release, reason=sent).reason)
    at = {"project_id": project_id, "accrual_id": accrual_id}
    words = f"{page_dollars(explained.accrual.amount_cents)} put on hold."
    back, ids, undo_at = AMOUNT.format(**at), [version_of(made)], RELEASE.format(**at)
    return redirect(back, words, "shown", ids, undone="hold", undo_at=undo_at)


@router.post(RELEASE, dependencies=[views])
def release_amount(
    request: Request, context: AdminWriter, project_id: UUID, accrual_id: UUID, fields: OwnFields
) -> Response:
    """Release an amount from the hold that was shown; that of a manual hold can be undone."""
    explained = show_amount_again(request, context, project_id, accrual_id, fields)
    sent = "The hold was undone" if "undone" in fields else fields.get("reason", "")
    body = body_of(Release, reason=sent)
    accruals.release(context, accrual_id, body, shown=fields.get("shown"))
    at = {"project_id": project_id, "accrual_id": accrual_id}
    done = "confirmed" if explained.accrual.payment_id else "released"
    words = f"{page_dollars(explained.accrual.amount_cents)} {done}."
    is_manual = explained.check is not None and not explained.check.readings
    undo = "undo" if is_manual and "undone" not in fields else None
    back, ids, undo_at = AMOUNT.format(**at), [accrual_id], HOLD.format(**at)
    return redirect(back, words, undo, ids, undone="release", undo_at=undo_at)
