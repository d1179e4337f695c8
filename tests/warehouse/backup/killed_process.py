"""A backup or restore in a separate process that kills itself at a named step."""

from pathlib import Path

from tests.warehouse.raw.killed_worker import die_at
from warehouse.backup.create import create_backup
from warehouse.backup.restore import restore_backup
from warehouse.operational.store import operational_store
from warehouse.settings import Settings


def work(step: str, what: str, folder: Path, settings: Settings) -> None:
    die_at(*step.split())
    if what == "restore":
        restore_backup(settings, folder, force=True)
        return
    with operational_store(settings) as store:
        create_backup(settings, store, folder)
