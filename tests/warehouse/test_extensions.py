"""DuckDB's signed extensions come as packages and load offline.

Each is built for one patch version of DuckDB and refused by others, so duckdb is pinned to the
newest version with all three packages.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from importlib.resources import files
from pathlib import Path

import duckdb
import pytest

pytestmark = pytest.mark.slow

EXTENSIONS = ("ducklake", "httpfs", "postgres_scanner")


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection that finds only the packaged extensions."""
    config: dict[str, str | bool | int | float | list[str]] = {
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
        "extension_directory": str(tmp_path / "none"),
    }
    with duckdb.connect(config=config) as offline:
        offline.execute("set custom_extension_repository = 'http://127.0.0.1:1'")
        for name in EXTENSIONS:
            offline.execute(f"load '{packaged(name)}'")
        yield offline


def packaged(name: str) -> str:
    """Return the path of the packaged extension for the installed DuckDB."""
    folder = files(f"duckdb_extension_{name}") / "extensions" / f"v{duckdb.__version__}"
    return str(folder / f"{name}.duckdb_extension")


def test_all_load_from_their_packages(connection: duckdb.DuckDBPyConnection) -> None:
    loaded = connection.execute(
        "select extension_name from duckdb_extensions() where loaded and not installed order by all"
    ).fetchall()
    assert loaded == [(name,) for name in EXTENSIONS]


def test_a_lake_keeps_its_catalog_in_postgresql(
    connection: duckdb.DuckDBPyConnection,
    tmp_path: Path,
    databases: Callable[[], AbstractContextManager[str]],
) -> None:
    with databases() as url:
        connection.execute(
            f"attach 'ducklake:postgres:{url}' as lake (data_path '{tmp_path}/lake')"
        )
        connection.execute("create table lake.counts as select 12 as views, 'UTC' as zone")
        assert connection.execute("from lake.counts").fetchall() == [(12, "UTC")]
        connection.execute("detach lake")


def test_a_bucket_is_read_over_http(connection: duckdb.DuckDBPyConnection) -> None:
    with pytest.raises(duckdb.Error, match=r"127\.0\.0\.1:1"):
        connection.execute("from read_text('http://127.0.0.1:1/nobody/listens')")
