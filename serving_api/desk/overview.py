"""`/desk/projects/{project_id}`: the overview."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.charts import ViewsChart, with_events
from serving_api.desk.choices import names_of
from serving_api.desk.comment_pages import needs_of_comments
from serving_api.desk.disputes import MOST as MOST_DISPUTES
from serving_api.desk.disputes import list_open_disputes
from serving_api.desk.entry import Entry, desk_router
from serving_api.desk.health.stale import once_each
from serving_api.desk.needs import Need, at_least
from serving_api.desk.payouts.content import Sums
from serving_api.desk.periods import Period, PeriodSent, period_of
from serving_api.desk.post_pages.rows import pictures_of, rising_posts, sources_of
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.sessions import PATH
from serving_api.desk.settings.unread_goals import count_unread_at_risk
from serving_api.desk.tiles import Tile, spend_filters, tiles_of
from serving_api.desk.view_charts import Outlook, to_month_end, views_of_project
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import service as leaderboards
from serving_api.resources.analytics.leaderboards.schemas import (
    CreatorBoardQuery,
    CreatorEntity,
    Place,
    VideoBoardQuery,
    VideoEntity,
)
from serving_api.resources.payouts.accruals.listing import sums_by_status
from serving_api.resources.payouts.accruals.schemas import AccrualQuery
from serving_api.resources.payouts.accruals.summary import page_dollars, plural
from serving_api.resources.payouts.budgets import service as budgets
from serving_api.resources.payouts.budgets.schemas import BudgetDetail
from serving_api.resources.programs.program_health import loading
from serving_api.resources.programs.program_health import service as program_health
from serving_api.resources.programs.program_health.repository import MOST as MOST_ALERTS
from serving_api.resources.programs.program_health.schemas import (
    Alerts,
    HealthMeta,
    HealthQuery,
    ProgramHealth,
)
from serving_api.resources.tracking import inbox
from warehouse.platforms import PLATFORM_NAMES
from warehouse.reading.accruals.committed_spend import AccrualFilter, CommittedSpend
from warehouse.reading.accruals.listing import Subtotal
from warehouse.reading.videos import MOST_RISING

MOVERS = 8
MOST_NAMED = 10
"""Tasks of a kind that are listed one by one."""


@dataclass(frozen=True, slots=True)
class Overview:
    """The page's content. `movers` and `posts` have the most views in the period."""

    period: Period
    health: ProgramHealth
    meta: HealthMeta
    tiles: Sequence[Tile]
    views: ViewsChart
    outlook: Outlook | None
    needs: Mapping[str, Sequence[Need]]
    movers: Sequence[Place[CreatorEntity]]
    posts: Sequence[Place[VideoEntity]]
    budgets: Sequence[BudgetDetail]


def overview_of(context: RequestContext, project_id: UUID, period: Period) -> Overview:
    everything = AccrualFilter(project_id=project_id)
    filters = [everything, *spend_filters(project_id, period)]
    projected, [owed, *spent] = budgets.project_all_of(context, project_id, filters)
    held = sums_by_status(context, AccrualQuery(project_id=project_id, held=True)).held
    owed = replace(
        owed,
        final_cents=owed.final_cents - held.get("final", Subtotal()).cents,
        approved_cents=owed.approved_cents - held.get("approved", Subtotal()).cents,
    )
    health = program_health.read_health(context, project_id, HealthQuery(), projected)
    inputs = loading.load(context, project_id, HealthQuery())
    views = views_of_project(context, project_id, period)
    limits = [budgets.present(budget) for budget in projected]
    needs = [
        *_of_disputes(context, project_id, health.data),
        *_of_budgets(context, limits),
        *_of_money(context, health.data.alerts, owed, Sums(held, {}).of("on_hold")),
        *_of_tracking(context, inputs, health.data),
        *_of_posts(context, project_id, inputs.falling, health.data),
        *needs_of_comments(context, project_id),
    ]
    board: dict[str, Any] = {"project_id": project_id, "limit": MOVERS, **period.span}
    return Overview(
        period=period,
        health=health.data,
        meta=health.meta,
        tiles=list(tiles_of(context, project_id, period, views=views, spent=spent, owed=owed)),
        views=with_events(context, views, "project", project_id, period),
        outlook=to_month_end(context, "project", project_id),
        needs={
            "Urgent": [need for need in needs if need.is_urgent],
            "Next": [need for need in needs if not need.is_urgent],
        },
        movers=leaderboards.rank_creators(
            context, CreatorBoardQuery(**board), while_tracked=True
        ).data,
        posts=leaderboards.rank_videos(context, VideoBoardQuery(**board), while_tracked=True).data,
        budgets=limits,
    )


