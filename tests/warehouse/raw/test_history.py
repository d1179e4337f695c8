"""Older readings move to files beside the warehouse: each is stored once and all are read."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from random import Random
from typing import Any

import duckdb
import pytest

from tests.doses import SEED, sample
from tests.factories.published import publish_build
from tests.fixtures.forked import assert_kills_itself, kill_after
from tests.fixtures.operational import settings_for
from tests.warehouse.raw.killed_worker import die_at
from warehouse.catalogue.counters import VIDEO_COUNTERS
from warehouse.catalogue.raw import INGESTED
from warehouse.connection import create_tables, open_warehouse, transaction
from warehouse.raw import history, history_view
from warehouse.raw.copied_shard import note_members
from warehouse.raw.history import move_to_history
from warehouse.settings import Settings, history_folder

NOW = datetime(2026, 5, 20, 12, tzinfo=UTC)
BEGIN = datetime(2026, 1, 1, tzinfo=UTC)
ALL = "from raw.all_video_snapshots order by all"
Rows = list[tuple[Any, ...]]


@pytest.fixture(autouse=True)
def every_row_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(history, "FEW_ROWS", 1)


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    """Settings of a warehouse without PostgreSQL."""
    made = settings_for(tmp_path / "it's here", "postgresql://nowhere")
    made.home_path.mkdir()
    return made


@pytest.fixture
def warehouse(settings: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse(settings) as connection:
        yield connection


def read(connection: duckdb.DuckDBPyConnection, batch_seq: int, *captured_at: datetime) -> None:
    connection.executemany(
        "insert into raw.video_snapshots by name select uuid() as video_id, ?::timestamptz as"
        " captured_at, 7 as view_count, true as is_exact, 'web' as source, ? as batch_seq",
        [(at, batch_seq) for at in captured_at],
    )


def publish(connection: duckdb.DuckDBPyConnection, to_batch_seq: int) -> None:
    publish_build(connection, as_of=NOW, to_batch_seq=to_batch_seq)


def rows(connection: duckdb.DuckDBPyConnection, query: str = ALL) -> Rows:
    return connection.execute(query).fetchall()


def in_table(connection: duckdb.DuckDBPyConnection) -> list[datetime]:
    query = "select captured_at from raw.video_snapshots order by all"
    return [at for (at,) in rows(connection, query)]


def files(settings: Settings) -> list[Path]:
    return sorted(history_folder(settings.warehouse_path).glob("*"))


MONTHS = [datetime(2026, month, 15, tzinfo=UTC) for month in range(1, 6)]


class TestMoving:
    def test_full_months_stay_and_older_ones_move(
        self, settings: Settings, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        last_to_move = datetime(2026, 3, 31, 23, 59, 59, 999999, tzinfo=UTC)
        first_to_stay = datetime(2026, 4, 1, tzinfo=UTC)
        read(warehouse, 1, *MONTHS, last_to_move, first_to_stay)
        publish(warehouse, 1)
        before = rows(warehouse)
        move_to_history(warehouse, 1)
        assert in_table(warehouse) == [first_to_stay, *MONTHS[3:]]
        assert rows(warehouse) == before
        assert [path.suffix for path in files(settings)] == [".parquet"]

    def test_without_a_number_of_months_all_stay(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        read(warehouse, 1, *MONTHS)
        publish(warehouse, 1)
        move_to_history(warehouse, None)
        assert in_table(warehouse) == MONTHS

    def test_readings_without_a_published_build_stay(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        read(warehouse, 1, MONTHS[0])
        move_to_history(warehouse, 1)
        assert in_table(warehouse) == MONTHS[:1]
        read(warehouse, 2, MONTHS[1])
        publish(warehouse, 1)
        move_to_history(warehouse, 1)
        assert in_table(warehouse) == MONTHS[1:2]

    def test_few_rows_stay_until_there_are_more(
        self, warehouse: duckdb.DuckDBPyConnection, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(history, "FEW_ROWS", 2)
        for number, left in ((1, MONTHS[:1]), (2, [])):
            read(warehouse, number, MONTHS[0])
            publish(warehouse, number)
            move_to_history(warehouse, 1)
            assert in_table(warehouse) == left

    def test_a_late_reading_of_a_moved_month_moves_later(
        self, settings: Settings, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        for number in (1, 2):
            read(warehouse, number, MONTHS[0])
            publish(warehouse, number)
            before = rows(warehouse)
            move_to_history(warehouse, 1)
            assert rows(warehouse) == before
        assert len(files(settings)) == 2
        assert len(before) == 2

    def test_files_of_killed_processes_are_removed_and_others_stay(
        self, settings: Settings, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        read(warehouse, 1, *MONTHS)
        publish(warehouse, 1)
        move_to_history(warehouse, 1)
        [file] = files(settings)
        for name in ("video_snapshots-0.parquet", f"tmp_{file.name}", "notes.txt"):
            file.with_name(name).touch()
        move_to_history(warehouse, None)
        assert files(settings) == [file.with_name("notes.txt"), file]

    def test_a_query_of_newer_rows_reads_no_file(
        self, settings: Settings, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        read(warehouse, 5, *MONTHS[:3])
        publish(warehouse, 5)
        move_to_history(warehouse, 1)
        for newer in ("batch_seq > 5", "captured_at > timestamptz '2026-03-15'"):
            plan = f"explain from raw.all_video_snapshots where {newer}"
            assert "PARQUET" not in str(rows(warehouse, plan)).upper()
        for older in ("batch_seq > 4", "captured_at >= timestamptz '2026-03-15'"):
            plan = f"explain from raw.all_video_snapshots where {older}"
            assert "PARQUET" in str(rows(warehouse, plan)).upper()

    def test_a_counter_that_came_later_is_unknown_in_older_files(
        self, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        last = VIDEO_COUNTERS[-1].count
        warehouse.execute(f"alter table raw.video_snapshots rename {last} to other")
        columns = history.WITH_HISTORY[0].column_names
        read(warehouse, 1, MONTHS[0])
        publish(warehouse, 1)
        with pytest.MonkeyPatch.context() as older:
            names = property(lambda _: tuple(name for name in columns if name != last))
            older.setattr("warehouse.catalogue.table.Table.column_names", names)
            move_to_history(warehouse, 1)
        warehouse.execute(f"alter table raw.video_snapshots rename other to {last}")
        for number in (2, 3):
            create_tables(warehouse)
            read(warehouse, number, MONTHS[number])
            warehouse.execute(f"update raw.video_snapshots set {last} = 3")
            publish(warehouse, number)
            counts = f"select batch_seq, view_count, {last} from raw.all_video_snapshots order by 1"
            expected = [(1, 7, None), (2, 7, 3), (3, 7, 3)][:number]
            assert rows(warehouse, counts) == expected
            move_to_history(warehouse, 0)
            assert rows(warehouse, counts) == expected
            assert in_table(warehouse) == []


class TestReadingElsewhere:
    def test_a_folder_named_like_a_column_is_not_its_value(self, tmp_path: Path) -> None:
        """DuckDB reads `source=x` in a path as a column of a partitioned table."""
        settings = settings_for(tmp_path / "source=x" / "batch_seq=9", "postgresql://nowhere")
        settings.home_path.mkdir(parents=True)
        with open_warehouse(settings) as connection:
            read(connection, 1, *MONTHS)
            publish(connection, 1)
            before = rows(connection)
            move_to_history(connection, 1)
            assert rows(connection) == before

    @pytest.mark.parametrize("names", [("w.eu", "w.us"), ("w", "w.db"), ("w.history", "w")])
    def test_warehouses_in_one_folder_have_separate_files(
        self, settings: Settings, names: tuple[str, str]
    ) -> None:
        one, other = (
            settings.model_copy(update={"warehouse_url": str(settings.home_path / name)})
            for name in names
        )
        with open_warehouse(one) as connection:
            read(connection, 1, *MONTHS)
            publish(connection, 1)
            before = rows(connection)
            move_to_history(connection, 1)
        with open_warehouse(other) as connection:
            move_to_history(connection, 1)
        with open_warehouse(one) as connection:
            assert rows(connection) == before

    def test_a_moved_folder_is_read_where_it_is(self, settings: Settings, tmp_path: Path) -> None:
        with open_warehouse(settings) as connection:
            read(connection, 1, *MONTHS)
            publish(connection, 1)
            move_to_history(connection, 1)
            before = rows(connection)
        moved = settings_for(tmp_path / "there", "postgresql://nowhere")
        settings.home_path.rename(moved.home_path)
        with open_warehouse(moved) as connection:
            assert rows(connection) == before

    def test_a_missing_file_is_an_error_and_known(
        self, settings: Settings, warehouse: duckdb.DuckDBPyConnection
    ) -> None:
        read(warehouse, 1, *MONTHS)
        publish(warehouse, 1)
        move_to_history(warehouse, 1)
        assert history_view.missing_files(warehouse) == []
        [file] = files(settings)
        file.unlink()
        assert history_view.missing_files(warehouse) == [file]
        with pytest.raises(duckdb.IOException, match=file.name):
            rows(warehouse)


class TestRebuilding:
    @pytest.fixture
    def moved(self, warehouse: duckdb.DuckDBPyConnection) -> duckdb.DuckDBPyConnection:
        read(warehouse, 1, *MONTHS)
        publish(warehouse, 1)
        move_to_history(warehouse, 1)
        return warehouse

    def test_other_members_begin_with_no_readings(
        self, settings: Settings, moved: duckdb.DuckDBPyConnection
    ) -> None:
        moved.execute("insert into raw.copied_shard values ('others', 1)")
        with transaction(moved):
            note_members(None, moved, None)  # type: ignore[arg-type]  (no PostgreSQL is asked)
        assert rows(moved) == []
        read(moved, 1, *MONTHS)
        create_tables(moved)
        assert sorted(at for _, at, *_ in rows(moved)) == MONTHS
        move_to_history(moved, None)
        assert files(settings) == []

    def test_a_rebuild_reads_no_file_of_before(self, moved: duckdb.DuckDBPyConnection) -> None:
        with transaction(moved):
            for table in INGESTED:
                moved.execute(f"drop table {table.relation}")
            create_tables(moved)
        assert rows(moved) == []


STEPS = [
    "warehouse.raw.history:make_way after",
    "warehouse.raw.history:sync before",
    "warehouse.raw.history:sync after",
    "warehouse.raw.history:transaction before",
    "warehouse.raw.history:show_history before",
    "warehouse.raw.history:show_history after",
]


def work(ready: Any, settings: Settings, *step: str) -> None:
    history.FEW_ROWS = 1  # only in this process
    if step:
        die_at(*step)
    if ready:
        ready.send(None)
    with open_warehouse(settings) as connection:
        move_to_history(connection, 1)


@pytest.fixture
def to_move(settings: Settings) -> tuple[Settings, Rows]:
    """A warehouse with a history file and rows that are due to move to another."""
    with open_warehouse(settings) as connection:
        random = Random(SEED)
        for number in (1, 2):
            minutes = (random.randrange(140 * 24 * 60) for _ in range(40))
            read(connection, number, *(BEGIN + timedelta(minutes=some) for some in minutes))
            publish(connection, number)
            if number == 1:
                move_to_history(connection, 1)
        return settings, rows(connection)


def assert_all_there(settings: Settings, expected: Rows) -> None:
    with open_warehouse(settings) as connection:
        assert rows(connection) == expected
        move_to_history(connection, 1)
        assert rows(connection) == expected
        assert in_table(connection)[0] >= datetime(2026, 4, 1, tzinfo=UTC)
        listed = rows(connection, "select file from raw.history_files order by file")
    assert [(path.name,) for path in files(settings)] == listed
    assert len(listed) == 2


@pytest.mark.parametrize("step", STEPS)
def test_a_kill_at_a_step_loses_and_doubles_nothing(
    to_move: tuple[Settings, Rows], step: str
) -> None:
    settings, expected = to_move
    assert_kills_itself(work, None, settings, *step.split())
    assert_all_there(settings, expected)


@pytest.mark.parametrize("seed", sample(range(20), small=2))
def test_kills_at_any_moment_lose_and_double_nothing(
    to_move: tuple[Settings, Rows], seed: int
) -> None:
    settings, expected = to_move
    kill_after(Random(seed).uniform(0, 0.15), work, settings)
    assert_all_there(settings, expected)


def test_a_damaged_move_changes_nothing(to_move: tuple[Settings, Rows]) -> None:
    """A file with a row count other than the table's is never listed."""
    settings, expected = to_move
    with open_warehouse(settings) as connection, pytest.MonkeyPatch.context() as other:
        other.setattr(history, "sync", lambda _: read(connection, 2, MONTHS[0]))
        with pytest.raises(RuntimeError, match="rows written and"):
            move_to_history(connection, 1)
        other.undo()
        there = [row for row in rows(connection) if row in expected]
        assert there == expected
