"""`/desk/projects/{project_id}/payouts`: lists of amounts, and deciding about them."""

from collections.abc import Mapping
from functools import partial
from typing import Any
from urllib.parse import urlencode
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.desk.choices import rule_choices
from serving_api.desk.disputes import corrected_by, obstacle_of
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, cents_in, text_of
from serving_api.desk.needs import Need
from serving_api.desk.once import AdminWriter, Reader
from serving_api.desk.payouts import files
from serving_api.desk.payouts.approving import (
    ALREADY,
    DONE,
    MOST_AT_ONCE,
    amounts_of_all_pages,
    decisions_in,
    version_of_amounts,
)
from serving_api.desk.payouts.content import (
    AMOUNT_COLUMNS,
    Amounts,
    Explained,
    amounts_of,
    explained,
)
from serving_api.desk.payouts.lapsed import lapsed_needs, lapsed_page
from serving_api.desk.payouts.listing import STATUS_LABELS, Listing, View, listing_of, spend_of
from serving_api.desk.periods import PeriodSent
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.desk.sorting import SortedTable
from serving_api.errors import NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.resources.payouts.accruals import deciding
from serving_api.resources.payouts.accruals.replacing import read_owed
from serving_api.resources.payouts.accruals.schemas import AccrualDecision
from serving_api.resources.payouts.accruals.summary import page_dollars, plural
from serving_api.resources.payouts.assignments.beginnings import beginnings
from serving_api.share_page.payouts import so_far

PAYOUTS = f"{PATH}/projects/{{project_id}}/payouts"
AMOUNT = f"{PAYOUTS}/amounts/{{accrual_id}}"

ENTERED = ("note", "answer", "reason", "correct_cents", "correction_reason", "claim")
"""Text fields in the forms of an amount's page."""

LAPSED_IN = ("final", "approved")
"""The lists above which lapsed approvals are."""


router = desk_router()


@router.get(PAYOUTS, dependencies=[views])
def show_payouts(
    request: Request, context: Reader, project_id: UUID, view: Params[View], sent: PeriodSent
) -> Response:
    """Show the amounts of a status, in a period if the query names one."""
    listing = listing_of(context, project_id, view, sent)
    if sent.format == "csv":
        return SortedTable(request, files.COLUMNS, files.all_lines(context, listing)).file(
            "payouts"
        )
    amounts = amounts_of(context, listing, view.offset)
    return _amounts_page(request, context, listing, amounts, NOTHING, page_query=view.page_query)


@router.post(PAYOUTS, dependencies=[views])
def decide_amounts(
    *,
    request: Request,
    context: AdminWriter,
    project_id: UUID,
    fields: OwnFields,
    view: Params[View],
    sent: PeriodSent,
) -> Response:
    """Decide about one or more amounts, or all of a list's pages, all or none.

    Raises Conflict if an amount's cents or status changed since the page was shown. Undo sends the
    status that it undoes.
    """
    listing = listing_of(context, project_id, view, sent)
    amounts = amounts_of(context, listing, view.offset)
    show = partial(_amounts_page, request, context, listing, amounts, page_query=view.page_query)
    show_again(request, fields, (), show)
    decision, decisions = decisions_in(context, listing, fields)
    expected = fields.get("undone", view.status)
    changed = deciding.decide_all(context, decisions, expected=expected)
    query = {**listing.carried, "status": view.status, **view.page_query}
    decided = [decisions[accrual_id] for accrual_id in changed]
    cents = sum(each.amount_cents for each in decided if each.sends("amount_cents"))
    total = f", {page_dollars(cents)}" if cents else ""
    words = f"{plural(len(changed), 'amount')} {DONE[decision]}{total}."
    if not changed:
        words = ALREADY[decision]
    return redirect(
        f"{PAYOUTS.format(project_id=project_id)}?{urlencode(query)}",
        words,
        undo="final" if decision == "approved" else None,
        ids=changed,
        undone=decision,
    )


