"""A batch that one shard rejects and that is put back counts once in each shard."""

import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import delete

from tests.factories.landing import post
from tests.warehouse.raw.conftest import scrape
from tests.warehouse.raw.test_shards import Worker, small, workers
from warehouse.landing.archive import segments
from warehouse.landing.batches import Batch, registered
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.raw import ingest
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.sharing import lacked
from warehouse.registration.order import set_aside
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

__all__ = ["small", "workers"]

VIEWS = "select view_count from raw.video_snapshots where view_count > 2 order by 1"


class KilledError(Exception):
    pass


def killed(*_: Any) -> None:
    raise KilledError


@pytest.mark.parametrize("step", [1, -1], ids=["main first", "a first"])
@pytest.mark.parametrize("was_ingested", [False, True])
@pytest.mark.parametrize("number", [set_aside, killed])
def test_a_batch_rejected_by_one_shard_counts_in_each_once_it_is_back(
    workers: tuple[Worker, Worker],
    monkeypatch: pytest.MonkeyPatch,
    number: Callable[..., None],
    was_ingested: bool,
    step: int,
) -> None:
    """Either both shards have passed its number and the other has its rows, or only the other has
    passed it.

    The builder that rejects it may be killed after the folder moved.
    """
    main, a = workers
    store, settings = main.store, main.settings
    read = partial(read_both, store, settings)
    for worker in (main, a):
        worker.work()
    read(6)
    if was_ingested:
        main.work()
    [batch] = registered(settings.landing_path)
    content = damage(batch)
    with a.warehouse() as connection:
        a.copy(connection)
        read(8)  # which `a` ingests after its next copy
        with monkeypatch.context() as patched, suppress(KilledError):
            patched.setattr(ingest, "set_aside", number)
            ingest_registered(store, a.settings, connection)
    main.work()
    if was_ingested:
        a.work()
    backup = main.settings.warehouse_path.read_bytes()

    put_back(settings, batch, content)
    returned = lacked_by(store, batch)  # their sensors request a run
    assert returned.keys() == {"main", "a"}
    for worker in workers[::step]:
        worker.work()
    assert lacked_by(store, batch) != returned  # and again, to ingest it
    for views in (10, 12):
        read(views)
        for worker in (main, a):
            worker.work()
    main.settings.warehouse_path.write_bytes(backup)
    main.work()
    for worker in (main, a):
        assert worker.has(VIEWS) == [(6,), (8,), (10,), (12,)]
    assert registered(settings.landing_path) == []
    assert len(segments(settings.landing_path)) == 5


def test_a_batch_that_returns_after_its_shard_was_removed_is_archived(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings
) -> None:
    main, a = workers
    with store.write_session() as session:
        session.execute(delete(ShardAssignment))
    main.work()
    [batch] = registered(settings.landing_path)
    content = damage(batch)
    a.work()
    put_back(settings, batch, content)
    with store.write_session() as session:
        session.execute(delete(Shard).where(Shard.name == "a"))
    for views in (6, 8):
        main.work()
        read_both(store, settings, views)
    main.work()
    assert main.has(VIEWS) == [(6,), (6,), (8,), (8,)]
    assert registered(settings.landing_path) == []
    assert len(segments(settings.landing_path)) == 3


def test_a_batch_that_was_copied_instead_of_moved_keeps_its_number(
    workers: tuple[Worker, Worker], store: OperationalStore, settings: Settings
) -> None:
    """A warehouse restored from a backup therefore ingests it from the archive."""
    main, a = workers
    a.work()
    main.work()
    backup = a.settings.warehouse_path.read_bytes()
    read_both(store, settings, 6)
    [batch] = registered(settings.landing_path)
    shutil.copytree(batch.path, settings.landing_path / "rejected" / str(batch.batch_id))
    a.work()
    main.work()
    a.settings.warehouse_path.write_bytes(backup)
    read_both(store, settings, 8)
    a.work()
    main.work()
    for worker in (main, a):
        assert worker.has(VIEWS) == [(6,), (8,)]
    assert registered(settings.landing_path) == []


def lacked_by(store: OperationalStore, batch: Batch) -> Mapping[str, Mapping[UUID, int | None]]:
    with store.read_session() as session:
        return lacked(session, [batch.batch_id])


def damage(batch: Batch) -> bytes:
    """Truncate a file of a batch; return its content."""
    file = batch.path / "video_snapshots.parquet"
    content = file.read_bytes()
    file.write_bytes(content[:-20])
    return content


def read_both(store: OperationalStore, settings: Settings, views: int) -> None:
    scrape(store, settings, posts=[post(video, view_count=views) for video in ("7001", "8001")])


def put_back(settings: Settings, batch: Batch, content: bytes) -> None:
    """Repair a batch and move it as its reason.txt says."""
    aside = settings.landing_path / "rejected" / str(batch.batch_id)
    (aside / "video_snapshots.parquet").write_bytes(content)
    shutil.move(aside, batch.path)
