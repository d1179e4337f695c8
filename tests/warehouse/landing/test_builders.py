"""Several builders share one bucket: whatever stops or fails, each has every batch once."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta, tzinfo
from functools import partial
from pathlib import Path
from typing import Any

import duckdb
import pytest

from tests.factories.tracking import add_organization
from tests.fixtures.faulty_bucket import once
from tests.warehouse.landing.test_bucket import (
    FAR_AHEAD,
    Machine,
    archived,
    here,
    land,
    machine,
    names,
    run_pipeline_job,
    views,
    warehouse,
)
from warehouse.connection import open_warehouse
from warehouse.landing import in_bucket
from warehouse.landing.archive import Segment
from warehouse.landing.object_names import form_of
from warehouse.landing.opening import open_landing
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.raw import ingest, waiting
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.raw.rebuild import rebuild_raw
from warehouse.raw.sharing import archive_locked, note_ingested
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.members import members_now
from warehouse.storage.storage import StorageAwayError

pytestmark = pytest.mark.slow

__all__ = ["here", "machine", "warehouse"]


@pytest.fixture
def small(store: OperationalStore, here: Settings) -> Settings:
    """Settings of shard `small`, which has an organization without posts."""
    made = add_organization(store, "Small")
    with store.write_session() as session:
        session.add_all([Shard(name="main"), Shard(name="small")])
        session.flush()
        session.add(
            ShardAssignment(organization_id=made.organization_id, shard="small", served_by="small")
        )
    return here.model_copy(update={"shard": "small"})


def work(
    store: OperationalStore, settings: Settings, connection: duckdb.DuckDBPyConnection
) -> None:
    """Run a pipeline run up to ingestion."""
    copy_operational(store, connection, members_now(store, settings))
    ingest_registered(store, settings, connection)


@pytest.mark.parametrize("days_before", [0, 1])
def test_a_shards_failed_archiving_is_finished_by_another(
    machine: Machine, small: Settings, monkeypatch: pytest.MonkeyPatch, days_before: int
) -> None:
    """Each shard ingested the batch at another time or on another day."""

    class Before(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = UTC) -> "Before":
            return super().now(tz) - timedelta(days=days_before)

    land(machine.settings, 5)
    register_landed(machine.store, machine.settings)
    with monkeypatch.context() as patched:
        patched.setattr(ingest, "datetime", Before)
        work(machine.store, machine.settings, machine.warehouse)
    machine.proxy.fault = once("POST ?delete", "403")
    with open_warehouse(small) as connection, pytest.raises(StorageAwayError):
        work(machine.store, small, connection)
    work(machine.store, machine.settings, machine.warehouse)
    landing = open_landing(machine.settings)
    assert (landing.registered(), archived(landing)) == ([], [1])
    landing.compact(FAR_AHEAD)
    assert names(machine.settings, in_bucket.SINGLES) == []
    assert rebuild_raw(machine.settings, machine.warehouse) == 1
    assert views(machine.warehouse) == [(1, 5)]


def test_a_day_compacted_twice_by_a_stopped_builder_counts_once(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another builder took over its lease and compacted the day while it was stopped."""
    land(machine.settings, 5, 7)
    machine.run_pipeline_job()
    merge = in_bucket.merge

    def stopped(singles: list[Segment], folder: Path) -> None:
        monkeypatch.setattr(in_bucket, "merge", merge)
        open_landing(machine.settings).compact(FAR_AHEAD)
        merge(singles, folder)

    monkeypatch.setattr(in_bucket, "merge", stopped)
    with pytest.raises(FileNotFoundError):
        open_landing(machine.settings).compact(FAR_AHEAD)
    assert len(names(machine.settings, in_bucket.DAYS)) == 2
    assert rebuild_raw(machine.settings, machine.warehouse) == 2
    assert views(machine.warehouse) == [(1, 5), (2, 7)]


def test_a_builder_ingests_batches_archived_by_another(machine: Machine) -> None:
    """A second machine takes over, then the first again; each has its own warehouse."""
    first, store = machine.settings, machine.store
    second = first.model_copy(update={"home": first.home.with_name("second")})
    land(first, 5)
    machine.run_pipeline_job()
    with open_warehouse(second) as connection:
        land(first, 7)
        run_pipeline_job(store, second, connection)
        assert views(connection) == [(1, 5), (2, 7)]
        run_pipeline_job(store, second, connection)
        assert views(connection) == [(1, 5), (2, 7)]
    land(first, 9)
    machine.run_pipeline_job()
    assert views(machine.warehouse) == [(1, 5), (2, 7), (3, 9)]


MOMENTS = [("registered", 1), ("segments", 1), ("segments", 2), ("segments", 3), ("at_hand", 1)]
"""The successor's last call before the builder without a lease continues, and its count."""


