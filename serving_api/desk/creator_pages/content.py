"""Content of a creator's page."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from uuid import UUID

from sqlalchemy import select

from serving_api.desk.charts import ViewsChart, with_events
from serving_api.desk.choices import creator_in, name_of
from serving_api.desk.creator_pages.missing_numbers import WithoutNumbers, accounts_without_numbers
from serving_api.desk.needs import Need
from serving_api.desk.payouts.content import Amount, latest_amounts
from serving_api.desk.payouts.lapsed import lapsed_needs
from serving_api.desk.periods import Period
from serving_api.desk.settings.unread_goals import without_unread
from serving_api.desk.view_charts import Outlook, to_month_end, views_of
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.schemas import AccrualQuery
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.assignments.overlaps import paid_twice
from serving_api.resources.payouts.assignments.schemas import Assignment
from serving_api.resources.payouts.balance import Balance, read_balance
from serving_api.resources.payouts.disputes import service as disputes
from serving_api.resources.payouts.disputes.schemas import DisputeQuery
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.payouts.structures.schemas import Structure, StructureQuery
from serving_api.resources.programs.campaigns.repository import with_creator
from serving_api.resources.programs.goal_compliance.schemas import Compliance, ComplianceQuery
from serving_api.resources.programs.goal_compliance.service import list_compliance
from serving_api.resources.tracking.accounts import repository as accounts
from serving_api.resources.tracking.creators.schemas import CreatorDetail
from serving_api.resources.tracking.videos import service as videos
from serving_api.resources.tracking.videos.schemas import Video, VideoQuery
from warehouse.operational.models import Campaign, Creator, PayoutStructure

NEW_FOR = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class FirstCheck:
    """Progress of the first check. `posts` is None before it, `numbers_at` before numbers exist."""

    posts: int | None
    numbers_at: datetime | None

    @property
    def waits(self) -> bool:
        """Whether numbers are still missing."""
        return self.numbers_at is None


def first_check_of(context: RequestContext, creator: CreatorDetail) -> FirstCheck | None:
    """Return a new creator's first check; None for older creators and those without accounts."""
    accounts = [account for account in creator.accounts if account.deactivated_at is None]
    is_new = context.now - creator.created_at < NEW_FOR
    if not accounts or not is_new:
        return None
    if not any(account.last_scraped_at for account in accounts):
        return FirstCheck(None, None)
    posts = creator.tracked_post_count + creator.pending_review_count
    read_at = [
        at for account in accounts for at in account.counters_as_of.model_dump().values() if at
    ]
    return FirstCheck(posts, max(read_at, default=None))


LATEST = 10
"""Number of posts, and of amounts."""


@dataclass(frozen=True, slots=True)
class OneCreator:
    """A creator's page, with the latest posts and the amounts of the latest periods.

    `paid_twice` are the names of rules that pay for the same views today. `offered` are rules that
    can be assigned.
    """

    creator: CreatorDetail
    name: str
    campaigns: Sequence[Campaign]
    needs: Sequence[Need]
    missing_numbers: Sequence[WithoutNumbers]
    first_check: FirstCheck | None
    next_checks: Mapping[UUID, datetime]
    views: ViewsChart
    outlook: Outlook | None
    posts: Sequence[Video]
    goals: Sequence[Compliance]
    rules: Sequence[tuple[PayoutStructure, Assignment]]
    paid_twice: Mapping[UUID, str]
    offered: Sequence[Structure]
    today: date
    balance: Balance
    amounts: Sequence[Amount]


def one_creator(
    context: RequestContext, project_id: UUID, creator_id: UUID, period: Period
) -> OneCreator:
    """Return a project's creator page. Raises NotFound."""
    creator = creator_in(context, project_id, creator_id)
    whose = {"project_id": project_id, "creator_id": creator_id, "limit": LATEST}
    goals = list_compliance(context, project_id, ComplianceQuery(creator_id=creator_id)).data
    goals = without_unread(context, project_id, goals)
    amounts = latest_amounts(context, AccrualQuery.model_validate(whose))
    active = [creator_id] if creator.is_active else []
    missing = accounts_without_numbers(context, project_id, active).get(creator_id, ())
    return OneCreator(
        creator=creator,
        name=name_of(creator),
        campaigns=context.session.scalars(with_creator(context.organization_id, creator_id)).all(),
        needs=[*_of_tracking(creator), *_of_money(context, creator)],
        missing_numbers=missing,
        first_check=None if missing else first_check_of(context, creator),
        next_checks=accounts.next_checks(context, creator_id),
        views=with_events(
            context, views_of(context, "creator", creator_id, period), "creator", creator_id, period
        ),
        outlook=to_month_end(context, "creator", creator_id),
        posts=videos.list_videos(
            context, VideoQuery.model_validate(whose | {"sort": "posted_at"})
        ).data,
        goals=[goal for judged in goals for goal in judged.compliance],
        rules=(rules := assignments.list_of_creator(context, creator_id))[:LATEST],
        paid_twice=_paid_twice(context, creator_id),
        offered=_offered(context, project_id, rules),
        today=context.today,
        balance=read_balance(context, creator_id),
        amounts=amounts,
    )


def _paid_twice(context: RequestContext, creator_id: UUID) -> Mapping[UUID, str]:
    creator, day = select(Creator.id).where(Creator.id == creator_id), context.marts_today
    twice = paid_twice(context.session, context.organization_id, creator, day, 1)
    return twice[0].names if twice else {}


def _offered(
    context: RequestContext,
    project_id: UUID,
    rules: Sequence[tuple[PayoutStructure, Assignment]],
) -> list[Structure]:
    """Return active structures that do not pay the creator, of the project's latest."""
    pays = {structure.id for structure, assignment in rules if assignment.status != "ended"}
    query = StructureQuery(project_id=project_id, is_active=True)
    listed = structures.list_structures(context, query).data
    return [structure for structure in listed if structure.id not in pays]


def _of_tracking(creator: CreatorDetail) -> Iterator[Need]:
    if waiting := creator.pending_review_count:
        path = f"/inbox?creator={creator.id}"
        yield Need(f"{plural(waiting, 'post')} to review in the inbox", path=path)


def _of_money(context: RequestContext, creator: CreatorDetail) -> Iterator[Need]:
    yield from lapsed_needs(context, creator.project_id, [creator.id])
    for state, words in (("open", "needs an answer"), ("answered", "is answered and not resolved")):
        query = DisputeQuery.model_validate({"creator_id": creator.id, "state": state})
        for dispute in disputes.list_page(context, query).data:
            path = f"/payouts/amounts/{dispute.accrual_id}"
            yield Need(f"A disputed amount {words}", is_urgent=state == "open", path=path)
