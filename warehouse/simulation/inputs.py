"""The input of a simulation: facts in in-memory tables with the names that models use.

People's decisions are rows of PostgreSQL's tables; readings, and whatever else publications hold,
come from the publication. All other models are computed from these.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from duckdb import DuckDBPyConnection

from warehouse.catalogue.counters import VIDEO_COUNTERS
from warehouse.catalogue.models import LAYERS, relation_of
from warehouse.catalogue.operational import FOLLOWED, ZONE_OFFSETS
from warehouse.catalogue.past import PAST
from warehouse.zones import FIRST_INSTANT, LAST_INSTANT, offset_spans

Row = Mapping[str, Any]
Tables = Mapping[str, Sequence[Row]]
"""Rows of `operational` tables, by table. A column that a row lacks is null."""

_COUNTS = f"select video_id, captured_at, {', '.join(counter.count for counter in VIDEO_COUNTERS)}"
_DAYS = "select video_id, day, new_views, cumulative_views"
_OF_POSTS = "where video_id in (select id from operational.videos)"
_OF_ACCOUNTS = "where account_id in (select id from operational.accounts)"
_WITH_FOLLOWER_GOALS = """where account_id in (
    select accounts.id
    from operational.accounts
    semi join operational.goal_states as goals
        on accounts.creator_id = goals.creator_id and goals.metric = 'followers'
)"""
_OF_ORGANIZATION = "where organization_id in (select id from operational.organizations)"

GIVEN: Mapping[str, str] = {
    "video_deltas": f"{_COUNTS} from {{published}}.marts.video_deltas {_OF_POSTS}",
    "video_daily": f"{_DAYS} from {{published}}.marts.video_daily {_OF_POSTS}",
    "videos": f"from {{published}}.marts.videos {_OF_POSTS}",
    "accounts": f"from {{published}}.marts.accounts {_OF_ACCOUNTS}",
    "stg_account_snapshots": f"from {{published}}.marts.account_snapshots {_WITH_FOLLOWER_GOALS}",
    "organizations": f"from {{published}}.marts.organizations {_OF_ORGANIZATION}",
    "reading_anomalies": f"from {{published}}.marts.reading_anomalies {_OF_POSTS}",
    "run": "from {published}.marts.run",
    "payout_decided_accruals": "from {published}.machinery.payout_decided_accruals limit 0",
    "int_video_last_readings": "select video_id, first_captured_at from marts.videos",
}
"""The models that a simulation does not compute, each with a query on the publication instead.

Nothing simulated is decided yet, and nothing continues an earlier run.
"""


def fill(memory: DuckDBPyConnection, decided: Tables, published: str) -> None:
    """Create the tables that the models start from, in an empty database.

    `published` is the attached database for reading the publication.
    """
    for schema in ("operational", "control", *LAYERS):
        memory.execute(f"create schema {schema}")
    for table in (*FOLLOWED, *PAST, ZONE_OFFSETS):
        memory.execute(table.emptied.replace(" not null", ""))
    for name, rows in decided.items():
        _insert(memory, f"operational.{name}", rows)
    _insert(memory, ZONE_OFFSETS.relation, _offsets_of(decided))
    for model, query in GIVEN.items():
        memory.execute(f"create table {relation_of(model)} as {query.format(published=published)}")


def _offsets_of(decided: Tables) -> Sequence[Row]:
    """Return the UTC offsets of all zones used for days."""
    zones = {row["analytics_tz"] for row in decided["organizations"]}
    zones |= {row["timezone"] for row in decided["payout_structures"] if row["timezone"]}
    return [
        {"zone": zone, **asdict(span)}
        for zone in zones
        for span in offset_spans(zone, FIRST_INSTANT, LAST_INSTANT)
    ]


def _insert(memory: DuckDBPyConnection, table: str, rows: Sequence[Row]) -> None:
    """Insert rows from one JSON text: data frames would cost the server 100 MB more."""
    if not rows:
        return
    texts = json.dumps({name: "VARCHAR" for row in rows for name in row})
    memory.execute(
        f"insert into {table} by name select unnest(from_json($rows, '[{texts}]'), max_depth := 2)",
        {"rows": json.dumps(rows, default=str)},
    )
