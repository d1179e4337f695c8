"""Which amounts a list of payouts has: their status, period, filters and order."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Literal
from uuid import UUID

from pydantic import Field

from serving_api.desk.choices import creators_named
from serving_api.desk.forms import FormQuery, search_of
from serving_api.desk.periods import Period, PeriodQuery, period_of
from serving_api.kit.days import DayRange
from serving_api.kit.request_context import RequestContext
from serving_api.kit.schemas import Day
from serving_api.resources.payouts.accruals import listing as accrual_lists
from serving_api.resources.payouts.accruals.schemas import Accrual, AccrualQuery
from warehouse.reading.accruals.accrual import AccrualStatus
from warehouse.reading.accruals.listing import ALL

ListStatus = Literal[AccrualStatus, "on_hold"]
Order = Literal["", "amount_cents", "-amount_cents"]
ON_A_PAGE = 50
MOST_OF_A_CREATOR = 10
STATUS_LABELS: Mapping[ListStatus, str] = {
    "final": "To approve",
    "on_hold": "On hold",
    "approved": "To pay",
    "paid": "Paid",
    "settling": "Settling",
    "open": "In progress",
    "void": "Not paid",
}
"""At the desk, in the order of the tabs, and on share pages."""


class View(FormQuery):
    """The query parameters of a list."""

    status: ListStatus = "final"
    creator: str = Field(default="", max_length=200)
    rule: UUID | None = None
    sort: Order = ""
    offset: int = Field(default=0, ge=0, le=2**31 - 1)

    @property
    def filters(self) -> dict[str, str]:
        """The filters that are set."""
        return self.model_dump(mode="json", include={"creator", "rule"}, exclude_defaults=True)

    @property
    def page_query(self) -> dict[str, object]:
        """The query parameters of a later page; {} for the first."""
        return self.model_dump(include={"offset"}, exclude_defaults=True)


class RunView(FormQuery):
    """Which creators a run pays, those with amounts of a list, and until which end of periods.

    It pays their amounts of all rules and of earlier periods, since deductions among them count.
    """

    creator: str = Field(default="", max_length=200)
    rule: UUID | None = None
    since: Day | None = None
    until: Day | None = None

    @property
    def filters(self) -> dict[str, str]:
        """The filters that are set."""
        return self.model_dump(mode="json", exclude_defaults=True)

    def lists(self, amount: Accrual) -> bool:
        """Whether an amount that the run pays is in the list too."""
        is_of_rule = self.rule in (None, amount.structure_id)
        return is_of_rule and (self.since is None or amount.period_end >= self.since)


@dataclass(frozen=True, slots=True)
class Listing:
    """A list of a project's amounts of one status, in the period of `address` if it names one.

    Amounts on hold are in a list of their own and in no other.
    `order` is by amount, with a minus largest first; "" is by creator, the largest sum first.
    `filters` are a rule, and the text of which `creator_ids` are the creators.
    """

    project_id: UUID
    status: ListStatus
    period: Period
    address: Mapping[str, str]
    order: Order = ""
    filters: Mapping[str, str] = field(default_factory=dict)
    creator_ids: Collection[UUID] | None = None

    @property
    def carried(self) -> dict[str, str]:
        """Query parameters to keep in links to other pages of amounts."""
        return {**self.address, **self.filters, **({"sort": self.order} if self.order else {})}

    @property
    def most_of_each(self) -> int:
        """Limit of a creator's amounts in a list by creator, so that one does not fill it."""
        return ALL if "creator" in self.filters else MOST_OF_A_CREATOR

    @property
    def run(self) -> dict[str, str]:
        """Query parameters of the payment run of these amounts' creators."""
        days = {"since": self.days.from_day, "until": self.days.to_day} if self.days else {}
        return RunView.model_validate({**self.filters, **days}).filters

    @property
    def days(self) -> DayRange | None:
        """Days on which the amounts' periods end; None lists all."""
        return self.period.days if self.address else None

    def query(self, days: DayRange | None, **changes: object) -> AccrualQuery:
        """Return the query for amounts whose periods end on these days.

        A range until today includes amounts in progress, whose periods end later.
        """
        span: dict[str, object] = {}
        if days:
            last = None if days.to_day == self.period.today else days.to_day
            span = {"from": days.from_day, "to": last}
        is_held = self.status == "on_hold"
        which = {"status": None if is_held else self.status, "held": is_held}
        page = {"structure_id": self.filters.get("rule"), "limit": ON_A_PAGE}
        whose = {"project_id": self.project_id}
        return AccrualQuery.model_validate(whose | which | page | span | changes)


def listing_of(context: RequestContext, project_id: UUID, view: View, sent: PeriodQuery) -> Listing:
    """Return the list of a query."""
    period = period_of(context, sent, all_history=True)
    search = search_of(view.creator)
    return Listing(
        project_id=project_id,
        status=view.status,
        period=period,
        address={} if period.rejected.wrong else sent.address,
        order=view.sort,
        filters=view.filters,
        creator_ids=creators_named(context, project_id, search) if search else None,
    )


def spend_of(context: RequestContext, listing: Listing) -> int | None:
    """Return what pay periods that end on the list's days come to, as the overview's spend."""
    if listing.days is None:
        return None
    query = listing.query(listing.days, status=None, held=None, to=listing.days.to_day)
    return accrual_lists.total(context, query, listing.creator_ids)


def creators_of_run(
    context: RequestContext, project_id: UUID, view: RunView, unpaid: AccrualQuery, most: int
) -> tuple[Collection[UUID] | None, bool]:
    """Return the creators of the list that a run came from, and whether it has more amounts."""
    search = search_of(view.creator)
    creator_ids = creators_named(context, project_id, search) if search else None
    if view.rule is None and view.since is None:
        return creator_ids, False
    of_list = {"structure_id": view.rule, "from_day": view.since}
    query = unpaid.model_copy(update=of_list)
    amounts, has_more = accrual_lists.list_unpaid(context, query, most, creator_ids)
    return {amount.creator_id for amount in amounts}, has_more
