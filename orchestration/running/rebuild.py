"""Rebuilds the warehouse from the archive: raw tables, all marts, a publication.

It is not an asset, because it works on a second warehouse file and replaces the real one only when
that is complete.
"""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import duckdb

from orchestration.building import executor, results
from orchestration.running.progress import OnProgress, PipelineFailed, Progress
from orchestration.running.publishing import publish_run
from warehouse.comment_scoring.chosen import model_or_unscored
from warehouse.comment_scoring.step import score_comments
from warehouse.connection import attach_warehouse, warehouse_lock
from warehouse.control import Run, begin_run
from warehouse.full_disk import says_full
from warehouse.lake.writing import bring
from warehouse.landing.batches import DamagedBatchError
from warehouse.operational.clock import WrongClockError, business_time
from warehouse.operational.store import OperationalStore
from warehouse.raw.ingest import archive_ingested, insert_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.raw.rebuild import (
    ArchiveIncompleteError,
    rebuild_raw,
    replaced_warehouse,
    require_batches,
)
from warehouse.raw.sharing import archive_locked
from warehouse.settings import Settings
from warehouse.shards.lease import lease
from warehouse.shards.members import members_now
from warehouse.storage.storage import StorageAwayError

UNREADABLE = (ArchiveIncompleteError, DamagedBatchError, StorageAwayError, duckdb.Error)


@dataclass(frozen=True, slots=True)
class RebuildResult:
    batches: int
    as_of: datetime
    publication_id: str
    publication_path: Path


def rebuild(
    settings: Settings, store: OperationalStore, *, on_progress: OnProgress
) -> RebuildResult:
    """Rebuild the warehouse from the archive and waiting batches, compute everything and publish.

    The old file, if any, stays until the new one is complete. Waits for the warehouse. Raises
    PipelineFailed, leaving the old file and the last publication unchanged.
    """

    def on_wait(message: str) -> None:
        on_progress(Progress("wait", note=message))

    with warehouse_lock(settings, on_wait), lease(settings, store, on_wait) as own_lease:
        with replaced_warehouse(settings) as building:
            batches = _fill(building, store, on_progress)
            run, unsound = _compute(building, store, on_progress)
        on_progress(Progress("publish"))
        with attach_warehouse(settings) as connection:
            archive_ingested(store, settings, connection)
            published = publish_run(settings, store, connection, run, own_lease, unsound=unsound)
    bring(settings, store)
    return RebuildResult(batches, published.as_of, str(published.id), published.path)


def _fill(building: Settings, store: OperationalStore, on_progress: OnProgress) -> int:
    """Fill raw tables and the operational copy; return the number of batches."""

    def on_problem(message: str) -> None:
        on_progress(Progress("problem", note=message))

    try:
        require_batches(store, building)
        with attach_warehouse(building) as connection:
            on_progress(Progress("copy"))
            copy_operational(store, connection, members_now(store, building))
            on_progress(Progress("read archive"))
            with archive_locked(store):
                archived = rebuild_raw(building, connection)
                waiting = insert_registered(store, building, connection)
            on_progress(Progress("score comments"))
            score_comments(connection, model_or_unscored(building.sentiment_model, on_problem))
    except UNREADABLE as error:
        if says_full(error):
            raise  # the command names the disk
        raise PipelineFailed("read archive", " ".join(str(error).split())) from error
    return archived + len(waiting)


def _compute(
    building: Settings, store: OperationalStore, on_progress: OnProgress
) -> tuple[Run, frozenset[str]]:
    """Return the run, and the observing tables whose tests warn."""
    try:
        as_of = business_time(building, store)
    except WrongClockError as wrong:
        raise PipelineFailed("compute", str(wrong)) from wrong
    with attach_warehouse(building) as connection:
        run = begin_run(connection, as_of=as_of, full_refresh=True)
    ended = executor.build(
        building,
        run,
        on_node=lambda name, done, total: on_progress(Progress("compute", done, total, name)),
    )
    if not all(result.is_green for result in ended):
        raise PipelineFailed("compute", results.explain(ended))
    unsound = results.unsound(ended)
    for table in sorted(unsound):
        note = f"{table} stays as published: {results.explain(ended)}"
        on_progress(Progress("problem", note=note))
    return run, unsound