def _of_tracking(
    context: RequestContext, inputs: loading.HealthInputs, health: ProgramHealth
) -> Iterator[Need]:
    gaps = once_each(context.session, inputs, health.alerts.tracking_gaps)
    for platform in gaps.refused_platforms:
        name = PLATFORM_NAMES[platform.platform]
        yield Need(
            f"{name} refuses: {platform.refused:,} of {platform.looks:,} checks",
            True,
            path="/health",
        )
    kinds = {
        "refused by the platform": gaps.refused_accounts.count,
        "to be reconnected by the creator": gaps.broken_connections.count,
        "with a refused authorization": gaps.refused_connections.count,
        "not checked for 28 hours": gaps.stale_scrapes.count,
        "not checked for new posts for two days": gaps.stale_discovery.count,
    }
    for kind, number in kinds.items():
        if number:
            yield Need(f"{plural(number, 'account')} {kind}", path="/health")
    if private := health.alerts.private_accounts:
        yield Need(at_least(private, MOST_ALERTS, "private account"), path="/health")
    for webhook in health.alerts.disabled_webhooks:
        yield Need(webhook.detail, True, path="/health")


def _of_posts(
    context: RequestContext, project_id: UUID, falling: Sequence[UUID], health: ProgramHealth
) -> Iterator[Need]:
    if waiting := inbox.count(context, project_id):
        yield Need(f"{plural(waiting, 'post')} to review in the inbox", path="/inbox")
    at_risk = health.goal_compliance.at_risk if health.goal_compliance else 0
    if at_risk and (at_risk := at_risk - count_unread_at_risk(context, project_id)) > 0:
        yield Need(f"{plural(at_risk, 'goal')} at risk", path="/settings/goals?status=at_risk")
    if rising := rising_posts(context, project_id):
        yield Need(f"{at_least(rising, MOST_RISING, 'post')} outperforming", path="/posts/rising")
    if falling:
        posts = at_least(falling, MOST_ALERTS, "post")
        yield Need(f"{posts} losing momentum", path="/posts/falling")
    if unread := health.alerts.unread_views:
        posts = at_least(unread, MOST_ALERTS, "post")
        yield Need(f"Views of {posts} could not be read", path="/health#unread")


def _of_disputes(
    context: RequestContext, project_id: UUID, health: ProgramHealth
) -> Iterator[Need]:
    """Yield one need for all that the linked list has, overdue or not."""
    overdue, listed = health.alerts.overdue_disputes, list_open_disputes(context, project_id)
    if not listed:
        return
    if all(each.dispute.is_overdue for each in listed):
        words = at_least(listed, MOST_DISPUTES, "overdue dispute")
    else:
        words = at_least(listed, MOST_DISPUTES, "disputed amount")
        if overdue:
            words += f", {at_least(overdue, MOST_ALERTS, 'overdue dispute')}"
    one = f"/payouts/amounts/{listed[0].dispute.accrual_id}"
    yield Need(words, bool(overdue), one if len(listed) == 1 else "/inbox#disputed")


def _of_budgets(context: RequestContext, limits: Sequence[BudgetDetail]) -> Iterator[Need]:
    for budget in limits:
        path = f"/settings/budgets/{budget.id}" if context.caller.is_org_admin else "#budgets"
        expected = (budget.exposure.projected_cents or 0) - budget.amount_cents
        if (over := -budget.exposure.left_cents) > 0:
            yield Need(f"Budget {budget.name}: {page_dollars(over)} over", True, path)
        elif expected > 0:
            words = f"Budget {budget.name}: {page_dollars(expected)} over expected"
            yield Need(words, path=path)


def _of_money(
    context: RequestContext, alerts: Alerts, owed: CommittedSpend, held: Subtotal
) -> Iterator[Need]:
    odd, twice = alerts.odd_payments, alerts.paid_twice
    owners = {payment.creator_id for payment in odd} | {each.creator_id for each in twice}
    names = names_of(context, owners)
    for payment in odd[:MOST_NAMED]:
        text = f"{names[payment.creator_id]}: paid amount with anomalies found later"
        yield Need(text, True, f"/payouts/amounts/{payment.accrual_id}")
    if odd[MOST_NAMED:]:
        yield Need("More paid amounts have anomalies found later", True)
    for each in twice[:MOST_NAMED]:
        text = f"{names[each.creator_id]}: paid twice by {' and '.join(each.names.values())}"
        yield Need(text, path=f"/creators/{each.creator_id}#rules")
    if twice[MOST_NAMED:]:
        yield Need("More creators are paid twice for the same views")
    if held.number:
        words = f"{plural(held.number, 'amount')} on hold, {page_dollars(held.cents)}"
        yield Need(words, path="/payouts?status=on_hold")
    if due := owed.final_cents:
        yield Need(f"{page_dollars(due)} to approve", path="/payouts?status=final")
    if approved := owed.approved_cents:
        yield Need(
            f"{page_dollars(approved)} approved and not paid", path="/payouts?status=approved"
        )


router = desk_router()


@router.get(f"{PATH}/projects/{{project_id}}", dependencies=[views])
def show_overview(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    sent: PeriodSent,
) -> Response:
    overview = overview_of(context, project_id, period_of(context, sent))
    return project_page(
        request,
        "desk_overview.html",
        "Overview",
        draws_charts=True,
        shows_pictures=True,
        period=overview.period,
        content=overview,
        pictures=pictures_of(context, [post.entity.id for post in overview.posts]),
        sources=sources_of(context, [post.entity.id for post in overview.posts]),
        zone=ZoneInfo(context.marts_zone),
        is_zone_new=context.is_zone_new,
    )
