"""Several builders and one bucket: whoever is stopped or fails, each has every batch once."""

from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path

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
from warehouse.landing.opening import open_landing
from warehouse.operational.models import Shard, ShardAssignment
from warehouse.operational.store import OperationalStore
from warehouse.raw import ingest
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.operational_copy import copy_operational
from warehouse.raw.rebuild import rebuild_raw
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.members import members_now
from warehouse.storage.storage import StorageAwayError

pytestmark = pytest.mark.slow

__all__ = ["here", "machine", "warehouse"]


@pytest.fixture
def small(store: OperationalStore, here: Settings) -> Settings:
    """Settings of the worker of shard `small`, which has an organization without posts."""
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
    """Do what a pass does, up to ingestion."""
    copy_operational(store, connection, members_now(store, settings))
    ingest_registered(store, settings, connection)


@pytest.mark.parametrize("days_before", [0, 1])
def test_a_shard_s_archiving_that_failed_half_way_is_ended_by_another(
    machine: Machine, small: Settings, monkeypatch: pytest.MonkeyPatch, days_before: int
) -> None:
    """Each ingested the batch at another instant, or on another day."""

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


def test_a_day_that_a_stopped_builder_compacts_once_more_counts_once(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another took its lease and compacted the day while it was stopped."""
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


def test_a_builder_takes_what_another_archived(machine: Machine) -> None:
    """A second machine takes over, and the first takes over again: each has a warehouse."""
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
