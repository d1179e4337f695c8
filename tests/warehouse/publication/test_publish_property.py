"""Incremental publications show exactly what the marts contain.

Marts change from the first touched day on. Programs that know only the file read the same.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from uuid import UUID

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import FEW, create_marts
from tests.warehouse.publication.runs import begin_next
from warehouse.publication import base, marts
from warehouse.publication.base import FEW_ROWS
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

PATH = "select path from duckdb_databases() where database_name = 'publication'"
START = datetime(2026, 1, 1, tzinfo=UTC)
FACTS = ("video_deltas", "video_daily", "account_snapshots")
SMALL = ("projects", "organizations")
ONE_THREAD = {"threads": 1}
EDGES = st.sampled_from([0, 31, 59, 90, 120, 151])  # first days of months, from January on

instants = st.builds(
    lambda day, second: START + timedelta(days=day, seconds=second),
    EDGES | st.integers(0, 180),
    st.sampled_from([-1, 0, 1, 43_200]),
)
names = st.dictionaries(st.sampled_from(SMALL), st.lists(st.sampled_from("ab"), max_size=3))
"""Row names by small mart, possibly equal; other marts keep their rows."""
rows = st.dictionaries(
    st.tuples(st.integers(0, 3), instants), st.none() | st.integers(0, 9), max_size=12
)


def write(
    warehouse: duckdb.DuckDBPyConnection, readings: dict[tuple[int, datetime], int | None]
) -> None:
    for (entity, at), value in readings.items():
        key = UUID(int=entity)
        warehouse.execute(
            "insert into marts.video_deltas by name "
            "select $key as video_id, $at as captured_at, $value as view_delta",
            {"key": key, "at": at, "value": value},
        )
        warehouse.execute(
            "insert into marts.account_snapshots by name "
            "select $key as account_id, $at as captured_at, $value as follower_delta",
            {"key": key, "at": at, "value": value},
        )
        warehouse.execute(
            "insert into marts.video_daily by name "
            "select $key as video_id, $day as day, $value as new_views",
            {"key": key, "day": at.date(), "value": value},
        )


def rename(warehouse: duckdb.DuckDBPyConnection, names: dict[str, list[str]]) -> None:
    for mart, rows in names.items():
        warehouse.execute(f"delete from marts.{mart}")
        warehouse.execute(f"insert into marts.{mart} (name) select unnest($1)", [rows])


few_rows = pytest.mark.parametrize("few_rows", [0, FEW_ROWS])
"""Maximum rows beside a base before a new base is written."""


@contextmanager
def publishing(
    few_rows: int,
) -> Iterator[tuple[Settings, duckdb.DuckDBPyConnection, CurrentPublication]]:
    """Yield settings of a data folder, a warehouse and the folder's current publication."""
    with (
        TemporaryDirectory() as home,
        duckdb.connect(config=ONE_THREAD) as warehouse,
        pytest.MonkeyPatch.context() as changed,
    ):
        changed.setattr(base, "FEW_ROWS", few_rows)
        changed.setattr(marts, "LEAST_ROWS", 0)
        create_marts(warehouse, FEW)
        own = Settings(home=home)
        current = CurrentPublication(own.publications_path)
        yield own, warehouse, current
        current.close()


def assert_shown(current: CurrentPublication, warehouse: duckdb.DuckDBPyConnection) -> None:
    with current.cursor() as cursor, duckdb.connect(config=ONE_THREAD) as other:
        other.execute("set TimeZone = 'UTC'")
        [path] = cursor.execute(PATH).fetchall()[0]
        other.execute(f"attach '{path}' as publication (read_only)")
        other.execute("use publication")
        for fact in (*FACTS, *SMALL):
            every_row = f"from marts.{fact} order by all"
            held = warehouse.execute(every_row).fetchall()
            assert cursor.execute(every_row).fetchall() == held
            assert other.execute(every_row).fetchall() == held


touched_rounds = st.lists(
    st.tuples(
        st.none() | st.integers(-40, 1),  # the first touched day
        rows,
        st.booleans(),  # whether later rows are deleted
        st.sampled_from([0, 0, 0, 1, 23, 24, 7 * 24, 31 * 24]),  # hours since the last publication
        names,
    ),
    min_size=2,
    max_size=6,
)


@few_rows
@settings(max_examples=dose(3, 60), deadline=None)
@given(rounds=touched_rounds, day=EDGES | st.integers(40, 60))
def test_an_incremental_publication_equals_the_marts(
    few_rows: int,
    rounds: list[
        tuple[int | None, dict[tuple[int, datetime], int | None], bool, int, dict[str, list[str]]]
    ],
    day: int,
) -> None:
    with publishing(few_rows) as (own, warehouse, current):
        as_of = START + timedelta(days=day)
        write(warehouse, {(1, as_of - timedelta(days=40 * far)): far for far in range(3)})
        for touched, readings, is_rewritten, hours, renamed in rounds:
            as_of += timedelta(hours=hours)
            rename(warehouse, renamed)
            since = None if touched is None else as_of + timedelta(days=touched)
            begin_next(warehouse, since, since)
            if since:
                since = since.replace(hour=0, minute=0, second=0)
                if is_rewritten:
                    remove(warehouse, since)
                write(warehouse, {key: n for key, n in readings.items() if key[1] >= since})
                write(warehouse, {(7, since + timedelta(hours=hours)): hours})
            publish(own, warehouse, as_of=as_of)
            assert_shown(current, warehouse)


def remove(warehouse: duckdb.DuckDBPyConnection, since: datetime) -> None:
    for fact, time in zip(FACTS, ("captured_at", "day", "captured_at"), strict=True):
        warehouse.execute(f"delete from marts.{fact} where {time} >= $1", [since])
