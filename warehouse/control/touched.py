"""The first day from which a build may differ from the last publication, for each big fact.

Earlier rows are as published and are not read again, so the cost of a publication does not grow
with history.
"""

from collections.abc import Iterable
from datetime import date
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.catalogue.models import relation_of

_OF_TOUCHED_ACCRUALS = " union all ".join(
    f"select coalesce(adjusts_accrual_id, accrual_id) as accrual_id, period_end from {copied}"  # noqa: S608 (names of ours)
    for copied in (
        relation_of("payout_decided_accruals"),
        "operational.payout_payment_accruals",
        "operational.payout_accrual_decisions",
    )
)
_FIRST_COMMENT = """
    cast(min(earliest_at) as date) - 1
    from intermediate.int_comment_sightings
    semi join intermediate.int_touched_comments using (comment_id)
"""

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
    "comments": _FIRST_COMMENT,
    "video_comment_daily": _FIRST_COMMENT,
    "payout_earned": "min(from_day) from intermediate.int_touched_payees",
    "payout_decided_accruals": f"""
        least(
            (
                select min(period_end)
                from ({_OF_TOUCHED_ACCRUALS})
                semi join intermediate.int_touched_accruals using (accrual_id)
            ),
            (select min(from_day) from intermediate.int_touched_payees)
        )
    """,  # noqa: S608 (names of ours)
}
"""The first touched day of each big fact, in the days of `warehouse.publication.facts`.

An accrual was published in a period of its copies, or of its payee's earnings. Facts missing here
are rebuilt as a whole by every build, and any row may differ.
"""

NEEDED = ("control.run", "control.published", "marts.run")
IS_INCREMENTAL_ON = """
    select 1
    from control.run
    inner join marts.run as built using (run_id)
    cross join control.published
    where
        not run.is_full_refresh
        and published.run_id = $published_run
"""


def touched_from(
    connection: DuckDBPyConnection, facts: Iterable[str], published_run: UUID | None
) -> dict[str, date]:
    """Return by fact the first day whose rows may differ from the publication of that run.

    date.max means no difference. A fact in which any row may differ is missing, as are all facts
    if the marts do not continue that run. `connection` is to the warehouse, in UTC.
    """
    if published_run is None or not _is_incremental_on(connection, published_run):
        return {}
    first_days = {
        fact: connection.execute(f"select {FIRST_DAY[fact]}").fetchall()[0][0]
        for fact in facts
        if fact in FIRST_DAY
    }
    return {fact: first or date.max for fact, first in first_days.items()}


def _is_incremental_on(connection: DuckDBPyConnection, published_run: UUID) -> bool:
    there = connection.execute(
        "select count(*) from duckdb_tables()"
        " where database_name = current_database() and schema_name || '.' || table_name in ?",
        [NEEDED],
    ).fetchall()
    if there != [(len(NEEDED),)]:
        return False
    return bool(connection.execute(IS_INCREMENTAL_ON, {"published_run": published_run}).fetchall())
