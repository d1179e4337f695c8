"""How an assignment stands on a day of its structure's zone: active, paused or ended."""

from datetime import date
from typing import Literal

from warehouse.operational.models import PayoutAssignment

Status = Literal["active", "paused", "ended"]


def is_over(assignment: PayoutAssignment, today: date) -> bool:
    """Tell whether its last day has passed, or is today because somebody ended it.

    `repository.count_open` says the same in SQL.
    """
    last_day = assignment.end_date
    if last_day is None or last_day > today:
        return False
    return last_day < today or assignment.ended_at is not None
