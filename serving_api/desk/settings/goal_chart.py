"""A project's goals: rows and sort columns of their table, and results against the target."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Final, Literal
from uuid import UUID

from serving_api.charts.chart import Chart, Line
from serving_api.desk.forms import FormQuery
from serving_api.desk.sorting import Column
from serving_api.kit.request_context import RequestContext
from serving_api.resources.payouts.assignments import service as assignments
from serving_api.resources.payouts.structures import service as structures
from serving_api.resources.programs.goal_compliance.schemas import (
    Compliance,
    ComplianceQuery,
    CreatorCompliance,
)
from serving_api.resources.programs.goal_compliance.service import list_compliance
from serving_api.resources.programs.goals.schemas import Goal
from warehouse.reading.goal_readings import ReadDays, ReadQuery, read_days
from warehouse.reading.goals import (
    GoalPeriod,
    GoalProgress,
    GoalStatus,
    ProgressQuery,
    goal_progress,
)

METRICS: Mapping[str, str] = {
    "posts": "Posts",
    "views": "Views",
    "engagement": "Likes, comments, shares and saves",
    "followers": "New followers",
}
Status = Literal[GoalStatus, "behind"]
STATUS_LABELS: Mapping[GoalStatus, str] = {
    "on_track": "On track",
    "behind_pace": "Behind",
    "at_risk": "At risk",
    "completed": "Reached",
    "missed": "Missed",
}
STATUS_CHOICES: Mapping[str, str] = {"behind": "Behind or at risk"} | dict(STATUS_LABELS)
MOST_PERIODS = 26
UNITS: dict[GoalPeriod, str] = {"daily": "day", "weekly": "week", "monthly": "month"}


class GoalView(FormQuery):
    """The query of the list: a status of its goals, and which creators to set goals for."""

    status: Status | None = None
    search: str = ""
    cursor: str | None = None

    @property
    def statuses(self) -> Collection[GoalStatus]:
        """The statuses of the listed goals; none if all are listed."""
        if self.status == "behind":
            return ("behind_pace", "at_risk")
        return (self.status,) if self.status else ()

    @property
    def filters(self) -> dict[str, str]:
        return {"status": self.status} if self.status else {}


def goal_chart(context: RequestContext, goal: Goal) -> Chart | None:
    """Chart the latest ended periods and the current one; None without numbers.

    A 0 of a period without readings is not known.
    """
    ended, read = _ended(context, goal)
    running = _running(context, goal)
    x_values = [period.period_start for period in ended]
    actual = [
        period.actual
        if period.actual or read.is_read(period.period_start, period.period_end)
        else None
        for period in ended
    ]
    targets = [period.target_value for period in ended]
    lines = []
    if running:
        x_values.append(running.advisory.period_start)
        now = running.advisory
        is_known = running.actual or read.is_read(now.period_start, now.period_end)
        actual.append(running.actual if is_known else None)
        targets.append(running.target)
        lines = list(_expected(running, len(ended)))
    unit = UNITS[goal.period]
    chart = Chart(
        f"Progress by {unit}",
        x_values,
        [Line("Reached", actual, "bars"), Line("Target", targets), *lines],
        today=running.advisory.period_start if running else None,
        heading="Day" if unit == "day" else f"First day of the {unit}",
    )
    return None if all(value is None for value in actual) else chart


def _ended(context: RequestContext, goal: Goal) -> tuple[list[GoalProgress], ReadDays]:
    """Return the ended periods, and the days with readings."""
    whose = (context.organization_id, goal.project_id, goal.id)
    query = ProgressQuery(*whose, goal.metric, goal.period, MOST_PERIODS)
    scope = (goal.creator_id, goal.metric, goal.platform, goal.account_id)
    now = context.now
    with context.marts.cursor() as cursor:
        if not cursor:
            return [], ReadDays(goal.metric, frozenset())
        periods = goal_progress(cursor, query)
        read = read_days(cursor, ReadQuery(context.organization_id, *scope))
    return [period for period in periods if period.ends_at <= now], read


def _running(context: RequestContext, goal: Goal) -> Compliance | None:
    """Return the goal's compliance in the current period."""
    query = ComplianceQuery(creator_id=goal.creator_id)
    for creator in list_compliance(context, goal.project_id, query).data:
        for compliance in creator.compliance:
            if compliance.goal.id == goal.id and compliance.advisory.period_in_progress:
                return compliance
    return None


def _expected(running: Compliance, earlier: int) -> list[Line]:
    """Return the current period's forecast, after `earlier` periods."""
    forecast = running.forecast
    if forecast is None or forecast.expected is None:
        return []
    values, low, high = (
        [*[None] * earlier, value] for value in (forecast.expected, forecast.low, forecast.high)
    )
    return [Line("Expected", values, "expected", low=low, high=high)]


def rules_paying_goals(
    context: RequestContext, project_id: UUID, creator_id: UUID | None = None
) -> list[str]:
    """Return the names of a project's active rules that pay for goals, or of a creator's."""
    rules = structures.paying_goals(context, project_id)
    if creator_id:
        assigned = assignments.list_of_creator(context, creator_id)
        ids = {rule.id for rule, assignment in assigned if assignment.status != "ended"}
        rules = [rule for rule in rules if rule.id in ids]
    return [rule.name for rule in rules]


GoalRow = tuple[CreatorCompliance, Compliance]
GOAL_COLUMNS: Final[tuple[Column[GoalRow], ...]] = (
    Column("goal_id", None, lambda row: row[1].goal.id),
    Column("creator", "Creator", lambda row: row[0].creator.display_name or row[0].creator.handle),
    Column("metric", None, lambda row: row[1].goal.metric),
    Column("period", None, lambda row: row[1].goal.period),
    Column("target", "Goal", lambda row: row[1].target),
    Column("actual", None, lambda row: row[1].actual, is_number=True),
    Column("percentage", "Reached", lambda row: row[1].percentage, is_number=True),
    Column("status", "Status", lambda row: row[1].status),
)


def goal_rows(stand: Iterable[CreatorCompliance]) -> Iterator[GoalRow]:
    for creator in stand:
        for compliance in creator.compliance:
            yield creator, compliance
