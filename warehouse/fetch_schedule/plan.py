"""Writes the fetch schedule, as a whole or for some posts and accounts.

It can be recreated from the registry. `members` defines its rows, `statements` their due times.
"""

from collections.abc import Collection, Mapping

from sqlalchemy import text

from warehouse.fetch_schedule.pace import AS_NOTED
from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.fetch_schedule.statements import ALL, planning
from warehouse.operational.session import WriteSession, driver_of

_ONE_AT_A_TIME = 0x6C6F_6F6B_7300_0001
"""Advisory lock of planning transactions, which write the same rows in different orders."""


def lock_plan(session: WriteSession) -> None:
    """Wait for other planning transactions. Call this before writing the schedule."""
    session.execute(text("select pg_advisory_xact_lock(:key)"), {"key": _ONE_AT_A_TIME})


def plan_all(session: WriteSession) -> None:
    """Apply the rule to the whole schedule, writing only differences. Call `lock_plan` first."""
    for change in ALL:
        run_in_bulk(session, change)


def plan_subjects(
    session: WriteSession, platform: str, subjects: Collection[str], readings: str = AS_NOTED
) -> None:
    """Apply the rule to some account fetches and all their posts (see `planning`).

    Call `lock_plan` first.
    """
    values = {"platform": platform, "subjects": list(subjects)}
    about = "{0}.platform = %(platform)s and {0}.subject = any(%(subjects)s)"
    for statement in planning(about.format("fetches"), about, readings):
        run(session, statement, values)


def plan_some(session: WriteSession, posts: str, account_fetches: str) -> None:
    """Apply the rule to some posts, then to some account fetches (see `planning`).

    Call `lock_plan` first.
    """
    for statement in planning(posts, account_fetches):
        run(session, statement)


def run_in_bulk(session: WriteSession, change: PlanChange) -> None:
    """Execute a change of the whole schedule with parallel workers of PostgreSQL."""
    for statement in change.in_bulk:
        run(session, statement)


def run(session: WriteSession, statement: str, values: Mapping[str, object] | None = None) -> None:
    """Execute a driver statement in the session's transaction."""
    session.flush()
    driver_of(session).execute(statement.encode(), values)
