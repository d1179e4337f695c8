"""Copies batches into a backup, one place after the other."""

from typing import Protocol
from uuid import UUID

from warehouse.backup.dump import Snapshot
from warehouse.backup.files import Copier, whole_entries
from warehouse.landing.archive import segments
from warehouse.landing.batches import registered, rejected_ids
from warehouse.settings import Settings

LANDING = "landing"


class Batches(Protocol):
    """The batches of one kind of storage, as a backup copies them."""

    def copy(self, prefix: str) -> None:
        """Copy the batches at a place.

        A batch that moves meanwhile is copied whole or not at all.
        """

    def copy_registered(self, snapshot: Snapshot) -> None:
        """Copy the batches whose registration is in the dump.

        Others are registered again on restore.
        """

    def copied(self) -> set[UUID]:
        """Return the ids of batches that the backup has registered, archived or set aside."""


class FolderBatches:
    """Batches in the data folder. With a bucket, these are the ones still to be uploaded."""

    def __init__(self, settings: Settings, copier: Copier) -> None:
        self._landing = settings.landing_path
        self._copier = copier
        self._copies = copier.root / LANDING
        copier.make_folder(LANDING)

    def copy(self, prefix: str) -> None:
        self._copier.make_folder(f"{LANDING}/{prefix}")
        for path in whole_entries(self._landing / prefix):
            self._copier.copy_moving_folder(path, f"{LANDING}/{prefix}/{path.name}")

    def copy_registered(self, snapshot: Snapshot) -> None:
        paths = {batch.batch_id: batch.path for batch in registered(self._landing)}
        known: set[UUID] = snapshot.registered(paths)
        self._copier.make_folder(f"{LANDING}/registered")
        for batch_id in sorted(known):
            self._copier.copy_folder(paths[batch_id], f"{LANDING}/registered/{batch_id}")

    def copied(self) -> set[UUID]:
        archived = {
            batch.batch_id for segment in segments(self._copies) for batch in segment.batches
        }
        waiting = {batch.batch_id for batch in registered(self._copies)}
        return archived | waiting | rejected_ids(self._copies)
