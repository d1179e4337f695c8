"""A project's creators as the list shows them: results, money, rules and status."""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from sqlalchemy import func, select

from serving_api.desk.choices import creators_matching, name_of
from serving_api.desk.creator_pages.content import NEW_FOR
from serving_api.desk.creator_pages.missing_numbers import (
    REACTIVATE,
    WithoutNumbers,
    accounts_without_numbers,
)
from serving_api.desk.periods import Period
from serving_api.desk.rankings import views_gained
from serving_api.kit.pagination import among
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.current import accruals_now
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.payouts.assignments.repository import is_current
from serving_api.resources.payouts.balance import balances
from serving_api.resources.payouts.structures.bonuses import bonus_day
from serving_api.resources.tracking.creators.schemas import Creator
from warehouse.operational.models import PayoutAssignment, PayoutStructure, Video


@dataclass(frozen=True, slots=True)
class ListedCreator:
    """A creator with views gained in the period, cents owed, current rules and latest post.

    `is_new`: not yet a day old, as on the creator's page.
    """

    creator: Creator
    name: str
    views: float | None
    owed_cents: int
    rules: Sequence[str]
    last_post: datetime | None
    is_new: bool
    missing_numbers: Sequence[WithoutNumbers]

    @property
    def status(self) -> tuple[str, str]:
        """The status in words, and its tone."""
        active = [each for each in self.creator.accounts if each.deactivated_at is None]
        if not active:
            return "No active account", "bad"
        reasons = (each.reason for each in self.missing_numbers)
        if why := next((each.text for each in reasons if each.remedy != REACTIVATE), None):
            return f"{why[0].upper()}{why[1:]}", "warn"
        if waiting := self.creator.pending_review_count:
            return f"{plural(waiting, 'post')} to review", "warn"
        if not self.checked_at:
            return ("First check queued", "") if self.is_new else ("No check succeeded yet", "warn")
        return "Tracked", "good"

    @property
    def checked_at(self) -> datetime | None:
        """The latest successful check of an active account."""
        active = (each for each in self.creator.accounts if each.deactivated_at is None)
        return max((each.last_scraped_at for each in active if each.last_scraped_at), default=None)


def column_values(
    context: RequestContext, project_id: UUID, period: Period, column: str
) -> Mapping[UUID, float | None] | None:
    """Return the values of a computed column by creator; None for another column."""
    if column == "views_gained":
        _, board = views_gained(context, project_id, period, "creator")
        return {row.entity_id: row.value for row in board.rows}
    if column != "owed_cents":
        return None
    ids = creators_matching(context, project_id, "")
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        owed = balances(accruals, ids, project_id)
    return {creator_id: balance.balance_cents for creator_id, balance in owed.items()}


def listed_creators(
    context: RequestContext, project_id: UUID, period: Period, creators: Sequence[Creator]
) -> list[ListedCreator]:
    """Return creators with what the list shows, by nine queries for any number."""
    ids, now = [creator.id for creator in creators], context.now
    _, board = views_gained(context, project_id, period, "creator")
    views = {row.entity_id: row.value for row in board.rows}
    rules, posts = _rules(context, ids), _last_posts(context, ids)
    missing = accounts_without_numbers(context, project_id, ids)
    with accruals_now(context.session, context.marts, context.organization_id) as accruals:
        owed = balances(accruals, ids)
    return [
        ListedCreator(
            creator=creator,
            name=name_of(creator),
            views=views.get(creator.id),
            owed_cents=owed[creator.id].balance_cents,
            rules=rules[creator.id],
            last_post=posts.get(creator.id),
            is_new=now - creator.created_at < NEW_FOR,
            missing_numbers=missing.get(creator.id, ()),
        )
        for creator in creators
    ]


def _rules(context: RequestContext, ids: Collection[UUID]) -> Mapping[UUID, Sequence[str]]:
    """Return the names of rules whose assignments have started and are not over."""
    today = context.today
    assigned = (
        select(PayoutAssignment.creator_id, PayoutStructure.name)
        .join(PayoutStructure, PayoutStructure.id == PayoutAssignment.structure_id)
        .where(
            PayoutAssignment.organization_id == context.organization_id,
            among(PayoutAssignment.creator_id, ids),
            PayoutAssignment.start_date <= today,
            is_current(today),
            bonus_day().is_(None),
        )
        .order_by(PayoutStructure.name)
        .distinct()
    )
    names: dict[UUID, list[str]] = defaultdict(list)
    for row in context.session.execute(assigned):
        names[row.creator_id].append(row.name)
    return names


def _last_posts(context: RequestContext, ids: Collection[UUID]) -> Mapping[UUID, datetime]:
    """Return the posting times of creators' latest posts."""
    latest = (
        select(Video.creator_id, func.max(Video.posted_at).label("at"))
        .where(Video.organization_id == context.organization_id, among(Video.creator_id, ids))
        .group_by(Video.creator_id)
    )
    rows = context.session.execute(latest)
    return {row.creator_id: row.at for row in rows if row.creator_id and row.at}
