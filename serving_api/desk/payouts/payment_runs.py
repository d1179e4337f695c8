"""`/desk/projects/{project_id}/payouts/run`: payments to many creators, and their CSV."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import names_of, rule_choices
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import SELECTED, body_of, text_of
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.payouts.accounts import details_of
from serving_api.desk.payouts.listing import RunView, creators_of_run
from serving_api.desk.payouts.paying import DAY, RUN, default_method, paid_at_in
from serving_api.desk.payouts.payment_pages import PAYMENTS
from serving_api.desk.payouts.routes import payouts_page
from serving_api.desk.routes import views
from serving_api.desk.sorting import file_for_people, in_units
from serving_api.errors import ApiError, InvalidBody, InvalidRequest
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Params
from serving_api.resources.payouts import accounts as payout_accounts
from serving_api.resources.payouts.accruals import listing
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualQuery
from serving_api.resources.payouts.accruals.summary import page_dollars, plural
from serving_api.resources.payouts.disputes.repository import disputed_among
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethodQuery
from serving_api.resources.payouts.payments import service as payments
from serving_api.resources.payouts.payments.schemas import NewPayment
from serving_api.resources.payouts.structures.rules import CURRENCY
from warehouse.operational.models import PayoutAccount

MOST_CREATORS = 40
MOST_AMOUNTS = 500


@dataclass(frozen=True, slots=True)
class Due:
    """What a creator is owed, and the creator's payout account.

    `disputed` is the number of amounts whose dispute waits for a decision, and `listed_cents` the
    sum of those that the filters list.
    """

    creator_id: UUID
    creator: str
    accrual_ids: tuple[UUID, ...]
    cents: int
    listed_cents: int
    disputed: int
    account: PayoutAccount | None

    @property
    def version(self) -> str:
        """A digest of the amounts: different amounts may have the same total."""
        ids = ",".join(sorted(map(str, self.accrual_ids)))
        return sha256(f"{self.cents} {ids}".encode()).hexdigest()[:32]


@dataclass(frozen=True, slots=True)
class Dues:
    """The creators of one payment run; `has_more`: a later run has more creators or amounts.

    `method` is to preselect. `filters` chose the creators.
    """

    filters: Mapping[str, str]
    creators: Sequence[Due]
    methods: Mapping[str, str]
    rules: Mapping[str, str]
    has_more: bool
    method: str


def dues_of(context: RequestContext, project_id: UUID, view: RunView) -> Dues:
    """Return what is owed for periods ending by a day, without negative balances."""
    query = AccrualQuery(project_id=project_id, status="approved", held=False, to=view.until)
    creator_ids, more_listed = creators_of_run(context, project_id, view, query, MOST_AMOUNTS)
    amounts, has_more = listing.list_unpaid(context, query, MOST_AMOUNTS, creator_ids)
    by_creator: dict[UUID, list[Accrual]] = defaultdict(list)
    for amount in amounts:
        by_creator[amount.creator_id].append(amount)
    names = names_of(context, by_creator)
    accounts = payout_accounts.of_creators(context, by_creator)
    ids = [amount.id for amount in amounts]
    disputed = disputed_among(context.session, context.organization_id, ids)
    dues = [
        Due(
            creator_id=creator_id,
            creator=names[creator_id],
            accrual_ids=tuple(accrual.id for accrual in owed),
            cents=sum(accrual.amount_cents for accrual in owed),
            listed_cents=sum(each.amount_cents for each in owed if view.lists(each)),
            disputed=sum(accrual.id in disputed for accrual in owed),
            account=accounts.get(creator_id),
        )
        for creator_id, owed in by_creator.items()
    ]
    payable = sorted((due for due in dues if due.cents >= 0), key=lambda due: due.creator)
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    names_of_methods = {str(way.id): way.name for way in ways}
    return Dues(
        filters=view.filters,
        creators=payable[:MOST_CREATORS],
        methods=names_of_methods,
        rules=rule_choices(context, project_id),
        has_more=has_more or more_listed or len(payable) > MOST_CREATORS,
        method=default_method(context, project_id, list(names_of_methods)),
    )


CSV = f"{RUN}/csv"
COLUMNS = ("name", "method", "amount", "currency", "reference", "payout_details")
METHOD, VERSION = "payout_method_id", "version"
FOR_ALL = "for_all"
REFERENCE = "reference"
_PAID = (
    "A selected creator was paid in the meantime and is no longer listed."
    " Check the total and try again."
)
_CHANGED = (
    "The amounts of {} have changed since this page was opened, and are now shown as they are."
    " Check the total and try again."
)
CALLED = {DAY: DAY, "paid_at": DAY, REFERENCE: REFERENCE}
"""Form fields shared by all payments."""

router = desk_router()


@router.get(RUN, dependencies=[views])
def show_run(
    request: Request, context: AdminReader, project_id: UUID, view: Params[RunView]
) -> Response:
    """Show what creators are owed for periods ending by a day, and the form that pays them."""
    return _page(request, context, dues_of(context, project_id, view), NOTHING)


@router.post(CSV, dependencies=[views])
def show_transfers(
    request: Request, context: AdminReader, project_id: UUID, fields: OwnFields
) -> Response:
    """Return the transfers to the selected creators as CSV; records nothing."""
    dues = _dues(request, context, project_id, fields)
    rows = [
        (
            due.creator,
            dues.methods[method],
            in_units(due.cents),
            CURRENCY,
            text,
            details_of(context, due.account, method),
        )
        for due, method, text in _transfers(dues, fields)
    ]
    return file_for_people("transfers", COLUMNS, rows, **{"Cache-Control": "no-store"})


@router.post(RUN, dependencies=[views])
def record_run(
    request: Request, context: AdminWriter, project_id: UUID, fields: OwnFields
) -> Response:
    """Record a payment to each selected creator, all or none."""
    dues = _dues(request, context, project_id, fields)
    paid_at = paid_at_in(context, fields)
    bodies = {
        due: body_of(
            NewPayment,
            creator_id=due.creator_id,
            project_id=project_id,
            payout_method_id=method,
            accrual_ids=list(due.accrual_ids),
            amount_cents=due.cents,
            paid_at=paid_at,
            reference=reference or None,
        )
        for due, method, reference in _transfers(dues, fields)
    }
    made = []
    with payments.paying(context, list(bodies.values()), approved=True) as add:
        for due, body in bodies.items():
            try:
                made.append(add(body))
            except ApiError as error:
                sentence = f"{due.creator}: {_why(error)}. Nothing was recorded."
                raise InvalidBody.at(f"{METHOD}.{due.creator_id}", sentence) from error
    cents = page_dollars(sum(due.cents for due in bodies))
    words = f"{plural(len(bodies), 'payment')} recorded, {cents}."
    back = PAYMENTS.format(project_id=project_id)
    return redirect(back, words, "void", [payment.id for payment in made])


def _why(error: ApiError) -> str:
    if isinstance(error, InvalidBody):
        return "The amount has changed, reload the page"
    return error.message


def _transfers(dues: Dues, fields: Mapping[str, str]) -> Sequence[tuple[Due, str, str]]:
    """Return the selected dues with method and reference. Raises InvalidBody and InvalidRequest."""
    selected = [due for due in dues.creators if f"{SELECTED}.{due.creator_id}" in fields]
    gone = {name for name in fields if name.startswith(f"{SELECTED}.")} - {
        f"{SELECTED}.{due.creator_id}" for due in selected
    }
    sent = {due: fields.get(f"{VERSION}.{due.creator_id}") for due in selected}
    changed = [due.creator for due, version in sent.items() if version != due.version]
    if gone or changed:
        raise InvalidRequest(_CHANGED.format(", ".join(changed)) if changed else _PAID)
    if not selected:
        raise InvalidBody.at(REFERENCE, "Select at least one creator")
    reference = text_of(fields.get(REFERENCE, "")) or ""
    transfers = []
    for due in selected:
        name = f"{METHOD}.{due.creator_id}"
        own = "" if FOR_ALL in fields else fields.get(name, "")
        if (method := own or fields.get(METHOD, "")) not in dues.methods:
            raise InvalidBody.at(name, f"Choose a payout method for {due.creator}")
        transfers.append((due, method, reference))
    return transfers


def _dues(
    request: Request, context: RequestContext, project_id: UUID, fields: Mapping[str, str]
) -> Dues:
    """Return the dues, and show later errors in the form."""
    view = body_of(RunView, **{name: fields.get(name, "") for name in RunView.model_fields})
    dues = dues_of(context, project_id, view)
    methods = (f"{METHOD}.{due.creator_id}" for due in dues.creators)
    names = CALLED | {METHOD: METHOD} | {name: name for name in methods}
    show = partial(_page, request, context, dues)
    show_again(request, fields, names, show)
    return dues


def _page(request: Request, context: RequestContext, dues: Dues, entered: Entered) -> Response:
    return payouts_page(request, context, "desk_payment_run.html", dues=dues, entered=entered)
