"""The tables of schema `control`: made when missing, and made anew when the models changed.

They describe a past that was computed by the present models. Where the models are others, that
past is worth nothing, and the next run computes everything.
"""

from importlib.resources import files

from duckdb import DuckDBPyConnection

from warehouse.models_version import models_version

PAST = {
    "video_last_readings": "intermediate.int_video_last_readings",
    "video_last_days": "intermediate.int_video_last_days",
    "video_last_marks": "intermediate.int_video_last_marks",
    "account_last_readings": "intermediate.int_account_last_readings",
    "account_last_days": "intermediate.int_account_last_days",
    "account_looks": "intermediate.int_account_looks",
    "counted_videos": "intermediate.int_counted_videos",
    "active_accounts": "intermediate.int_active_accounts",
    "campaign_videos": "intermediate.int_campaign_videos",
    "campaign_accounts": "intermediate.int_campaign_accounts",
    "payout_payees": "intermediate.int_payout_payees",
    "payout_stretches": "intermediate.int_payout_stretches",
    "payout_versions": "intermediate.int_payout_versions",
    "payout_videos": "intermediate.int_payout_videos",
    "payout_kept_videos": "intermediate.int_payout_kept_videos",
    "payout_last_totals": "intermediate.int_payout_last_totals",
    "payout_unsettled": "intermediate.int_payout_unsettled",
    "payout_conversion_days": "intermediate.int_payout_conversion_days",
    "goal_facts": "intermediate.int_goal_facts",
    "goal_videos": "intermediate.int_goal_videos",
}
"""Which table of a run each control table copies its columns from, once that run is published."""


def create_tables(connection: DuckDBPyConnection) -> None:
    """Create what is missing; drop all of it first if the models changed since."""
    version = models_version()
    if _version_there(connection) != version:
        connection.execute("drop schema if exists control cascade")
    connection.execute("create schema if not exists control")
    for ddl in sorted(files("warehouse.control").joinpath("ddl").iterdir(), key=lambda f: f.name):
        connection.execute(ddl.read_text(encoding="utf-8"))
    connection.execute(
        "insert into control.models select ? where not exists (from control.models)", [version]
    )


def keep_past(connection: DuckDBPyConnection) -> None:
    """Replace the published past by the tables of the run that was just published."""
    for copy, computed in PAST.items():
        columns = ", ".join(connection.table(f"control.{copy}").columns)
        connection.execute(f"delete from control.{copy}")  # noqa: S608 (our own tables)
        connection.execute(f"insert into control.{copy} select {columns} from {computed}")  # noqa: S608


def _version_there(connection: DuckDBPyConnection) -> str | None:
    found = connection.execute(
        "from duckdb_tables() where database_name = current_database()"
        " and schema_name = 'control' and table_name = 'models'"
    ).fetchone()
    if found is None:
        return None
    row = connection.execute("from control.models").fetchone()
    return row[0] if row else None
