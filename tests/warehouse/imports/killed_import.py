"""An import in a separate process, to be killed."""

from multiprocessing.connection import Connection
from pathlib import Path
from uuid import UUID

from orchestration.scraping.spelling import PlatformSpelling
from tests.warehouse.raw.killed_worker import die_at
from warehouse.imports.layouts import VIDEO_SNAPSHOTS
from warehouse.imports.snapshots import import_snapshots
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


def work(
    ready: Connection | None, settings: Settings, project: UUID, file: Path, *step: str
) -> None:
    """Signal the start and import the file, until `step` if there is one."""
    if step:
        die_at(*step)
    if ready:
        ready.send(None)
    with operational_store(settings) as store:
        import_snapshots(
            store,
            settings,
            file,
            kind=VIDEO_SNAPSHOTS,
            project_id=project,
            spelling=PlatformSpelling(),
            skip_bad=False,
            on_rows=lambda _rows: None,
            on_wait=lambda _message: None,
        )