@router.get(AMOUNT, dependencies=[views])
def show_amount(request: Request, context: Reader, project_id: UUID, accrual_id: UUID) -> Response:
    """Show an amount with its evidence, or why a decided one is no longer owed."""
    try:
        explanation = explained(context, project_id, accrual_id)
    except NotFound:
        return lapsed_page(request, context, project_id, accrual_id)
    return _amount_page(request, context, explanation, NOTHING)


@router.post(AMOUNT, dependencies=[views])
def decide_amount(
    request: Request, context: AdminWriter, project_id: UUID, accrual_id: UUID, fields: OwnFields
) -> Response:
    """Decide about an amount, and save its note if it was edited.

    If an approval lapses, its note says why and replaces the saved one.
    """
    accrual = show_amount_again(request, context, project_id, accrual_id, fields).accrual
    sent: dict[str, int | str | None] = {}
    expected = None
    if "status" in fields:
        expected = fields.get("shown_status")
        cents = cents_in(fields, f"cents-{accrual_id}")
        sent = {"status": fields["status"], "amount_cents": cents}
    note_before = text_of(fields.get("note_before", accrual.note or ""))
    if (note := text_of(fields.get("note", ""))) != note_before:
        sent["note"] = note
    if sent:
        deciding.decide(context, accrual_id, body_of(AccrualDecision, **sent), expected=expected)
    decision = next((name for name in DONE if name == fields.get("status")), None)
    words = "Note saved." if sent else "Nothing was changed."
    if decision:
        words = f"{page_dollars(accrual.amount_cents)} {DONE[decision]}."
        if accrual.status == decision:
            words = ALREADY[decision]
    return redirect(request.url.path, words)


def show_amount_again(
    request: Request,
    context: RequestContext,
    project_id: UUID,
    accrual_id: UUID,
    fields: Mapping[str, str],
) -> Explained:
    """Return the amount, and show later errors on its page. Raises NotFound."""
    explanation = explained(context, project_id, accrual_id)
    show_again(request, fields, ENTERED, partial(_amount_page, request, context, explanation))
    return explanation


def _amount_page(
    request: Request, context: RequestContext, explanation: Explained, entered: Entered
) -> Response:
    accrual = explanation.accrual
    disputed = any(not row.dispute.resolved_at for row in explanation.disputes)
    owed = read_owed(context, accrual.id, accrual.creator_id) if disputed else None
    return payouts_page(
        request,
        context,
        "desk_amount.html",
        shows_pictures=True,
        content=explanation,
        zone=ZoneInfo(accrual.timezone),
        owed=owed,
        obstacle=owed and obstacle_of(owed),
        corrected=corrected_by(context, accrual),
        sentence=so_far(accrual, accrual.summary, context.now),
        entered=entered,
    )


def _amounts_page(
    request: Request,
    context: RequestContext,
    listing: Listing,
    amounts: Amounts,
    entered: Entered,
    *,
    page_query: Mapping[str, object],
) -> Response:
    whole = amounts_of_all_pages(context, listing, amounts)
    return payouts_page(
        request,
        context,
        "desk_payouts.html",
        amounts=amounts,
        whole=whole,
        all_version=version_of_amounts(whole),
        most_at_once=MOST_AT_ONCE,
        table=SortedTable(request, AMOUNT_COLUMNS, amounts.rows),
        chosen=listing.status,
        listing=listing,
        spend=spend_of(context, listing),
        rules=rule_choices(context, listing.project_id),
        period=listing.period,
        page_query=page_query,
        entered=entered,
        lapsed=_lapsed(context, listing),
        beginnings=() if amounts.rows else beginnings(context, listing.project_id),
    )


def _lapsed(context: RequestContext, listing: Listing) -> list[Need]:
    """Return approvals of amounts that are gone, where amounts are approved and paid."""
    if listing.status not in LAPSED_IN or listing.days or "rule" in listing.filters:
        return []
    return list(lapsed_needs(context, listing.project_id, listing.creator_ids))


def payouts_page(
    request: Request, context: RequestContext, template: str, **values: Any
) -> Response:
    """Return a page of the Payouts section."""
    return project_page(
        request,
        template,
        "Payouts",
        may_decide=context.caller.is_org_admin,
        status_labels=STATUS_LABELS,
        **values,
    )
