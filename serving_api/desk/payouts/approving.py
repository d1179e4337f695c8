"""Deciding about one, the ticked or all amounts of a list."""

from collections.abc import Mapping, Sequence
from typing import Literal
from uuid import UUID

from serving_api.desk.forms import body_of, cents_in, chosen_in
from serving_api.desk.payouts.content import Amounts
from serving_api.desk.payouts.listing import Listing
from serving_api.errors import Conflict
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import version_of
from serving_api.resources.payouts.accruals import listing as accrual_lists
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualDecision
from serving_api.resources.payouts.disputes.repository import disputed_among

Decision = Literal["approved", "void", "final"]
DONE: Mapping[Decision, str] = {
    "approved": "approved",
    "void": "will not be paid",
    "final": "to approve again",
}
"""What was done by each decision, in the order of the buttons."""
ALREADY: Mapping[Decision, str] = {
    "approved": "Already approved.",
    "void": "Already not to be paid.",
    "final": "Already to approve.",
}
"""If nothing was changed."""
MOST_AT_ONCE = 500
ALL = "all"


def decisions_in(
    context: RequestContext, listing: Listing, fields: Mapping[str, str]
) -> tuple[Decision, dict[UUID, AccrualDecision]]:
    """Return the pressed button, and the decision about each amount with the cents shown.

    Raises InvalidRequest, and Conflict if other amounts than the page showed would be approved.
    """
    if fields.get("approved") == ALL:
        clear = clear_amounts(context, listing)
        if fields.get("all") != version_of_amounts(clear):
            raise Conflict("The amounts that match have changed: check the total and try again")
        return "approved", {
            row.id: AccrualDecision(status="approved", amount_cents=row.amount_cents)
            for row in clear
        }
    decision, chosen = chosen_in(fields, DONE)
    return decision, {accrual_id: _decision(fields, decision, accrual_id) for accrual_id in chosen}


def amounts_of_all_pages(
    context: RequestContext, listing: Listing, amounts: Amounts
) -> Sequence[Accrual]:
    """Return what an admin approves on all pages; () for one page or more than MOST_AT_ONCE."""
    number = amounts.sums.of("final").number
    is_short = len(amounts.rows) < number <= MOST_AT_ONCE
    if listing.status != "final" or not is_short or not context.caller.is_org_admin:
        return ()
    return clear_amounts(context, listing)


def clear_amounts(context: RequestContext, listing: Listing) -> Sequence[Accrual]:
    """Return the amounts of all pages that are not disputed, the latest MOST_AT_ONCE."""
    query = listing.query(listing.days)
    rows = accrual_lists.list_latest(context, query, listing.creator_ids, MOST_AT_ONCE)
    whose = (context.session, context.organization_id)
    disputed = disputed_among(*whose, [row.id for row in rows])
    return [row for row in rows if row.id not in disputed]


def version_of_amounts(rows: Sequence[Accrual]) -> str:
    """Return a hash of amounts: other ones may have the same total."""
    return version_of({str(row.id): row.amount_cents for row in rows})


def _decision(fields: Mapping[str, str], decision: Decision, accrual_id: UUID) -> AccrualDecision:
    """Return the decision with the cents that the page showed; an undo needs none."""
    name = f"cents-{accrual_id}"
    if decision == "final" and name not in fields:
        return AccrualDecision(status=decision)
    return body_of(AccrualDecision, status=decision, amount_cents=cents_in(fields, name))
