"""Rows and sort columns of the table of goals."""

from collections.abc import Iterable, Iterator
from typing import Final

from serving_api.desk.sorting import Column
from serving_api.resources.programs.goal_compliance.schemas import Compliance, CreatorCompliance

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
    """Yield each goal with its creator."""
    for creator in stand:
        for compliance in creator.compliance:
            yield creator, compliance
