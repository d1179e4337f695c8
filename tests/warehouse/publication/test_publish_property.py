"""Publication after publication of marts that change anyhow: each shows exactly what they hold."""

from datetime import UTC, datetime, timedelta
from tempfile import TemporaryDirectory
from uuid import UUID

import duckdb
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import create_marts
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.settings import Settings

START = datetime(2026, 1, 1, tzinfo=UTC)
FACTS = ("video_deltas", "video_daily", "account_snapshots")
EDGES = st.sampled_from([0, 31, 59, 90, 120, 151])  # first days of months, from January on

instants = st.builds(
    lambda day, second: START + timedelta(days=day, seconds=second),
    EDGES | st.integers(0, 180),
    st.sampled_from([-1, 0, 1, 43_200]),
)
rows = st.dictionaries(
    st.tuples(st.integers(0, 3), instants), st.none() | st.integers(0, 9), max_size=12
)
rounds = st.lists(st.tuples(rows, instants, st.booleans()), min_size=2, max_size=4)


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


@settings(max_examples=dose(4, 10), deadline=None)
@given(rounds=rounds)
def test_a_publication_shows_what_the_marts_hold(
    rounds: list[tuple[dict[tuple[int, datetime], int | None], datetime, bool]],
) -> None:
    with TemporaryDirectory() as home, duckdb.connect() as warehouse:
        create_marts(warehouse)
        current = CurrentPublication(Settings(home=home).publications_path)
        for readings, as_of, is_rewritten in rounds:
            for fact in FACTS:
                if is_rewritten:
                    warehouse.execute(f"delete from marts.{fact}")
            write(warehouse, readings)
            publish(Settings(home=home), warehouse, as_of=as_of)
            with current.cursor() as cursor:
                for fact in FACTS:
                    every_row = f"from marts.{fact} order by all"
                    held = warehouse.execute(every_row).fetchall()
                    assert cursor.execute(every_row).fetchall() == held
        current.close()