@pytest.mark.parametrize(("method", "times"), MOMENTS)
def test_a_builder_without_a_lease_archives_batches_its_successor_lacks(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, method: str, times: int
) -> None:
    first, store = machine.settings, machine.store
    land(first, 5)
    machine.run_pipeline_job()
    land(first, 7, 9)
    register_landed(store, first)
    ingest.insert_registered(store, first, machine.warehouse)
    land(first, 11)
    register_landed(store, first)
    second = first.model_copy(update={"home": first.home / "second"})
    with open_warehouse(second) as successor:
        go_on = partial(ingest.archive_ingested, store, first, machine.warehouse)
        went_on = after(monkeypatch, method, times, go_on)
        ingest_registered(store, second, successor)
        assert views(successor) == [(1, 5), (2, 7), (3, 9), (4, 11)]
    assert went_on


def after(
    monkeypatch: pytest.MonkeyPatch, method: str, times: int, go_on: Callable[[], None]
) -> list[int]:
    """Call `go_on` after the n-th call of a landing zone method; return the calls until then."""
    original = getattr(in_bucket.BucketLanding, method)
    calls: list[int] = []

    def call(*arguments: Any) -> Any:
        result = original(*arguments)
        calls.append(1)
        if len(calls) == times:
            monkeypatch.setattr(in_bucket.BucketLanding, method, original)
            go_on()
        return result

    monkeypatch.setattr(in_bucket.BucketLanding, method, call)
    return calls


def test_a_shards_builder_without_a_lease_claims_batches_its_successor_lacks(
    machine: Machine, small: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Main then archives the batches, right after the successor has listed the archive."""
    store, main = machine.store, machine.settings
    second = small.model_copy(update={"home": small.home / "second"})
    with open_warehouse(small) as lost, open_warehouse(second) as successor:
        land(main, 5)
        register_landed(store, main)
        work(store, main, machine.warehouse)
        work(store, second, successor)
        land(main, 7, 9)
        register_landed(store, main)
        work(store, main, machine.warehouse)
        copy_operational(store, lost, members_now(store, small))
        ingest.insert_registered(store, small, lost)
        land(main, 11)
        register_landed(store, main)

        @contextmanager
        def unlocked(_: OperationalStore) -> Iterator[None]:
            monkeypatch.setattr(waiting, "archive_locked", archive_locked)
            with archive_locked(store):
                yield
            note_ingested(store, small, lost)
            ingest.archive_ingested(store, main, machine.warehouse)

        monkeypatch.setattr(waiting, "archive_locked", unlocked)
        work(store, second, successor)
        numbers = successor.sql("select batch_seq from raw.batches order by 1").fetchall()
        assert numbers == [(1,), (2,), (3,), (4,)]


def test_a_form_left_by_a_builder_killed_while_it_archives_hides_no_batch(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other form was never committed."""
    first, store = machine.settings, machine.store
    second = first.model_copy(update={"home": first.home / "second"})
    with open_warehouse(second) as successor:
        land(first, 5)
        run_pipeline_job(store, second, successor)
        [batch_id] = land(first, 7)
        register_landed(store, first)
        with monkeypatch.context() as patched:
            patched.setattr(in_bucket.BucketLanding, "drop", lambda *_: None)
            machine.landing.register(batch_id, lambda folder: None)
            ingest_registered(store, first, machine.warehouse)
        assert (len(machine.landing.registered()), archived(machine.landing)) == (1, [1, 2])
        land(first, 9)
        run_pipeline_job(store, second, successor)
        assert views(successor) == [(1, 5), (2, 7), (3, 9)]


def test_a_batch_rejected_by_one_shard_counts_once_it_is_back(
    machine: Machine, small: Settings
) -> None:
    """Main has passed the batch's number, but the other shard has not."""
    store, main, bucket = machine.store, machine.settings, machine.storage()
    land(main, 5, 7)
    register_landed(store, main)
    name, _ = names(main, "registered")
    data = f"data/{form_of(name)}/video_snapshots.parquet"
    content = bucket.read(data)
    bucket.delete(data)
    work(store, main, machine.warehouse)
    assert views(machine.warehouse) == [(2, 7)]
    [aside] = names(main, "rejected")
    for path, put in ((data, content), (name, bucket.read(aside))):
        bucket.put(path, put)
    bucket.delete(aside)
    with open_warehouse(small) as other:
        for count in (9, 11):
            work(store, small, other)
            work(store, main, machine.warehouse)
            land(main, count)
            register_landed(store, main)
        work(store, main, machine.warehouse)
        work(store, small, other)
    assert views(machine.warehouse) == [(2, 7), (3, 5), (4, 9), (5, 11)]
    assert (machine.landing.registered(), archived(machine.landing)) == ([], [2, 3, 4, 5])


def test_a_listing_with_only_the_second_of_two_batches_loses_none(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, store = machine.settings, machine.store
    second = first.model_copy(update={"home": first.home / "second"})
    with open_warehouse(second) as successor:
        land(first, 5)
        run_pipeline_job(store, second, successor)
        land(first, 7, 9)
        machine.run_pipeline_job()
        segments = in_bucket.BucketLanding.segments

        def listed(landing: in_bucket.BucketLanding) -> list[Segment]:
            monkeypatch.setattr(in_bucket.BucketLanding, "segments", segments)
            return [each for each in segments(landing) if each.batches[0].batch_seq != 2]

        monkeypatch.setattr(in_bucket.BucketLanding, "segments", listed)
        ingest_registered(store, second, successor)
        assert views(successor) == [(1, 5), (2, 7), (3, 9)]
