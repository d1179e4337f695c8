"""Content of the payout pages."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from types import MappingProxyType
from typing import Any, Final
from uuid import UUID
from zoneinfo import ZoneInfo

from serving_api.desk.choices import names_of
from serving_api.desk.disputes import Disputed, named
from serving_api.desk.payouts.changes import Change, change_of
from serving_api.desk.payouts.listing import Listing, ListStatus
from serving_api.desk.post_pages.rows import pictures_of
from serving_api.desk.sorting import Column
from serving_api.errors import NotFound
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards.comparing import views_known_before
from serving_api.resources.payouts.accruals import listing as accrual_lists
from serving_api.resources.payouts.accruals import service as accruals
from serving_api.resources.payouts.accruals.earlier import AmountChange, changes_among
from serving_api.resources.payouts.accruals.holds import version_of
from serving_api.resources.payouts.accruals.replacing import Replacement, read_replacements
from serving_api.resources.payouts.accruals.schemas import (
    Accrual,
    AccrualDetail,
    AccrualQuery,
    Hold,
)
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.repository import disputed_among
from serving_api.resources.payouts.disputes.schemas import DisputeQuery
from serving_api.resources.payouts.history import Step, history_of_amount
from serving_api.resources.tracking.videos.presenter import titles_of
from serving_api.share_page.corrections import Corrections, read_corrections
from serving_api.share_page.evidence_table import Table, table_of
from serving_api.share_page.evidence_words import fell_in, in_words, posts_in
from warehouse.reading.accruals.accrual import Accrual as Correction
from warehouse.reading.accruals.accrual import AccrualStatus
from warehouse.reading.accruals.listing import Subtotal

EMPTY: Final[Mapping[UUID, Any]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Amount:
    """An accrual, names of its creator and a view bonus's post, and whether a dispute is open.

    `views` are what cpm counts, or what reached a view bonus. `odd_post` is the post of the first
    anomaly that holds it. `related` corrects a paid amount. `change` is since last period.
    """

    accrual: Accrual
    creator: str
    post: str | None
    is_disputed: bool
    views: int | None = None
    odd_post: str | None = None
    related: Corrections | None = None
    change: AmountChange | None = None

    @property
    def rate_cents(self) -> int | None:
        """The cents per 1,000 views of cpm, rounded."""
        if self.accrual.criteria_type != "cpm" or not self.views:
            return None
        return round(1000 * self.accrual.amount_cents / self.views)


@dataclass(frozen=True, slots=True)
class Before:
    """The total of the previous period, and the change in percent if it is positive."""

    cents: int
    change_pct: float | None


@dataclass(frozen=True, slots=True)
class Sums:
    """Number and cents of amounts by status: of those on hold, and of the others."""

    held: Mapping[AccrualStatus, Subtotal]
    others: Mapping[AccrualStatus, Subtotal]

    def of(self, status: ListStatus) -> Subtotal:
        """Return number and cents of a list's pages."""
        if status == "on_hold":
            return Subtotal(*map(sum, zip(*self.held.values(), strict=True)))
        return self.others.get(status, Subtotal())


@dataclass(frozen=True, slots=True)
class Amounts:
    """A page of amounts, the sums of all lists, creators' subtotals, and the next offset."""

    rows: Sequence[Amount]
    replaced: Mapping[UUID, Replacement]
    sums: Sums
    subtotals: Mapping[UUID, Subtotal]
    before: Before | None
    next_offset: int | None

    @property
    def groups(self) -> list[tuple[UUID, list[Amount]]]:
        """The rows by creator, in their order."""
        by_creator = groupby(self.rows, lambda amount: amount.accrual.creator_id)
        return [(creator_id, list(rows)) for creator_id, rows in by_creator]


@dataclass(frozen=True, slots=True)
class Explained:
    """One amount with its evidence and disputes.

    `titles` are of posts, `pictures` of those in `table`. `check` is its hold or, for a paid
    amount, anomalies found after payment.
    """

    accrual: AccrualDetail
    creator: str
    table: Table | None
    titles: Mapping[str, str]
    pictures: Mapping[str, str]
    lines: Sequence[str]
    disputes: Sequence[Disputed]
    check: Hold | None
    history: Sequence[Step]
    """Decisions, holds, releases and payments, the first first."""
    change: Change | None
    related: Corrections | None
    replaced_by: Replacement | None
    correction: tuple[Correction, int] | None
    """What an answer "corrected" to the open dispute names, and its cents."""

    @property
    def check_version(self) -> UUID | None:
        return version_of(self.check) if self.check else None


AMOUNT_COLUMNS: Final[tuple[Column[Amount], ...]] = (
    Column("amount_cents", "Amount", lambda amount: amount.accrual.amount_cents, is_number=True),
)


