"""What the pages of payouts show: amounts with who gets them, and what one was computed from."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.desk.creators import names_of
from serving_api.desk.periods import Period
from serving_api.desk.post_pages.pictures import pictures_of
from serving_api.desk.sorting import Column
from serving_api.errors import NotFound
from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts import accounts as payout_accounts
from serving_api.resources.payouts.accruals import service as accruals
from serving_api.resources.payouts.accruals.by_amount import read_by_amount
from serving_api.resources.payouts.accruals.schemas import (
    Accrual,
    AccrualDetail,
    AccrualQuery,
    Hold,
)
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import Dispute, DisputeQuery
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethod, PayoutMethodQuery
from serving_api.resources.tracking.videos.titles import titles_of
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import in_words, posts_in
from warehouse.reading.accruals.accrual import AccrualStatus

Order = Literal["", "amount_cents", "-amount_cents"]
ON_A_PAGE = 25
MOST_PAID_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Amount:
    """An accrual and who gets it."""

    accrual: Accrual
    creator: str


@dataclass(frozen=True, slots=True)
class Before:
    """What the amounts of the period before come to, and the change in percent where it has one."""

    cents: int
    change_pct: float | None


@dataclass(frozen=True, slots=True)
class Amounts:
    """A page of amounts, what all pages come to, and where the next one begins."""

    rows: Sequence[Amount]
    total_cents: int
    cursor: str | None
    before: Before | None = None
    next_offset: int | None = None
    """Where the next page begins of a list that is sorted by amount."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One amount: what it was computed from, and what was said against it.

    `pictures` are those of the posts in `table`. `check` is what it waits for or, in a payment,
    what was found to be odd later.
    """

    accrual: AccrualDetail
    creator: str
    table: Table | None
    pictures: Mapping[str, str]
    lines: Sequence[str]
    disputes: Sequence[Dispute]
    check: Hold | None


@dataclass(frozen=True, slots=True)
class Payable:
    """What of a creator is approved and in no payment, the ways to pay, and the creator's `own`."""

    creator_id: UUID
    creator: str
    amounts: Amounts
    methods: Sequence[PayoutMethod]
    own: UUID | None


@dataclass(frozen=True, slots=True)
class Listing:
    """Which amounts of a project are listed: all of a status, unless `address` names a period.

    `order` is by amount, with a minus the largest first; empty: the latest period first.
    """

    project_id: UUID
    status: AccrualStatus
    period: Period
    address: Mapping[str, str]
    order: Order = ""

    @property
    def carried(self) -> dict[str, str]:
        """The parameters that pages of other amounts have too."""
        return {**self.address, **({"sort": self.order} if self.order else {})}

    @property
    def days(self) -> DayRange | None:
        """The days on which periods of amounts end; None where all are listed."""
        return self.period.days if self.address else None

    def query(self, days: DayRange | None, cursor: str | None = None) -> AccrualQuery:
        """Return the query of a page of amounts whose periods end on these days.

        Days until today have the amounts in progress too: their periods end later.
        """
        span: dict[str, object] = {}
        if days:
            last = None if days.to_day == self.period.today else days.to_day
            span = {"from": days.from_day, "to": last}
        whose = {"project_id": self.project_id, "status": self.status}
        page = {"cursor": cursor, "limit": ON_A_PAGE}
        return AccrualQuery.model_validate(whose | page | span)


AMOUNT_COLUMNS: Final[tuple[Column[Amount], ...]] = (
    Column("id", None, lambda amount: amount.accrual.id),
    Column("creator", None, lambda amount: amount.creator),
    Column("structure", None, lambda amount: amount.accrual.structure_name),
    Column("period_start", None, lambda amount: amount.accrual.period_start),
    Column("period_end", None, lambda amount: amount.accrual.period_end),
    Column("status", None, lambda amount: amount.accrual.status),
    Column("amount_cents", "Amount", lambda amount: amount.accrual.amount_cents, is_number=True),
)


