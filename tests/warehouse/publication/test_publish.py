"""The contents of a publication, and what it shares with the preceding one."""

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories.marts import TABLES, Account, History, Video
from tests.warehouse.publication.conftest import JULY, Marts, every_mart
from warehouse.catalogue.models import relation_of
from warehouse.publication.current import CurrentPublication
from warehouse.publication.relocate import relocate
from warehouse.publication.views import TypesChanged
from warehouse.settings import Settings

MARCH, APRIL, MAY, JUNE = (datetime(2026, month, 10, 8, tzinfo=UTC) for month in (3, 4, 5, 6))


def history(**views: int) -> History:
    """Return two videos and an account, read monthly since March; `march=5` sets that reading."""
    months = {"march": MARCH, "april": APRIL, "may": MAY, "june": JUNE, "july": JULY}
    counts = {at: views.get(name, 100 * at.month) for name, at in months.items()}
    return History(
        videos=[
            Video(name, {at: {"view": count} for at, count in counts.items()})
            for name in ("first", "second")
        ],
        accounts=[Account("account", dict(counts))],
    )


def rows(connection: duckdb.DuckDBPyConnection, table: str) -> list[tuple[object, ...]]:
    return sorted(connection.execute(f"from {table}").fetchall(), key=str)


def month_files(folder: Path) -> set[str]:
    return {file.name for file in (folder / "months").glob("*.parquet")}


SCANS = ("READ_PARQUET", "SEQ_SCAN")


def operators(plan: list[dict[str, Any]]) -> Iterator[str]:
    for node in plan:
        yield node["name"].strip()
        yield from operators(node["children"])


ANALYST = """
import duckdb, json, sys
connection = duckdb.connect(sys.argv[1], read_only=True)
print(json.dumps(connection.execute(sys.argv[2]).fetchall(), default=str))
"""


def ask_as_analyst(settings: Settings, question: str) -> list[list[object]]:
    """Query from another process that knows only `current.duckdb` and SQL."""
    path = settings.publications_path / "current.duckdb"
    answer = subprocess.run(
        [sys.executable, "-c", ANALYST, str(path), question],
        check=True,
        capture_output=True,
        text=True,
        cwd=path.root,
    )
    rows: list[list[object]] = json.loads(answer.stdout)
    return rows


class TestContents:
    @every_mart
    def test_every_mart_row_by_row(self, marts: Marts) -> None:
        marts.fill(history())
        marts.publish()
        with marts.cursor() as cursor:
            for table in map(relation_of, TABLES):
                assert rows(cursor, table) == rows(marts.warehouse, table), table

    @every_mart
    def test_the_types_of_the_marts(self, marts: Marts) -> None:
        marts.fill(history())
        marts.publish()
        with marts.cursor() as cursor:
            for mart in TABLES:
                described = f"select column_name, column_type from (describe {relation_of(mart)})"
                expected = marts.warehouse.execute(described).fetchall()
                assert cursor.execute(described).fetchall() == expected, mart

    def test_any_further_mart_as_it_is(self, marts: Marts) -> None:
        marts.warehouse.execute("create table marts.later as select 7::bigint as cents")
        marts.publish()
        with marts.cursor() as cursor:
            assert rows(cursor, "marts.later") == [(7,)]

    def test_a_mart_that_is_a_view_as_a_view(self, marts: Marts) -> None:
        marts.fill(history())
        marts.warehouse.execute(
            "create view marts.last_deltas as"
            " select video_id, max_by(view_delta, captured_at) as view_delta"
            " from marts.video_deltas group by video_id"
        )
        marts.publish()
        relocate(marts.settings)
        with marts.cursor() as cursor:
            assert rows(cursor, "marts.last_deltas") == rows(marts.warehouse, "marts.last_deltas")
            assert len(rows(cursor, "marts.last_deltas")) == 2
        is_view = "select count(*) from duckdb_views() where view_name = 'last_deltas'"
        assert ask_as_analyst(marts.settings, is_view) == [[1]]

    def test_nothing_that_a_killed_build_left(self, marts: Marts) -> None:
        marts.warehouse.execute(
            "create table marts.creator_daily__dbt_tmp as select 1 as half_built"
        )
        marts.publish()
        assert ask_as_analyst(
            marts.settings, "select count(*) from duckdb_tables() where table_name like '%dbt_tmp'"
        ) == [[0]]

    def test_it_has_its_publication_id(self, marts: Marts) -> None:
        published_at = datetime(2026, 11, 1, 12, tzinfo=UTC)
        latest = marts.publish(real_clock=lambda: published_at)
        info = CurrentPublication(marts.settings.publications_path).info()
        assert (info.publication_id, info.as_of, info.published_at) == (
            latest.id,
            JULY,
            published_at,
        )

    def test_an_analyst_reads_it_from_anywhere(self, marts: Marts) -> None:
        marts.fill(history())
        marts.publish()
        assert ask_as_analyst(
            marts.settings, "select count(*), sum(view_delta)::bigint from marts.video_deltas"
        ) == [[10, 1400]]

    def test_a_type_that_parquet_cannot_keep_is_refused(self, marts: Marts) -> None:
        marts.fill(history())
        good = marts.publish()
        marts.warehouse.execute("alter table marts.video_daily alter column new_views type hugeint")
        with pytest.raises(TypesChanged, match="video_daily"):
            marts.publish()
        assert CurrentPublication(marts.settings.publications_path).info().publication_id == good.id
        assert [
            path.name for path in marts.settings.publications_path.iterdir() if path.is_dir()
        ] == [str(good.id)]


