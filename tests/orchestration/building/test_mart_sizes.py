"""Sizes of marts: rows always, bytes where counting them takes little."""

from pathlib import Path

import duckdb
import pytest

from orchestration.defs.dbt import assets as module
from orchestration.defs.dbt.assets import Size, mart_sizes

BLOCK = 256 * 1024
"""Bytes in which DuckDB's files grow."""


@pytest.fixture
def marts(tmp_path: Path) -> duckdb.DuckDBPyConnection:
    """Three rows and none, in a file that was closed since, as dbt leaves it; and a view."""
    path = tmp_path / "warehouse.duckdb"
    with duckdb.connect(path) as connection:
        connection.execute("create schema marts")
        connection.execute("create table marts.three as select unnest(['a', 'b', 'c']) as letter")
        connection.execute("create table marts.none as select 1 as number limit 0")
        connection.execute("create view marts.seen as from marts.three")
        connection.execute("create table other as select 1 as number")
    return duckdb.connect(path)


def test_tables_tell_rows_and_bytes_and_views_nothing(marts: duckdb.DuckDBPyConnection) -> None:
    assert mart_sizes(marts, {}) == {"three": Size(3, BLOCK), "none": Size(0, 0)}


@pytest.mark.parametrize(
    ("written", "bytes_told"), [(None, None), (0, None), (2, None), (3, BLOCK)]
)
def test_the_blocks_of_a_large_mart_are_counted_only_where_it_was_made_anew(
    marts: duckdb.DuckDBPyConnection,
    monkeypatch: pytest.MonkeyPatch,
    written: int | None,
    bytes_told: int | None,
) -> None:
    monkeypatch.setattr(module, "BLOCKS_READ", 2)
    assert mart_sizes(marts, {"three": written})["three"] == Size(3, bytes_told)


def test_before_the_first_mart_there_is_nothing_to_tell() -> None:
    with duckdb.connect() as empty:
        assert mart_sizes(empty, {}) == {}
