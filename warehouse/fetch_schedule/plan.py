"""The fetch schedule, written: all of it anew, or what is said of some posts and accounts.

Bookkeeping that can be made anew from the registry. What is in the plan is said in `members`, what
is decided in `statements`.
"""

from collections.abc import Collection, Mapping

from sqlalchemy import text

from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.fetch_schedule.statements import ALL, planning
from warehouse.operational.session import WriteSession, driver_of

_ONE_AT_A_TIME = 0x6C6F_6F6B_7300_0001
"""Advisory lock of transactions that plan: they write the same rows, each in its own order."""


def lock_plan(session: WriteSession) -> None:
    """Wait for whoever else is planning; to be called before the plan is written."""
    session.execute(text("select pg_advisory_xact_lock(:key)"), {"key": _ONE_AT_A_TIME})


def plan_all(session: WriteSession) -> None:
    """Have the rule decide on all there is; writes only what changed. Call `lock_plan` first."""
    for change in ALL:
        run_in_bulk(session, change)


def plan_subjects(session: WriteSession, platform: str, subjects: Collection[str]) -> None:
    """Have the rule decide anew on some account fetches and on all their posts.

    Call `lock_plan` first.
    """
    values = {"platform": platform, "subjects": list(subjects)}
    about = "{0}.platform = %(platform)s and {0}.subject = any(%(subjects)s)"
    plan_some(session, about.format("fetches"), about, values)


def plan_some(
    session: WriteSession,
    posts: str,
    account_fetches: str,
    values: Mapping[str, object] | None = None,
) -> None:
    """Have the rule decide anew on some posts, then on some account fetches (see `planning`).

    Call `lock_plan` first.
    """
    for statement in planning(posts, account_fetches):
        run(session, statement, values)


def run_in_bulk(session: WriteSession, change: PlanChange) -> None:
    """Take a change that is about all there is, by all processors that PostgreSQL gives it."""
    for statement in change.in_bulk:
        run(session, statement)


def run(session: WriteSession, statement: str, values: Mapping[str, object] | None = None) -> None:
    """Execute a statement of the driver's, in the session's transaction."""
    session.flush()
    driver_of(session).execute(statement.encode(), values)
