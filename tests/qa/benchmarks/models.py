"""The models against one hand-written script: a whole history, and one more day."""

from datetime import datetime
from pathlib import Path

import duckdb

from orchestration.building.executor import attached, execute
from orchestration.building.manifests import manifest_json
from orchestration.building.results import NodeResult, explain
from tests.qa.benchmarks.child import Watch
from warehouse.catalogue.models import relation_of
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.settings import MAIN_SHARD, Settings

HAND_SCRIPT = Path(__file__).with_name("hand_script.sql")


class Unequal(Exception):  # noqa: N818 (reads as what happened)
    """The hand script and the models gave different tables."""


class Red(Exception):  # noqa: N818 (reads as what happened)
    """A model failed."""


def run_hand_script(watch: Watch, home: Path, as_of: datetime, target: Path) -> None:
    """Compute the marts by hand into a new DuckDB file."""
    settings = Settings(home=home, _env_file=None)
    config: dict[str, str | bool | int | float | list[str]] = {
        "threads": settings.duckdb_threads,
        "memory_limit": settings.duckdb_memory_limit,
    }
    target.unlink(missing_ok=True)
    with duckdb.connect(target, config=config) as connection, watch.running():
        connection.execute("set TimeZone = 'UTC'")
        connection.execute(f"attach '{settings.warehouse_path}' as warehouse (read_only)")
        connection.execute("set variable as_of = $as_of", {"as_of": as_of})
        connection.execute(
            "set variable to_batch_seq = (select max(batch_seq) from warehouse.raw.batches)"
        )
        connection.execute(HAND_SCRIPT.read_text(encoding="utf-8"))
        connection.execute("checkpoint")


def run_models(watch: Watch, home: Path, as_of: datetime, shard: str = MAIN_SHARD) -> None:
    """Begin a run and compute its models, at the first run the whole past; no tests."""
    settings = Settings(home=home, _env_file=None).of_shard(shard)
    nodes = [n for n in manifest_json()["nodes"].values() if n["resource_type"] == "model"]
    with watch.running():
        with open_warehouse(settings) as connection:
            run = begin_run(connection, as_of=as_of)
        with attached(settings) as connection:
            require_green(execute(connection, run, nodes))


def require_green(results: list[NodeResult]) -> None:
    """Raise Red if a model failed."""
    if not all(result.is_green for result in results):
        raise Red(explain(results))


def require_equal(home: Path, by_hand: Path) -> None:
    """Raise Unequal unless every mart of the hand script has the models' rows."""
    settings = Settings(home=home, _env_file=None)
    with duckdb.connect(settings.warehouse_path, read_only=True) as connection:
        connection.execute(f"attach '{by_hand}' as by_hand (read_only)")
        marts = connection.execute(
            "select table_name from duckdb_tables() where database_name = 'by_hand' order by 1"
        ).fetchall()
        for (mart,) in marts:
            computed, expected = (
                _digest(connection, f"{owner}.{relation_of(mart)}", mart)
                for owner in (settings.warehouse_path.stem, "by_hand")
            )
            if computed != expected:
                raise Unequal(f"{relation_of(mart)}: {computed} by the models, {expected} by hand")


def _digest(connection: duckdb.DuckDBPyConnection, table: str, mart: str) -> tuple[object, ...]:
    columns = connection.execute(
        f"select column_name, column_type from (describe {table}) order by 1"
    ).fetchall()
    names = ", ".join(name for name, _ in columns)
    rows = connection.execute(
        f"select count(*), bit_xor(hash(hash({names}))), sum(hash(hash({names}))) from {table}"
    ).fetchall()[0]
    return (*columns, *rows)
