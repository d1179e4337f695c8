"""Equal facts give equal rows, to the order of every list, however they arrived and were built.

Statements written ahead of the runs do what dbt does when it makes them for one run.

What differed by chance would be published as new: months that nobody touched would be written
again, and evidence that somebody downloaded would not be what the next one gets.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest
from dbt.adapters.duckdb.environments import Environment

from orchestration.building.dbt_command import PROJECT
from tests.dbt_project.harness import UNTESTED, Harness, dbt
from tests.dbt_project.histories import Row, Step, Tables
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.test_growth import pay
from tests.dbt_project.test_payouts import as_copied
from tests.doses import IS_FULL, dose, sample

ORGANIZATIONS = dose(small=5, full=25)
FROM_DAY = date(2026, 1, 10)
"""Since when days are computed once more."""
FULL, INCREMENTAL, AFTER_UNPUBLISHED = range(3)
OWN = sample([INCREMENTAL, AFTER_UNPUBLISHED], small=1)
if IS_FULL:
    OWN = [FULL, *OWN]
"""The runs whose statements dbt makes itself, which takes ten times as long."""
OF_THE_RUN = {"run"}
"""Says when and by which run it was made."""

SQL = sorted([*PROJECT.glob("models/**/*.sql"), *PROJECT.glob("macros/**/*.sql")])
TAKE_ANY = r"(list|array_agg|string_agg|group_concat|listagg|json_group_array|json_group_object"
TAKE_ANY += r"|histogram|mode|first|last|any_value|arbitrary|arg_max|arg_min|max_by|min_by)"
SORTED = "list_sort("
CALLS = re.compile(rf"(?<![\w.])({re.escape(SORTED)})?{TAKE_ANY}\s*\(", re.IGNORECASE)
"""Aggregates that take one row, or rows in some order, where the query does not say which; with
what sorts their list."""

ONE_OF_EACH = {
    "captured_at": "merged_at_instant leaves one reading of an entity at an instant",
    "day": "facts by day have one row for each entity and day",
    "period_start": "a payee has one row for each period",
    "version_number": "no two versions of a structure have one number (unique in PostgreSQL)",
    "adjustment_number": "no two adjustments of an accrual have one number",
    "score_seq": "what was scored last has the highest number, once for each text",
    "(job_type, outcome)": "what is returned is in it",
    "(fetches, last_at, outcome)": "what is returned is in it",
}
"""Why arg_min and arg_max by this have no ties that could tell."""

REASON = re.compile(r"-- (one value|in any order): \w+")
"""Said in the line, or up to four above, where neither an order nor ONE_OF_EACH applies."""
LINES = 5
ORDERS = re.compile(r"\border by\b", re.IGNORECASE)


def test_equal_facts_give_equal_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of statements written ahead, and of dbt's own, which writes rows in any order.

    In a full refresh, in a run that continues it, and in one after an unpublished one.
    """
    tidy = built(tmp_path / "tidy")
    shuffle(monkeypatch)
    shuffled = built(tmp_path / "shuffled", Random(4))
    assert_same(tidy, shuffled)
    assert views_of(tidy) == views_of(shuffled)


def built(folder: Path, random: Random | None = None) -> Harness:
    """Build three runs; with `random`, from rows in another order and by dbt's own statements."""
    folder.mkdir()
    harness, own = Harness(folder, by_dbt=random is not None), OWN if random else ()
    for number, step in enumerate(PayoutHistory(8, organizations=ORGANIZATIONS, runs=2).steps()):
        if number:
            pay(harness, step)
        arrive(harness, step, random)
        run(harness, step.as_of, is_written=number not in own)
        if number:
            harness.decide(payout_assignments=[], campaign_items=[])
            harness.build(harness.begin(as_of=step.as_of), "+creator_daily", "+payout_earned")
            arrive(harness, replace(step, batches=[]), random)
            is_written = AFTER_UNPUBLISHED not in own
            run(harness, step.as_of, is_written=is_written, from_day=FROM_DAY)
    return harness


def run(harness: Harness, as_of: datetime, *, is_written: bool, **days: date) -> None:
    begun = harness.begin(as_of=as_of, **days)
    if is_written:
        harness.build(begun)
    else:
        dbt("build", *UNTESTED, path=harness.path, state=harness.folder)
    harness.promote(begun)


