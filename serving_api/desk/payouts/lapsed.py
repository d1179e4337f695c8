"""Approved amounts that are no longer owed: as tasks, and the page of one."""

import re
from collections.abc import Collection, Iterator
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.desk.choices import names_of
from serving_api.desk.disputes import named
from serving_api.desk.entered import NOTHING, Entered
from serving_api.desk.needs import Need
from serving_api.desk.project_pages import project_page
from serving_api.desk.rules.words import PERIODS
from serving_api.desk.settings.goal_chart import METRICS
from serving_api.errors import NotFound
from serving_api.kit.days import day_in_words
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.accruals.lapsed import Lapsed, lapsed_approvals, read_lapsed
from serving_api.resources.payouts.accruals.summary import page_dollars
from serving_api.resources.payouts.disputes.schemas import DisputeQuery
from serving_api.resources.payouts.disputes.service import list_page
from serving_api.resources.payouts.history import history_of_amount
from serving_api.resources.programs.goal_compliance.schemas import ComplianceQuery
from serving_api.resources.programs.goal_compliance.service import list_compliance

MOST = 10
ID = re.compile(r" \(?(pause )?[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}\)?")


def lapsed_needs(
    context: RequestContext, project_id: UUID, creator_ids: Collection[UUID] | None = None
) -> Iterator[Need]:
    """Yield recent approvals of amounts that are gone, of some creators or all."""
    rows = lapsed_approvals(context, project_id, creator_ids, MOST + 1)
    names = names_of(context, {row.creator_id for row in rows[:MOST]})
    for row in rows[:MOST]:
        days = " to ".join(map(day_in_words, sorted({row.period_start, row.period_end})))
        text = f"{page_dollars(row.amount_cents)} for {names[row.creator_id]}, {days}"
        yield Need(f"{text}: approved, no longer owed", path=f"/payouts/amounts/{row.accrual_id}")
    if rows[MOST:]:
        yield Need("More approved amounts are no longer owed")


def lapsed_page(
    request: Request,
    context: RequestContext,
    project_id: UUID,
    accrual_id: UUID,
    entered: Entered = NOTHING,
) -> Response:
    """Return the page of a decided or disputed amount that is gone. Raises NotFound."""
    lapsed = read_lapsed(context, accrual_id)
    if lapsed.project_id != project_id:
        raise NotFound.named("Accrual")
    whose = (context.session, context.organization_id)
    causes = [*_missed_goals(context, lapsed), *(ID.sub("", text) for text in lapsed.changes)]
    return project_page(
        request,
        "desk_amount_lapsed.html",
        "Payouts",
        lapsed=lapsed,
        creator=names_of(context, [lapsed.creator_id])[lapsed.creator_id],
        causes=[text[0].upper() + text[1:] for text in causes],
        disputes=named(context, list_page(context, DisputeQuery(accrual_id=accrual_id)).data),
        may_decide=context.caller.is_org_admin,
        history_steps=history_of_amount(*whose, accrual_id, lapsed.subject_id),
        zone=ZoneInfo(lapsed.timezone or context.caller.analytics_tz),
        entered=entered,
    )


def _missed_goals(context: RequestContext, lapsed: Lapsed) -> Iterator[str]:
    """Yield the goals that the amount's period misses now."""
    if lapsed.criteria_type != "goals":
        return
    day = min(lapsed.period_end, context.marts_today)
    query = ComplianceQuery(creator_id=lapsed.creator_id, reference_date=day)
    for creator in list_compliance(context, lapsed.project_id, query).data:
        for goal in creator.compliance:
            days = goal.advisory.period_start, goal.advisory.period_end
            if goal.status == "missed" and days == (lapsed.period_start, lapsed.period_end):
                what = f"{METRICS[goal.goal.metric].lower()} {PERIODS[goal.goal.period]}"
                yield f"goal missed: {goal.actual or 0:,} of {goal.target:,} {what}"
