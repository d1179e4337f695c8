"""An upgrade from any earlier version preserves the installation's data."""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import psycopg
import pytest
from alembic import command
from psycopg import sql
from psycopg.rows import dict_row
from sqlalchemy import event

from tests.factories.any_schema import Filler, Rows
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.warehouse.backup.emptiness import emptied
from tests.warehouse.operational.test_migrations import differences
from warehouse.connection import open_warehouse
from warehouse.operational.migrations import configuration, known_revisions
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.operational_copy import copy_operational
from warehouse.settings import Settings

GONE: Mapping[tuple[str, str | None], str] = {
    ("payout_simulation_creators", None): "simulations are answered at once",
    ("payout_simulations", None): "simulations are answered at once",
    ("provider_runs", None): "no provider is asked by runs",
    ("shard_assignments", "project_id"): "the organization has the shard of its projects",
}
"""Tables and columns that an upgrade drops, and what happens to their data."""


BASELINE = min(known_revisions())
"""Processes of the preceding version keep running during later migrations."""

NARROWED: Mapping[str, str] = {
    "0067": "drops what 0060 and 0066 made, which no release had",
    "0068": "drops the tables of queued simulations, which are no more",
    "0069": "drops the runs of Apify and Bright Data, which are no more",
    "0072": "adds a column that refers to users, null in all rows",
    "0073": "adds a column that refers to users, null in all rows",
}
"""Revisions that drop something or reject earlier data, and why that is safe."""

NARROWING = [
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        r"\bdrop (table|column|view|function)\b",
        r"\brename\b",
        r"\balter column \S+ (set not null|type|drop default)\b",
        r"\badd column (?!.*\bdefault\b).*\bnot null\b",
        r"\balter table .* add (constraint \S+ )?(check|unique|exclude|foreign key)\b",
    )
]
"""Statements that break reads or writes of processes with the preceding schema."""


def is_narrowing(statement: str) -> bool:
    return any(pattern.search(statement) for pattern in NARROWING)


def go_to(store: OperationalStore, revision: str) -> None:
    with store.engine.begin() as connection:
        command.upgrade(configuration(connection), revision)


@dataclass(frozen=True)
class Upgraded:
    """A database upgraded version by version, with a row per table written at each version.

    `statements` are those of each upgrade.
    """

    store: OperationalStore
    written: list[tuple[str, Rows]]
    statements: Mapping[str, list[str]]


@pytest.fixture(scope="module")
def upgraded(
    databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Upgraded]:
    home = tmp_path_factory.mktemp("upgraded")
    with databases() as url, operational_store(settings_for(home, url)) as store:
        emptied(url)
        written, statements = [], defaultdict[str, list[str]](list)
        event.listen(
            store.engine, "before_cursor_execute", lambda *of: statements[revision].append(of[2])
        )
        for number, revision in enumerate(sorted(known_revisions()), start=1):
            go_to(store, revision)
            with psycopg.connect(store.dsn) as connection:
                # without triggers, as when a dump is restored
                connection.execute("set session_replication_role = replica")
                written.append((revision, Filler(connection).fill(number)))
        yield Upgraded(store, written, statements)


def rows_by_table(store: OperationalStore) -> dict[str, list[dict[str, Any]]]:
    names = "select tablename from pg_tables where schemaname = 'public'"
    with psycopg.connect(store.dsn, row_factory=dict_row) as connection:
        tables = [row["tablename"] for row in connection.execute(names).fetchall()]
        every = sql.SQL("select * from {}")
        return {
            table: connection.execute(every.format(sql.Identifier(table))).fetchall()
            for table in tables
        }


def lost(table: str, row: dict[str, Any], now: dict[str, list[dict[str, Any]]]) -> list[str]:
    """Return the differences to the most similar row; none if the row is unchanged."""
    if table not in now:
        return [] if (table, None) in GONE else [f"{table} is gone"]
    columns = {name: value for name, value in row.items() if (table, name) not in GONE}
    unlike = (
        [
            f"{table}.{name}"
            for name, value in columns.items()
            if name not in new_row or new_row[name] != value
        ]
        for new_row in now[table]
    )
    return min(unlike, key=len, default=[f"{table} is empty"])