def amounts_of(context: RequestContext, listing: Listing, offset: int) -> Amounts:
    """Return a page of a project's amounts."""
    listed = accrual_lists.read_sorted(
        context,
        listing.query(listing.days),
        listing.creator_ids,
        largest_first=listing.order == "-amount_cents" if listing.order else None,
        offset=offset,
        most_of_each=listing.most_of_each,
    )
    settled = {row.id for row in listed.rows if row.payment_id or row.kind == "adjustment"}
    related = read_corrections(context, settled)
    named_rows = with_names(context, listed.rows, listed.views, changes_among(context, listed.rows))
    return Amounts(
        rows=[replace(row, related=related.get(row.accrual.id)) for row in named_rows],
        replaced=read_replacements(context, listed.rows),
        sums=sums_of(context, listing),
        subtotals=listed.subtotals,
        before=_before(context, listing),
        next_offset=offset + len(listed.rows) if listed.has_more else None,
    )


def sums_of(context: RequestContext, listing: Listing) -> Sums:
    """Return the sums of a list's pages, and of the lists of other statuses."""
    query = listing.query(listing.days, status=None, held=None)
    return Sums(*accrual_lists.sums_by_status(context, query, listing.creator_ids))


def _before(context: RequestContext, listing: Listing) -> Before | None:
    """Return the previous period's total, or None if no complete days can be compared."""
    if listing.days is None or not (period := listing.period).compared or not period.before:
        return None
    cents, earlier = (
        accrual_lists.total(context, listing.query(days), listing.creator_ids)
        for days in (period.compared, period.before)
    )
    has_change = earlier > 0 and views_known_before(context, period.compared, listing.project_id)
    return Before(earlier, 100 * (cents - earlier) / earlier if has_change else None)


def explained(context: RequestContext, project_id: UUID, accrual_id: UUID) -> Explained:
    """Return a project's amount with its evidence. Raises NotFound."""
    accrual, check = accruals.read_checked(context, accrual_id)
    if accrual.project_id != project_id:
        raise NotFound.named("Accrual")
    zone = ZoneInfo(accrual.timezone)
    odd = {str(reading.video_id) for reading in check.readings} if check else set()
    whose = (context.session, context.organization_id)
    titles = titles_of(*whose, odd.union(posts_in(accrual.evidence)), zone)
    table = table_of(accrual.amount_cents, accrual.evidence, titles, zone)
    posts = [UUID(post.video_id) for post in table.posts] if table else []
    claims = disputes.list_page(context, DisputeQuery(accrual_id=accrual_id)).data
    open_claim = next((claim.id for claim in claims if not claim.resolved_at), None)
    has_fall = fell_in(context.marts, context.organization_id, accrual)
    return Explained(
        accrual=accrual,
        creator=names_of(context, [accrual.creator_id])[accrual.creator_id],
        table=table,
        titles=titles,
        pictures={str(post): version for post, version in pictures_of(context, posts).items()},
        lines=in_words(accrual.evidence, titles, zone, has_fall=has_fall),
        disputes=named(context, claims),
        check=check,
        history=history_of_amount(*whose, accrual_id, accrual.adjusts_accrual_id or accrual_id),
        change=change_of(context, accrual),
        related=read_corrections(context, [accrual_id]).get(accrual_id),
        replaced_by=read_replacements(context, [accrual]).get(accrual_id),
        correction=disputes.correction_of(context, open_claim) if open_claim else None,
    )


def latest_amounts(
    context: RequestContext, query: AccrualQuery, creator_ids: Collection[UUID] | None = None
) -> list[Amount]:
    """Return the first amounts, of some creators or all, with names and without a total."""
    return with_names(context, accrual_lists.list_latest(context, query, creator_ids))


def with_names(
    context: RequestContext,
    accrual_rows: Sequence[Accrual],
    views: Mapping[UUID, int] = EMPTY,
    changes: Mapping[UUID, AmountChange] = EMPTY,
) -> list[Amount]:
    """Return amounts with the names of their creators and posts, and open disputes."""
    names = names_of(context, {accrual.creator_id for accrual in accrual_rows})
    posts = {str(row.subject_id) for row in accrual_rows if row.view_count and row.subject_id}
    whose = (context.session, context.organization_id)
    held = {row.id: row.held.readings for row in accrual_rows if row.held}
    odd = {row_id: str(readings[0].video_id) for row_id, readings in held.items() if readings}
    titles = titles_of(*whose, posts.union(odd.values()))
    disputed = disputed_among(*whose, [row.id for row in accrual_rows])
    return [
        Amount(
            accrual=row,
            creator=names[row.creator_id],
            post=titles.get(str(row.subject_id)),
            is_disputed=row.id in disputed,
            views=views.get(row.id, row.view_count),
            odd_post=titles.get(odd.get(row.id, "")),
            change=changes.get(row.id),
        )
        for row in accrual_rows
    ]