class TestMonths:
    @every_mart
    def test_this_and_last_month_are_native_and_older_ones_files(self, marts: Marts) -> None:
        marts.fill(history())
        latest = marts.publish()
        months = ("2026-03", "2026-04", "2026-05")
        facts = ("video_deltas", "video_daily", "account_snapshots", "creator_quarter_hours")
        assert month_files(latest.path.parent) == {
            f"{fact}-{month}.parquet" for fact in facts for month in months
        }

    def test_a_filter_on_time_leaves_out_the_other_months_files(self, marts: Marts) -> None:
        marts.fill(history())
        marts.publish()
        with marts.cursor() as cursor:
            plan = cursor.execute(
                "explain (format json) "
                "select sum(view_delta) from marts.video_deltas where captured_at >= $from",
                {"from": datetime(2026, 5, 2, tzinfo=UTC)},
            ).fetchall()[0][1]
        scans = [name for name in operators(json.loads(plan)) if name in SCANS]
        assert sorted(scans) == ["READ_PARQUET", "SEQ_SCAN", "SEQ_SCAN"]

    def test_rows_are_ordered_by_entity_and_time_within_a_month(self, marts: Marts) -> None:
        readings = {JUNE + timedelta(hours=hour): {"view": hour} for hour in range(5)}
        marts.fill(History(videos=[Video(name, readings) for name in "abcd"]))
        marts.warehouse.execute(
            "create or replace table marts.video_deltas as "
            "from marts.video_deltas order by captured_at"
        )
        marts.publish()
        with marts.cursor() as cursor:
            lying = cursor.execute(
                "select video_id, captured_at from marts.video_deltas"
            ).fetchall()
        assert lying == sorted(lying)

    def test_posts_are_ordered_by_account(self, marts: Marts) -> None:
        marts.warehouse.execute(
            "insert into marts.videos by name"
            " select uuid() as video_id, md5((number % 3)::varchar)::uuid as account_id"
            " from range(12) as numbers (number)"
        )
        marts.publish()
        with marts.cursor() as cursor:
            lying = cursor.execute("select account_id, video_id from marts.videos").fetchall()
        assert lying == sorted(lying)

    def test_unchanged_months_are_the_same_files(self, marts: Marts) -> None:
        marts.fill(history())
        first = marts.publish().path.parent
        marts.fill(history(april=450, july=900))
        second = marts.publish().path.parent

        def is_shared(fact: str, month: str) -> bool:
            name = f"months/{fact}-{month}.parquet"
            return (first / name).samefile(second / name)

        assert is_shared("video_deltas", "2026-03")
        assert not is_shared("video_deltas", "2026-04")
        assert not is_shared("video_deltas", "2026-05")  # its delta depends on April's count
        assert is_shared("account_snapshots", "2026-03")

    def test_a_new_column_is_published_in_every_month(self, marts: Marts) -> None:
        marts.fill(history())
        marts.publish()
        marts.warehouse.execute(
            "alter table marts.video_deltas add column note varchar default 'new'"
        )
        marts.publish()
        with marts.cursor() as cursor:
            assert rows(cursor, "marts.video_deltas") == rows(marts.warehouse, "marts.video_deltas")