@pytest.mark.slow
def test_rows_of_every_version_survive_all_later_ones(
    upgraded: Upgraded, settings: Settings
) -> None:
    assert differences(upgraded.store) == []
    now = rows_by_table(upgraded.store)
    assert {
        revision: changed
        for revision, rows in upgraded.written
        for table, row in rows.items()
        if (changed := lost(table, row, now))
    } == {}
    assert len(now["videos"]) == len(upgraded.written)

    with open_warehouse(settings) as connection:
        copy_operational(upgraded.store, connection)
        copied = connection.sql("select count(*) from operational.videos").fetchone()
    assert copied == (len(upgraded.written),)


@pytest.mark.slow
def test_payments_keep_the_day_of_the_zone_in_which_they_were_recorded(
    empty: OperationalStore,
) -> None:
    go_to(empty, "0081")
    with psycopg.connect(empty.dsn) as connection:
        connection.execute("set session_replication_role = replica")
        Filler(connection).fill(1)
        connection.execute("update payout_payments set paid_at = '2026-01-01T20:00Z'")
        connection.execute("update organizations set analytics_tz = 'UTC'")
    go_to(empty, "head")
    [payment] = rows_by_table(empty)["payout_payments"]
    assert payment["dated_on"] == date(2026, 1, 2), "in Tokyo"


def test_payments_that_an_older_version_records_or_pays_have_their_day(
    store: OperationalStore,
) -> None:
    with psycopg.connect(store.dsn) as connection:
        connection.execute("set session_replication_role = replica")
        Filler(connection).fill(1)
        connection.execute("set session_replication_role = origin")
        connection.execute(RECORDED_BEFORE_0082)
        day = "select dated_on from payout_payments where amount_cents = 100"
        assert connection.execute(day).fetchone() == (date(2026, 1, 3),), "in Tokyo"
        connection.execute(PAID_BEFORE_0082)
        assert connection.execute(day).fetchone() == (date(2026, 2, 1),)


RECORDED_BEFORE_0082 = """
    insert into payout_payments (
        id, organization_id, project_id, creator_id, payout_method_id, amount_cents, status,
        created_at, updated_at
    )
    select
        gen_random_uuid(), organization_id, project_id, creator_id, payout_method_id, 100,
        'pending', '2026-01-02T20:00Z', '2026-01-02T20:00Z'
    from payout_payments
"""
PAID_BEFORE_0082 = """
    update payout_payments
    set status = 'paid', paid_at = '2026-01-31T20:00Z', updated_at = '2026-01-31T20:00Z'
    where amount_cents = 100
"""


@pytest.mark.parametrize(
    ("statement", "narrows"),
    [
        ("ALTER TABLE videos DROP COLUMN handle", True),
        ("DROP TABLE departures", True),
        ("ALTER TABLE oauth_grants RENAME code_expires_at TO expires_at", True),
        ("ALTER TABLE goals ALTER COLUMN metric SET NOT NULL", True),
        ("ALTER TABLE goals ALTER COLUMN target TYPE INTEGER", True),
        ("ALTER TABLE goals ADD COLUMN said VARCHAR NOT NULL", True),
        ("ALTER TABLE goals ADD CONSTRAINT ck_goals_days CHECK (a > b)", True),
        ("ALTER TABLE goals ADD COLUMN said VARCHAR", False),
        ("ALTER TABLE goals ADD COLUMN said VARCHAR DEFAULT 'x' NOT NULL", False),
        ("CREATE TABLE new (id UUID NOT NULL, CONSTRAINT pk_new PRIMARY KEY (id))", False),
        ("CREATE INDEX ix_goals_said ON goals (said)", False),
        ("DROP INDEX ix_goals_said", False),
    ],
)
def test_narrowing_statements_are_recognized(statement: str, narrows: bool) -> None:
    assert is_narrowing(statement) is narrows


def test_processes_of_the_preceding_version_work_with_a_new_schema(upgraded: Upgraded) -> None:
    """A column or table is dropped one version after the code stops using it."""
    narrowing = {
        revision
        for revision, statements in upgraded.statements.items()
        if revision > BASELINE and any(map(is_narrowing, statements))
    }
    assert narrowing == NARROWED.keys()
