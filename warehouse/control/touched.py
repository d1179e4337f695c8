"""From which day on a run may have changed a big fact, as against the last published run.

What lies before is as it was published, so that nobody has to look at it again: the cost of a
publication does not grow with history.
"""

from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

FIRST_DAY = {
    "video_deltas": "cast(min(from_at) as date) from intermediate.int_touched_videos",
    "video_daily": "min(from_day) from intermediate.int_touched_videos",
    "account_snapshots": "cast(min(from_at) as date) from intermediate.int_touched_accounts",
    "account_daily": "min(from_day) from intermediate.int_touched_accounts",
    "creator_daily": "min(from_day) from intermediate.int_touched_creators",
    "creator_quarter_hours": "min(from_day) - 1 from intermediate.int_touched_creators",
    "campaign_daily": "min(from_day) from intermediate.int_touched_campaigns",
    "campaign_creator_daily": "min(from_day) from intermediate.int_touched_campaigns",
    "campaign_quarter_hours": "min(from_day) - 1 from intermediate.int_touched_campaigns",
    "payout_earned": "min(from_day) from intermediate.int_touched_payees",
}
"""The first touched day of each big fact, as `warehouse.publication.facts` counts its days.

Of a fact that is not named no run says so: its months are compared."""

NEEDED = ("control.run", "control.published", "marts.run")
CONTINUES = """
    select 1
    from control.run
    inner join marts.run as built using (run_id)
    cross join control.published
    where
        not run.is_full_refresh
        and published.run_id = $published_run
"""


def touched_from(connection: DuckDBPyConnection, fact: str, published_run: UUID | None) -> date:
    """Return the first day of `fact` whose rows may differ from those that run published.

    date.max where nothing differs; date.min where anything may, because the marts do not
    continue that very run. `connection` is on the warehouse, in UTC.
    """
    if fact not in FIRST_DAY or published_run is None or not _continues(connection, published_run):
        return date.min
    [(first,)] = connection.execute(f"select {FIRST_DAY[fact]}").fetchall()
    return first or date.max


def _continues(connection: DuckDBPyConnection, published_run: UUID) -> bool:
    there = connection.execute(
        "select count(*) from duckdb_tables()"
        " where database_name = current_database() and schema_name || '.' || table_name in ?",
        [NEEDED],
    ).fetchall()
    if there != [(len(NEEDED),)]:
        return False
    return bool(connection.execute(CONTINUES, {"published_run": published_run}).fetchall())
