"""Content of the payout pages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Literal
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.desk.choices import names_of
from serving_api.desk.periods import Period
from serving_api.desk.post_pages.rows import pictures_of
from serving_api.desk.sorting import Column
from serving_api.errors import NotFound
from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts import accounts as payout_accounts
from serving_api.resources.payouts.accruals import listing as accrual_lists
from serving_api.resources.payouts.accruals import service as accruals
from serving_api.resources.payouts.accruals.repository import release_reasons
from serving_api.resources.payouts.accruals.schemas import (
    Accrual,
    AccrualDetail,
    AccrualQuery,
    Hold,
)
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.repository import disputed_among
from serving_api.resources.payouts.disputes.schemas import Dispute, DisputeQuery
from serving_api.resources.payouts.methods import service as methods
from serving_api.resources.payouts.methods.schemas import PayoutMethod, PayoutMethodQuery
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import in_words, posts_in
from warehouse.reading.accruals.accrual import AccrualStatus

Order = Literal["", "amount_cents", "-amount_cents"]
ON_A_PAGE = 25
MOST_PAID_AT_ONCE = 100


@dataclass(frozen=True, slots=True)
class Amount:
    """An accrual, names of its creator and a view bonus's post, and whether a dispute is open."""

    accrual: Accrual
    creator: str
    post: str | None
    is_disputed: bool


@dataclass(frozen=True, slots=True)
class Before:
    """The total of the previous period, and the change in percent if it is positive."""

    cents: int
    change_pct: float | None


@dataclass(frozen=True, slots=True)
class Amounts:
    """A page of amounts, the total over all pages, and the next page's cursor."""

    rows: Sequence[Amount]
    total_cents: int
    cursor: str | None
    before: Before | None = None
    next_offset: int | None = None
    """The next page's offset in a list sorted by amount."""


@dataclass(frozen=True, slots=True)
class Explained:
    """One amount with its evidence and disputes.

    `pictures` are of the posts in `table`. `check` is its hold or, for a paid amount, anomalies
    found after payment.
    """

    accrual: AccrualDetail
    creator: str
    table: Table | None
    pictures: Mapping[str, str]
    lines: Sequence[str]
    disputes: Sequence[Dispute]
    check: Hold | None
    releases: Sequence[tuple[datetime, str]]
    """When the amount was released from a hold, and why."""


@dataclass(frozen=True, slots=True)
class Payable:
    """A creator's approved amounts in no payment, payout methods, and the creator's own method."""

    creator_id: UUID
    creator: str
    amounts: Sequence[Amount]
    has_more: bool
    methods: Sequence[PayoutMethod]
    own: UUID | None


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of a project's amounts of one status, in the period of `address` if it names one.

    `order` is by amount, with a minus largest first; "" is by period, latest first.
    """

    project_id: UUID
    status: AccrualStatus
    period: Period
    address: Mapping[str, str]
    order: Order = ""

    @property
    def carried(self) -> dict[str, str]:
        """Query parameters to keep in links to other pages of amounts."""
        return {**self.address, **({"sort": self.order} if self.order else {})}

    @property
    def days(self) -> DayRange | None:
        """Days on which the amounts' periods end; None lists all."""
        return self.period.days if self.address else None

    def query(self, days: DayRange | None, cursor: str | None = None) -> AccrualQuery:
        """Return the query for amounts whose periods end on these days.

        A range until today includes amounts in progress, whose periods end later.
        """
        span: dict[str, object] = {}
        if days:
            last = None if days.to_day == self.period.today else days.to_day
            span = {"from": days.from_day, "to": last}
        whose = {"project_id": self.project_id, "status": self.status}
        page = {"cursor": cursor, "limit": ON_A_PAGE}
        return AccrualQuery.model_validate(whose | page | span)


AMOUNT_COLUMNS: Final[tuple[Column[Amount], ...]] = (
    Column("amount_cents", "Amount", lambda amount: amount.accrual.amount_cents, is_number=True),
)


def amounts_of(
    context: RequestContext, listing: Listing, cursor: str | None, offset: int = 0
) -> Amounts:
    """Return a page of a project's amounts. Raises InvalidCursor."""
    query = listing.query(listing.days, cursor)
    if listing.order:
        amounts = _by_amount(context, query, listing.order, offset)
    else:
        amounts = list_amounts(context, query)
    return replace(amounts, before=_before(context, listing))


def _by_amount(context: RequestContext, query: AccrualQuery, order: Order, offset: int) -> Amounts:
    largest_first = order == "-amount_cents"
    page = accrual_lists.read_by_amount(context, query, largest_first=largest_first, offset=offset)
    following = offset + ON_A_PAGE if page.meta.hasMore else None
    amounts = with_names(context, page.data)
    return Amounts(amounts, page.meta.total_cents, None, next_offset=following)


def _before(context: RequestContext, listing: Listing) -> Before | None:
    """Return the previous period's total, or None if no complete days can be compared."""
    period = listing.period
    if listing.days is None or period.compared is None or period.before is None:
        return None
    cents, earlier = (
        accrual_lists.total(context, listing.query(days))
        for days in (period.compared, period.before)
    )
    return Before(earlier, 100 * (cents - earlier) / earlier if earlier > 0 else None)


def explained(context: RequestContext, project_id: UUID, accrual_id: UUID) -> Explained:
    """Return a project's amount with its evidence. Raises NotFound."""
    accrual, check = accruals.read_checked(context, accrual_id)
    if accrual.project_id != project_id:
        raise NotFound.named("Accrual")
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
        releases=release_reasons(
            context.session,
            context.organization_id,
            accrual.adjusts_accrual_id or accrual_id,
        ),
    )


def payable(context: RequestContext, project_id: UUID, creator_id: UUID) -> Payable:
    """Return the amounts to pay to a creator. Raises NotFound if there are none."""
    query = AccrualQuery(
        project_id=project_id, creator_id=creator_id, status="approved", held=False
    )
    unpaid, has_more = accrual_lists.list_unpaid(context, query, MOST_PAID_AT_ONCE)
    amounts = with_names(context, unpaid)
    if not amounts:
        raise NotFound("This creator has no approved amounts to pay")
    ways = methods.list_methods(context, PayoutMethodQuery()).data
    account = payout_accounts.find(context.session, context.organization_id, creator_id)
    own = account.payout_method_id if account else None
    return Payable(creator_id, amounts[0].creator, amounts, has_more, ways, own)


def list_amounts(context: RequestContext, query: AccrualQuery) -> Amounts:
    """Return a page of amounts with creator names."""
    page = accrual_lists.list_page(context, query)
    return Amounts(with_names(context, page.data), page.meta.total_cents, page.meta.nextCursor)


def latest_amounts(
    context: RequestContext, query: AccrualQuery, creator_ids: Collection[UUID] = ()
) -> list[Amount]:
    """Return the first amounts, of some creators or all, with names and without a total."""
    return with_names(context, accrual_lists.list_latest(context, query, creator_ids))


def with_names(context: RequestContext, accrual_rows: Sequence[Accrual]) -> list[Amount]:
    """Return amounts with the names of their creators and posts, and open disputes."""
    names = names_of(context, {accrual.creator_id for accrual in accrual_rows})
    posts = {str(row.subject_id) for row in accrual_rows if row.view_count and row.subject_id}
    whose = (context.session, context.organization_id)
    titles = titles_of(*whose, posts)
    disputed = disputed_among(*whose, [row.id for row in accrual_rows])
    return [
        Amount(row, names[row.creator_id], titles.get(str(row.subject_id)), row.id in disputed)
        for row in accrual_rows
    ]