def views_of(harness: Harness) -> dict[str, list[str]]:
    """Return the words of each view: a run leaves one alone only where it would say the same again.

    In no order, since DuckDB tells what is left out of a `*` in any.
    """
    with harness.connect() as connection:
        rows = connection.execute(
            "select view_name, sql from duckdb_views() where not internal and view_name != 'run'"
        ).fetchall()
    return {name: sorted(re.split(r"[\s(),;]+", sql)) for name, sql in rows}


def arrive(harness: Harness, step: Step, random: Random | None) -> None:
    for batch in step.batches:
        harness.ingest(**in_other_order(batch, random))
    harness.decide(**in_other_order(as_copied(step.operational), random))


def in_other_order(tables: Tables, random: Random | None) -> Tables:
    if random is None:
        return tables
    return {name: random.sample(rows, len(rows)) for name, rows in tables.items()}


def shuffle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let DuckDB write rows in any order, with more threads than before."""
    connected = Environment.initialize_db

    def careless(*arguments: Any) -> duckdb.DuckDBPyConnection:
        connection: duckdb.DuckDBPyConnection = connected(*arguments)
        connection.execute("set preserve_insertion_order = false")
        return connection

    monkeypatch.setattr(Environment, "initialize_db", staticmethod(careless))
    monkeypatch.setenv("TRACKER_DUCKDB_THREADS", "4")
    monkeypatch.setenv("TRACKER_DBT_THREADS", "3")


def assert_same(harness: Harness, other: Harness) -> None:
    marts = [name for name in marts_of(harness) if name not in OF_THE_RUN]
    assert "payout_earned" in marts
    for mart in marts:
        rows: tuple[list[Row], list[Row]] = harness.rows(mart), other.rows(mart)
        differing = [pair for pair in zip(*rows, strict=True) if pair[0] != pair[1]]
        assert not differing, f"{mart}: {differing[0]}"


def marts_of(harness: Harness) -> list[str]:
    with harness.connect() as connection:
        rows = connection.execute(
            "select table_name from duckdb_tables() where schema_name in ('marts', 'machinery')"
            " union select view_name from duckdb_views()"
            " where schema_name in ('marts', 'machinery') order by all"
        ).fetchall()
    return [name for (name,) in rows]


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.stem)
def test_what_takes_any_row_says_in_which_order_or_why_not(path: Path) -> None:
    unsaid = [call for call, where in calls(path.read_text()) if not is_settled(call, where)]
    assert unsaid == [], "`list_sort(list(`, `-- one value: why` or `-- in any order: why`"


@pytest.mark.parametrize("path", SQL, ids=lambda path: path.stem)
def test_no_aggregate_orders_its_rows_by_itself(path: Path) -> None:
    """It would sort each group for itself: of many small ones, three times the work of `list_sort`
    (of a cpm period's posts, the whole build of payouts took half as long again)."""
    assert [call for call, _ in calls(path.read_text()) if ORDERS.search(call)] == []


def calls(sql: str) -> Iterator[tuple[str, str]]:
    """Yield each call whole, and its line with those above."""
    for call in CALLS.finditer(sql):
        above = sql[: call.start()].split("\n")[-LINES:]
        rest = sql[call.start() :].split("\n", 1)[0]
        yield sql[call.start() : closing(sql, call.end())], "\n".join(above) + rest


def closing(sql: str, position: int) -> int:
    """Return where the bracket ends that was opened before `position`."""
    depth = 1
    while depth:
        depth += {"(": 1, ")": -1}.get(sql[position], 0)
        position += 1
    return position


def is_settled(call: str, where: str) -> bool:
    if REASON.search(where) or call.startswith(SORTED):
        return True
    by = re.search(r",\s*(?:\w+\.)?(\w+|\(.*\))\s*\)$", call)
    return call.lower().startswith("arg_") and by is not None and by.group(1) in ONE_OF_EACH


def test_a_list_in_any_order_is_found() -> None:
    (call,) = calls("select\n    list({'a': b}) as c\nfrom d")
    assert not is_settled(*call)
    (call,) = calls("select\n    list_sort(list({'a': b})) as c\nfrom d")
    assert is_settled(*call)
    (call,) = calls("select\n    arg_max(a.b, a.c) as c\nfrom d")
    assert not is_settled(*call)
