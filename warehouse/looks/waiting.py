"""Which visits are due and wait for a worker: how many on each platform, and since when."""

from collections.abc import Sequence
from datetime import datetime

from sqlalchemy import func, select
from sqlalchemy.orm import Session

from warehouse.operational.models import Visit


def waiting_visits(session: Session, now: datetime) -> Sequence[tuple[str, int, datetime]]:
    """Return each platform with visits due by `now` (UTC), how many, and when the first was due."""
    rows = session.execute(
        select(Visit.platform, func.count(), func.min(Visit.due_at))
        .where(Visit.due_at <= now)
        .group_by(Visit.platform)
        .order_by(Visit.platform)
    )
    return rows.all()
