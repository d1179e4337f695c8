"""The warehouse as a build opens it."""

from pathlib import Path

from orchestration.building.executor import attached
from warehouse.settings import Settings


def test_what_a_killed_build_spilled_to_the_disk_is_removed(settings: Settings) -> None:
    """DuckDB would leave it until a build spills again, which may be never."""
    spilled = Path(f"{settings.warehouse_path}.tmp") / "duckdb_temp_storage_DEFAULT-0.tmp"
    spilled.parent.mkdir(parents=True)
    spilled.write_bytes(b"rows")
    with attached(settings) as connection:
        connection.execute("select 1")
    assert not spilled.exists()
