"""Goals of which nothing was read: no account in their scope was ever checked.

Their actual is 0 by definition (money.md M20); the desk shows it as not known.
"""

from collections.abc import Collection, Sequence
from typing import Final
from uuid import UUID

from sqlalchemy import or_, select

from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.goal_compliance.schemas import Compliance, CreatorCompliance
from serving_api.resources.programs.goal_compliance.service import list_first
from warehouse.operational.models import Account, Goal
from warehouse.reading.goals import GoalStatus

UNREAD = "Not known: no account was checked yet"
MOST_CREATORS = 500
AT_RISK: Final[Collection[GoalStatus]] = frozenset({"at_risk"})


def without_unread(
    context: RequestContext, project_id: UUID, creators: Sequence[CreatorCompliance]
) -> list[CreatorCompliance]:
    """Return goals, with a reason in place of the numbers and status of which nothing was read."""
    unchecked = _unchecked(context, project_id)
    return [
        row.model_copy(
            update={
                "compliance": [
                    _unknown(goal) if _is_unread(goal, unchecked) else goal
                    for goal in row.compliance
                ]
            }
        )
        for row in creators
    ]


def count_unread_at_risk(context: RequestContext, project_id: UUID) -> int:
    """Return how many goals count as at risk of which nothing was read."""
    if not (unchecked := _unchecked(context, project_id)):
        return 0
    rows, _ = list_first(context, project_id, MOST_CREATORS, AT_RISK)
    return sum(_is_unread(goal, unchecked) for row in rows for goal in row.compliance)


def _unchecked(context: RequestContext, project_id: UUID) -> Collection[UUID]:
    """Return the active goals without a checked account in their scope."""
    checked = select(Account.id).where(
        Account.organization_id == Goal.organization_id,
        Account.creator_id == Goal.creator_id,
        Account.last_scraped_at.is_not(None),
        or_(Goal.platform.is_(None), Goal.platform == Account.platform),
        or_(Goal.account_id.is_(None), Goal.account_id == Account.id),
    )
    statement = rows_of(Goal, context.organization_id).where(
        Goal.project_id == project_id, Goal.is_active, ~checked.exists()
    )
    return set(context.session.scalars(statement.with_only_columns(Goal.id)))


def _is_unread(goal: Compliance, unchecked: Collection[UUID]) -> bool:
    """Return whether the 0 is of no reading; posts that were added by hand may be read."""
    is_zero = goal.actual == 0 and not goal.advisory.not_yet_started
    return is_zero and goal.goal.id in unchecked


def _unknown(goal: Compliance) -> Compliance:
    advisory = goal.advisory.model_copy(update={"messages": [UNREAD]})
    nothing = dict.fromkeys(("actual", "percentage", "status", "forecast"))
    return goal.model_copy(update={**nothing, "advisory": advisory})
