"""Planning everything uses parallel workers and computes each value once."""

import pytest
from sqlalchemy import text

from warehouse.fetch_schedule.members import ADD_POSTS, LET_GO_OF_POSTS
from warehouse.fetch_schedule.plan import run
from warehouse.fetch_schedule.plan_change import PlanChange
from warehouse.fetch_schedule.statements import ALL
from warehouse.operational.session import driver_of
from warehouse.operational.store import OperationalStore

OF_POSTS, OF_ACCOUNT_FETCHES = ALL
STEPS = {
    "let go": LET_GO_OF_POSTS.about(which="true"),
    "take up": ADD_POSTS.about(which="true"),
    "posts": OF_POSTS,
    "visits": OF_ACCOUNT_FETCHES,
}


def explained(store: OperationalStore, change: PlanChange) -> str:
    """Return PostgreSQL's plan of the change, parallel wherever possible."""
    with store.write_session() as session:
        session.execute(text("set local debug_parallel_query = on"))
        rows = session.connection().exec_driver_sql(f"explain (verbose) {change.finds}")
        return "\n".join(row[0] for row in rows)


@pytest.mark.parametrize("name", STEPS)
def test_full_planning_uses_parallel_workers(store: OperationalStore, name: str) -> None:
    assert explained(store, STEPS[name]).startswith("Gather")


def test_the_rule_is_computed_once_per_post(store: OperationalStore) -> None:
    plan = explained(store, OF_POSTS)
    [compared] = [line for line in plan.splitlines() if "IS DISTINCT FROM" in line]
    assert compared.count("next_fetches.") == 7  # old and new values, not intermediate ones
    assert plan.count("width_bucket") == 2  # binary searches for a threshold and a deadline


def test_changed_rows_are_written_page_by_page(store: OperationalStore) -> None:
    tids = "select format('(%s,1)', page)::tid as row_ctid from generate_series(9, 1, -1) as page"
    settings, finding, *_ = PlanChange(tids, "").in_bulk
    with store.write_session() as session:
        for statement in (settings, finding):
            run(session, statement)
        rows = driver_of(session).execute("select row_ctid::text from rows_in_bulk").fetchall()
    assert rows == [(f"({page},1)",) for page in range(1, 10)]