def amounts_of(
    context: RequestContext, listing: Listing, cursor: str | None, offset: int = 0
) -> Amounts:
    """Return a page of a project's amounts in the order of the list. Raises InvalidCursor."""
    query = listing.query(listing.days, cursor)
    if listing.order:
        amounts = _by_amount(context, query, listing.order, offset)
    else:
        amounts = list_amounts(context, query)
    return replace(amounts, before=_before(context, listing))


def _by_amount(context: RequestContext, query: AccrualQuery, order: Order, offset: int) -> Amounts:
    largest_first = order == "-amount_cents"
    page = read_by_amount(context, query, largest_first=largest_first, offset=offset)
    following = offset + ON_A_PAGE if page.meta.hasMore else None
    amounts = _named(context, page.data)
    return Amounts(amounts, page.meta.total_cents, None, next_offset=following)


def _before(context: RequestContext, listing: Listing) -> Before | None:
    """Return what the period before comes to; None where no whole days are compared."""
    period = listing.period
    if listing.days is None or period.compared is None or period.before is None:
        return None
    cents, earlier = (
        accruals.total(context, listing.query(days)) for days in (period.compared, period.before)
    )
    return Before(earlier, 100 * (cents - earlier) / earlier if earlier > 0 else None)


def amount_in(context: RequestContext, project_id: UUID, accrual_id: UUID) -> AccrualDetail:
    """Return an amount of a project. Raises NotFound."""
    accrual = accruals.read_accrual(context, accrual_id)
    _require_in(project_id, accrual)
    return accrual


def _require_in(project_id: UUID, accrual: AccrualDetail) -> None:
    if accrual.project_id != project_id:
        raise NotFound.named("Accrual")


def explained(context: RequestContext, project_id: UUID, accrual_id: UUID) -> Explained:
    """Return one amount of a project. Raises NotFound."""
    accrual, check = accruals.read_checked(context, accrual_id)
    _require_in(project_id, accrual)
    zone = ZoneInfo(context.caller.analytics_tz)
    titles = titles_of(context.session, context.organization_id, posts_in(accrual.evidence))
    table = table_of(accrual.amount_cents, accrual.evidence, titles, zone)
    posts = [UUID(post.video_id) for post in table.posts] if table else []
    return Explained(
        accrual=accrual,
        creator=names_of(context, [accrual.creator_id])[accrual.creator_id],
        table=table,
        pictures={str(post): version for post, version in pictures_of(context, posts).items()},
        lines=in_words(accrual.evidence, titles, zone),
        disputes=disputes.list_page(context, DisputeQuery(accrual_id=accrual_id)).data,
        check=check,
    )


def payable(context: RequestContext, project_id: UUID, creator_id: UUID) -> Payable:
    """Return what a creator of a project may be paid. Raises NotFound where that is nothing."""
    query = AccrualQuery(
        project_id=project_id,
        creator_id=creator_id,
        status="approved",
        held=False,
        limit=MOST_PAID_AT_ONCE,
    )
    amounts = list_amounts(context, query, in_payment=False)
    if not amounts.rows:
        raise NotFound("Nothing of this creator is approved and not paid")
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    account = payout_accounts.find(context.session, context.organization_id, creator_id)
    own = account.payout_method_id if account else None
    return Payable(creator_id, amounts.rows[0].creator, amounts, ways, own)


def list_amounts(
    context: RequestContext, query: AccrualQuery, *, in_payment: bool | None = None
) -> Amounts:
    """Return a page of amounts with who gets them."""
    page = accruals.list_page(context, query, in_payment=in_payment)
    return Amounts(_named(context, page.data), page.meta.total_cents, page.meta.nextCursor)


def latest_amounts(context: RequestContext, query: AccrualQuery) -> list[Amount]:
    """Return the first amounts alone, with who gets them."""
    return _named(context, accruals.list_latest(context, query))


def _named(context: RequestContext, accrual_rows: Sequence[Accrual]) -> list[Amount]:
    names = names_of(context, {accrual.creator_id for accrual in accrual_rows})
    return [Amount(accrual, names[accrual.creator_id]) for accrual in accrual_rows]
