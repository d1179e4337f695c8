"""What a run does when it gets the right to write the warehouse."""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from uuid import UUID

import duckdb

from orchestration.resources.warehouse import WarehouseWriter
from warehouse.operational.store import OperationalStore
from warehouse.publication.retention import MARKER
from warehouse.settings import Settings


def test_publications_past_their_time_go_before_a_run_writes(
    settings: Settings, store: OperationalStore
) -> None:
    """A full disk fails each run before it publishes."""
    replaced = settings.publications_path / str(UUID(int=1))
    replaced.mkdir(parents=True)
    (replaced / MARKER).write_text((datetime.now(UTC) - timedelta(days=2)).isoformat())
    writer = WarehouseWriter(settings, store, print)
    writer.hold()
    writer.release()
    assert not replaced.exists()


def test_steps_share_one_open_file_until_a_build_or_an_error(
    settings: Settings, store: OperationalStore
) -> None:
    """Each opening takes longer than most steps."""
    writer = WarehouseWriter(settings, store, print)
    with writer.connection() as first:
        pass
    with writer.connection() as second:
        assert second is first
    writer.close()
    with duckdb.connect(settings.warehouse_path, config={"threads": 1}):
        """DuckDB refuses another configuration while the file is open in this process."""
    with suppress(ValueError), writer.connection() as third:
        third.begin()
        raise ValueError
    with writer.connection() as fourth:
        fourth.begin()
    writer.release()
