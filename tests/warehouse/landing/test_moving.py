"""Moving a folder's archive to a bucket: complete, once, and despite interruptions."""

import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixtures.faulty_bucket import Request, after
from tests.qa.faults.programs import environment
from tests.warehouse.landing.test_bucket import (
    FAR_AHEAD,
    Machine,
    here,
    land,
    machine,
    names,
    run_pipeline_job,
    storage,
    views,
    warehouse,
)
from warehouse.ids import uuid7
from warehouse.landing.in_folder import FolderLanding
from warehouse.landing.moving import Moved, NotMovableError, move_batches
from warehouse.landing.opening import open_landing
from warehouse.landing.uploads import Manifest
from warehouse.raw.rebuild import ArchiveIncompleteError, rebuild_raw, require_batches
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.storage.storage import StorageAwayError

__all__ = ["here", "machine", "warehouse"]

PARTS = 4
"""A compacted day of two batches, two single batches and a rejected one."""


@pytest.fixture
def folder(machine: Machine) -> Settings:
    """The same machine before it had a bucket, with batches in its folder."""
    settings = machine.settings.model_copy(update={"landing_url": None})
    land(settings, 5, 6)
    run_pipeline_job(machine.store, settings, machine.warehouse)
    open_landing(settings).compact(FAR_AHEAD)
    land(settings, 7, 8)
    run_pipeline_job(machine.store, settings, machine.warehouse)
    [damaged] = land(settings, 9)
    (settings.landing_path / f"incoming/{damaged}/posts.parquet").write_bytes(b"torn")
    register_landed(machine.store, settings)
    return settings


def moved(machine: Machine) -> Moved:
    return move_batches(machine.settings, machine.store, lambda _done, _total: None)


def assert_rebuilt(machine: Machine) -> None:
    """Assert that rebuilding from the bucket gives the folder's rows."""
    before = views(machine.warehouse)
    elsewhere = machine.settings.home.with_name("elsewhere")
    settings = machine.settings.model_copy(update={"home": elsewhere})
    require_batches(machine.store, settings)
    assert rebuild_raw(settings, machine.warehouse) == 4
    assert views(machine.warehouse) == before == [(1, 5), (2, 6), (3, 7), (4, 8)]
    assert len(open_landing(settings).rejected_ids()) == 1


@pytest.mark.slow
def test_a_rebuild_reads_the_moved_batches_in_the_bucket(
    machine: Machine, folder: Settings
) -> None:
    with pytest.raises(ArchiveIncompleteError):
        require_batches(machine.store, machine.settings)
    assert moved(machine) == Moved(PARTS, PARTS)
    machine.proxy.seen.clear()
    assert moved(machine) == Moved(PARTS, 0)
    assert {seen.method for seen in machine.proxy.seen} <= {"GET", "HEAD"}
    assert_rebuilt(machine)
    [reason] = names(machine.settings, "rejected")
    content = storage(machine.settings).read(reason)
    assert content is not None
    assert b"posts.parquet is not a complete Parquet file" in content
    assert len(FolderLanding(folder.landing_path).segments()) == 3


@pytest.mark.slow
def test_later_batches_get_later_numbers(machine: Machine, folder: Settings) -> None:
    """Pipeline runs in the bucket before the move are no conflict: PostgreSQL numbers both."""
    land(machine.settings, 10)
    machine.run_pipeline_job()
    moved(machine)
    land(machine.settings, 11)
    machine.run_pipeline_job()
    archived = [
        b.batch_seq
        for segment in open_landing(machine.settings).segments()
        for b in segment.batches
    ]
    assert archived == [1, 2, 3, 4, 5, 6]
    assert open_landing(machine.settings).compact(FAR_AHEAD)
    require_batches(machine.store, machine.settings)
    assert folder.landing_path.exists()


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_ended_at_any_step_it_continues(machine: Machine) -> None:
    """The bucket disappears after some request; finished parts are complete and not sent again."""
    sent = 0
    for requests in range(1, 60, 4):
        machine.proxy.fault = after(requests, "403")
        try:
            moved(machine)
        except StorageAwayError:
            machine.proxy.fault = lambda _: None
            there = len(names(machine.settings, "archive") + names(machine.settings, "rejected"))
            assert there >= sent
            sent = there
        else:
            break
    assert sent == PARTS - 1
    machine.proxy.fault = lambda _: None
    assert_rebuilt(machine)


@pytest.mark.slow
@pytest.mark.usefixtures("folder")
def test_killed_twice_the_command_continues(machine: Machine) -> None:
    free = str(
        machine.settings.home / "free" / "warehouse.duckdb"
    )  # the test locks the warehouse itself

    def command() -> "subprocess.Popen[bytes]":
        return subprocess.Popen(
            [sys.executable, "-m", "orchestration.cli", "move-batches"],
            env=environment(machine.settings, TRACKER_WAREHOUSE_URL=free),
        )

    for segment, fault in (("/data/", "cut"), ("/archive/", "lost")):
        process = command()

        def kill(request: Request, segment: str = segment, fault: str = fault) -> str | None:
            if request.method == "PUT" and segment in request.path:
                process.kill()  # noqa: B023  the loop waits for it
                return fault
            return None

        machine.proxy.fault = kill
        assert process.wait(timeout=60) == -9
    machine.proxy.fault = lambda _: None
    assert command().wait(timeout=60) == 0
    assert_rebuilt(machine)


@pytest.mark.usefixtures("folder")
def test_objects_that_differ_from_the_source_do_not_count(machine: Machine, tmp_path: Path) -> None:
    beside_it = {"s3_endpoint_url": machine.proxy.upstream}
    direct, other = storage(machine.settings.model_copy(update=beside_it)), tmp_path / "other"
    other.write_bytes(b"other")

    def damage(request: Request) -> None:
        _, is_data, name = request.path.partition("/data/")
        if request.method == "GET" and is_data:
            direct.send(f"data/{name}", other)

    machine.proxy.fault = damage
    with pytest.raises(StorageAwayError, match="differs from what was uploaded"):
        moved(machine)
    assert names(machine.settings, "archive") == []


@pytest.mark.slow
def test_waiting_batches_and_those_of_others_are_refused(
    machine: Machine, folder: Settings
) -> None:
    with pytest.raises(NotMovableError, match="set TRACKER_LANDING_URL to a bucket"):
        move_batches(folder, machine.store, lambda _done, _total: None)
    there, name = storage(machine.settings), f"archive/batches/2020-01-01/{uuid7()}.{uuid7()}.json"
    [segment, *_] = FolderLanding(folder.landing_path).segments()
    foreign = replace(segment.batches[0], batch_id=uuid7())
    manifest = Manifest(objects={}, batches=(foreign,))
    there.put(name, manifest.content)
    with pytest.raises(NotMovableError, match="1 batches of another installation"):
        moved(machine)
    there.delete(name)
    killed = FolderLanding(folder.landing_path)  # killed before its commit
    killed.register(uuid7(), lambda written: (written / "comments.parquet").touch())
    land(folder, 12)
    register_landed(machine.store, folder)
    with pytest.raises(NotMovableError, match="1 batches in the folder wait to be ingested"):
        moved(machine)
    assert names(machine.settings, "archive") == []
