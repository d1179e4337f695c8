"""`/desk/projects/{project_id}/inbox/disputes`: a project's disputes, also closed ones."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated
from uuid import UUID

from fastapi import Request, Response
from pydantic import BaseModel, BeforeValidator

from serving_api.desk.choices import names_of
from serving_api.desk.entry import desk_router
from serving_api.desk.once import Reader
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.kit.days import day_in_words
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals.coming import Coming
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.listing import list_by_id
from serving_api.resources.payouts.accruals.replacing import Owed, coming_bonuses
from serving_api.resources.payouts.accruals.schemas import Accrual
from serving_api.resources.payouts.disputes import service
from serving_api.resources.payouts.disputes.repository import member_names
from serving_api.resources.payouts.disputes.schemas import Dispute, DisputeQuery, DisputeState
from serving_api.share_page.corrections import waived_among
from warehouse.operational.models import PayoutDispute

MOST = 100
ON_A_PAGE = 50
WAITING: tuple[DisputeState, ...] = ("open", "answered")


@dataclass(frozen=True, slots=True)
class Disputed:
    """A dispute with the names of the amount's creator and of the members who acted.

    `opener` is None if the creator opened it. `correction` is the amount that corrects it, `coming`
    a bonus that does once a run has computed it. `is_waived`: the correction will not be paid.
    """

    dispute: Dispute
    creator: str
    opener: str | None
    answerer: str | None
    correction: Accrual | None
    coming: Coming | None
    is_waived: bool


def list_open_disputes(context: RequestContext, project_id: UUID) -> Sequence[Disputed]:
    """Return up to 100 open disputes of a project by state: unanswered first, then newest first."""
    queries = (DisputeQuery(project_id=project_id, state=state, limit=MOST) for state in WAITING)
    return named(
        context,
        [dispute for query in queries for dispute in service.list_page(context, query).data],
    )


def named(context: RequestContext, disputes: Sequence[Dispute]) -> list[Disputed]:
    """Return disputes with the names of their creators and of the members who acted."""
    creators = names_of(context, {dispute.creator_id for dispute in disputes})
    members = member_names(context, [dispute.id for dispute in disputes])
    ids = {dispute.correction_id for dispute in disputes if dispute.correction_id}
    made = {each.id: each for each in list_by_id(context, ids)} if ids else {}
    creator_ids = {dispute.creator_id for dispute in disputes if dispute.correction_id}
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        coming = coming_bonuses(accruals, creator_ids) if ids - made.keys() else {}
        waived = waived_among(accruals, disputes)
    return [
        Disputed(
            dispute,
            creators[dispute.creator_id],
            *members[dispute.id],
            made.get(dispute.correction_id) if dispute.correction_id else None,
            coming.get(dispute.correction_id) if dispute.correction_id else None,
            dispute.id in waived,
        )
        for dispute in disputes
    ]


def corrected_by(context: RequestContext, bonus: Accrual) -> Dispute | None:
    """Return the dispute that was accepted with a bonus, None for other amounts."""
    if bonus.kind == "adjustment":
        return None
    row = context.session.scalar(
        rows_of(PayoutDispute, context.organization_id).where(
            PayoutDispute.creator_id == bonus.creator_id, PayoutDispute.correction_id == bonus.id
        )
    )
    return service.present(row, context.now) if row else None


def obstacle_of(owed: Owed) -> str | None:
    """Return why no amount can be entered as the correct one, None if one can."""
    if owed.run:
        run = owed.run[0].upper() + owed.run[1:]
        return f"{run} computes the bonus of an earlier dispute: enter the amount after it"
    if owed.amount is None:
        return "Restore this amount first: it is marked as not to be paid"
    if owed.amount.status == "open":
        ends = day_in_words(owed.amount.period_end)
        return f"The period ends on {ends}: decide then, or add a bonus"
    return None


class View(BaseModel):
    """The list's filter in the query. An empty value means no filter."""

    state: Annotated[DisputeState | None, BeforeValidator(lambda sent: sent or None)] = None
    cursor: str | None = None


router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}/inbox/disputes", dependencies=[views])
def show_disputes(
    request: Request, context: Reader, project_id: UUID, view: Params[View]
) -> Response:
    """Show disputes of one state or all, newest first."""
    query = DisputeQuery(project_id=project_id, limit=ON_A_PAGE, **view.model_dump())
    page = service.list_page(context, query)
    return project_page(
        request,
        "desk_disputes.html",
        "Inbox",
        rows=named(context, page.data),
        cursor=page.meta.nextCursor,
        view=view,
    )
