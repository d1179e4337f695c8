"""What a run does once it has the warehouse lock."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

from orchestration.resources.warehouse import WarehouseWriter
from warehouse.operational.store import OperationalStore
from warehouse.publication.retention import MARKER
from warehouse.settings import Settings


def test_retired_publications_are_deleted_before_a_run_writes(
    settings: Settings, store: OperationalStore
) -> None:
    """A full disk would fail each run before it publishes."""
    replaced = settings.publications_path / str(UUID(int=1))
    replaced.mkdir(parents=True)
    (replaced / MARKER).write_text((datetime.now(UTC) - timedelta(days=2)).isoformat())
    writer = WarehouseWriter(settings, store, print)
    writer.hold()
    writer.release()
    assert not replaced.exists()
