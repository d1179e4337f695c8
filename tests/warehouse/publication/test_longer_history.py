"""The publication of one more day writes what one of a third of the history does."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import create_marts
from warehouse.control.run import CONTINUED_MARTS
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.publish import Publication, publish
from warehouse.settings import Settings

AS_OF = datetime(2026, 7, 15, tzinfo=UTC)
ONE_DAY = timedelta(days=1)
DAYS = 430
TIMES = 3
ADD_DAYS = """
    insert into marts.{fact} ({entity}, {time})
    select
        md5('entity' || entity)::uuid,
        $ends - to_days(day::integer)
    from range(3) as entities (entity)
    cross join range(1, $days + 1) as days (day)
"""
TABLES = """
    select schema_name || '.' || table_name
    from duckdb_tables()
    where schema_name in ('recent', 'marts')
"""

COPIED_WHOLE = {
    "comments": "a comment of any age is shown anew where its post is walked through",
    "video_comments": "one row for each post",
    "video_comment_daily": "a post's days of any age, as its comments",
    "payout_decided_accruals": "found by ids, whatever their period",
}
"""Marts that grow and are no big facts, and why."""


def test_every_mart_that_grows_is_published_by_month_or_has_a_reason() -> None:
    by_month = {fact.name for fact in BIG_FACTS}
    assert set(CONTINUED_MARTS) - by_month == set(COPIED_WHOLE)


def test_one_more_day_writes_as_many_rows_after_three_times_the_history(tmp_path: Path) -> None:
    short, long = (
        rows_of_one_more_day(tmp_path / str(days), days) for days in (DAYS, TIMES * DAYS)
    )
    assert long == pytest.approx(short, rel=0.1)


def rows_of_one_more_day(folder: Path, days: int) -> int:
    """Publish so many days of all big facts and then one more; return the rows written for it."""
    folder.mkdir()
    settings = Settings(home=folder)
    with duckdb.connect(folder / "warehouse.duckdb") as warehouse:
        create_marts(warehouse)
        add_days(warehouse, AS_OF, days)
        publish(settings, warehouse, as_of=AS_OF)
        add_days(warehouse, AS_OF + ONE_DAY, 1)
        return rows_written(publish(settings, warehouse, as_of=AS_OF + ONE_DAY))


def add_days(warehouse: duckdb.DuckDBPyConnection, ends: datetime, days: int) -> None:
    for fact in BIG_FACTS:
        columns = {"entity": fact.entity_column, "time": fact.time_column}
        added = ADD_DAYS.format(fact=fact.name, **columns)
        warehouse.execute(added, {"ends": ends, "days": days})


def rows_written(made: Publication) -> int:
    """Count the rows in its tables, and in files that it has not in common with the last one."""
    files = (made.path.parent / "months").iterdir()
    new = [f"'{file}'" for file in files if file.stat().st_nlink == 1]
    with duckdb.connect(made.path, read_only=True) as publication:
        tables = [table for (table,) in publication.execute(TABLES).fetchall()]
        return sum(
            count
            for source in (*tables, *new)
            for (count,) in publication.execute(f"select count(*) from {source}").fetchall()
        )
