"""Corrects fetches that were recorded in the future, while this machine's clock was ahead.

With the embedded PostgreSQL both clocks are ahead, so claims do not refuse. Without a correction
nothing would be due until time has caught up.
"""

from datetime import datetime, timedelta

from sqlalchemy.orm import Session

from warehouse.fetch_schedule.freshness import STALE
from warehouse.fetch_schedule.plan import lock_plan, plan_all, run
from warehouse.operational.clock import refuse_wrong_clock
from warehouse.operational.session import WriteSession, driver_of
from warehouse.platforms import PLATFORMS

ALLOWED_LEAD = timedelta(hours=1)
"""Maximum by which a fetch may be later than business time."""

_IS_AHEAD = """
    select exists (
        select from visits
        where platform = any(%(platforms)s) and due_at > %(latest_due)s
            and greatest(looked_at, oldest_at) > %(latest)s
    )
"""
"""No wait of the rule reaches STALE, so the index on due times finds that there is none."""

_CORRECT_POSTS = """
    update post_looks
    set looked_at = %(now)s, read_at = case when read_at > %(now)s then %(now)s else read_at end
    where looked_at > %(latest)s
"""
_CORRECT_ACCOUNT_FETCHES = """
    update visits
    set
        looked_at = %(now)s,
        failing_since = case when failing_since > %(now)s then %(now)s else failing_since end
    where looked_at > %(latest)s
"""


def is_ahead(session: Session, now: datetime) -> bool:
    """Return whether an account fetch waits for longer than it may because of a wrong clock."""
    values = {
        "platforms": list(PLATFORMS),
        "latest_due": now + STALE,
        "latest": now + ALLOWED_LEAD,
    }
    return bool(driver_of(session).execute(_IS_AHEAD, values).fetchall()[0][0])


def correct_ahead(session: WriteSession, now: datetime) -> None:
    """Let fetches of the future count as made now, if account fetches wait because of them.

    Raises WrongClockError, for a machine whose clock is behind sees right ones in the future.
    """
    if not is_ahead(session, now):
        return
    refuse_wrong_clock(session)
    lock_plan(session)
    values = {"now": now, "latest": now + ALLOWED_LEAD}
    run(session, _CORRECT_POSTS, values)
    run(session, _CORRECT_ACCOUNT_FETCHES, values)
    plan_all(session)
