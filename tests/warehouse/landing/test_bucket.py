"""Batches in a bucket go through every step that folders do, despite network faults."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from uuid import UUID

import duckdb
import pytest
from pydantic import SecretStr, ValidationError

from orchestration.cli.doctor.checks.warehouse import check_bucket
from orchestration.cli.doctor.finding import Installation
from tests.factories.landing import post
from tests.factories.machine_clock import clock_ahead
from tests.factories.tracking import add_video
from tests.fixtures.buckets import Bucket
from tests.fixtures.faulty_bucket import FaultyBucket, once
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.landing.in_bucket import BucketLanding
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.landing.uploads import PREFIXES
from warehouse.landing.writer import LandingWriter
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore
from warehouse.raw import ingest
from warehouse.raw.ingest import archive_ingested, ingest_registered, insert_registered
from warehouse.raw.rebuild import rebuild_raw, require_batches
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.opening import open_bucket
from warehouse.storage.storage import StorageAwayError, StoredFile

FAR_AHEAD = date(2099, 1, 1)
FIRST_DAY = date(2020, 1, 1)


@pytest.fixture
def here(
    settings: Settings,
    bucket: Bucket,
    proxy: FaultyBucket,
    store: OperationalStore,
    organization: NewOrganization,
) -> Settings:
    """Settings of a machine whose batches land in a bucket, below a prefix for this test."""
    add_video(store, organization, "7001")
    chosen = {"landing_url": f"s3://{bucket.name}/{uuid7()}", "s3_endpoint_url": proxy.url}
    return bucket.settings(settings).model_copy(update=chosen)


@dataclass(frozen=True)
class Machine:
    """A machine that scrapes, registers and ingests, with a fault-injecting bucket."""

    settings: Settings
    store: OperationalStore
    warehouse: duckdb.DuckDBPyConnection
    proxy: FaultyBucket

    @property
    def landing(self) -> Landing:
        return open_landing(self.settings)

    def storage(self) -> BucketStorage:
        return storage(self.settings)

    def land(self, *views: int) -> list[UUID]:
        return land(self.settings, *views)

    def run_pipeline_job(self) -> None:
        """Register and ingest all batches; no batch is rejected."""
        run_pipeline_job(self.store, self.settings, self.warehouse)


@pytest.fixture
def machine(
    here: Settings,
    store: OperationalStore,
    warehouse: duckdb.DuckDBPyConnection,
    proxy: FaultyBucket,
) -> Machine:
    return Machine(here, store, warehouse, proxy)


@pytest.fixture
def warehouse(here: Settings) -> Iterator[duckdb.DuckDBPyConnection]:
    with open_warehouse(here) as connection:
        yield connection


def storage(settings: Settings) -> BucketStorage:
    place = settings.landing_bucket
    opened = open_bucket(
        settings, place[0], prefix=place[1], patience=timedelta(seconds=20), retries=0
    )
    return BucketStorage(opened)


def names(settings: Settings, place: str) -> list[str]:
    return sorted(file.path for file in storage(settings).files(place))


def land(settings: Settings, *views: int) -> list[UUID]:
    writer = LandingWriter(open_landing(settings))
    return [writer.land(posts=[post("7001", view_count=count)]) for count in views]


def compacted_day(settings: Settings, day: date) -> None:
    """Write a compacted day: its rows and its manifest."""
    form, objects = uuid7(), storage(settings)
    objects.put(f"data/{form}/video_snapshots.parquet", b"rows")
    objects.put(
        f"archive/days/{day}_{1:012}-{9:012}.{form}.json", b'{"objects":{"video_snapshots":4}}'
    )


def run_pipeline_job(
    store: OperationalStore, settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    assert all(result.rejected is None for result in register_landed(store, settings))
    ingest_registered(store, settings, warehouse)


def views(warehouse: duckdb.DuckDBPyConnection) -> list[tuple[int, int]]:
    return warehouse.sql(
        "select batch_seq, view_count from raw.video_snapshots order by 1, 2"
    ).fetchall()


def archived(landing: Landing) -> list[int]:
    return [batch.batch_seq for segment in landing.segments() for batch in segment.batches]


class TestPipeline:
    def test_a_batch_lands_is_registered_ingested_and_archived(self, machine: Machine) -> None:
        ids = machine.land(5, 7)
        landing = machine.landing
        assert isinstance(landing, BucketLanding)
        assert [batch.batch_id for batch in landing.incoming()] == ids
        assert [landing.landed(batch_id) for batch_id in ids] == landing.incoming()
        assert list((machine.settings.landing_path / "incoming").iterdir()) == []
        machine.run_pipeline_job()
        assert views(machine.warehouse) == [(1, 5), (2, 7)]
        assert (landing.incoming(), landing.registered(), archived(landing)) == ([], [], [1, 2])
        assert landing.landed(ids[0]) is None

    def test_another_machine_registers_what_this_one_landed(
        self, machine: Machine, settings: Settings
    ) -> None:
        elsewhere = machine.settings.model_copy(
            update={"home": settings.home.with_name("elsewhere")}
        )
        land(elsewhere, 5)
        machine.run_pipeline_job()
        assert views(machine.warehouse) == [(1, 5)]

    @pytest.mark.parametrize("compacted", [False, True])
    def test_a_rebuild_reads_the_bucket(self, machine: Machine, compacted: bool) -> None:
        machine.land(5, 7)
        machine.run_pipeline_job()
        before = views(machine.warehouse)
        if compacted:
            machine.landing.compact(FAR_AHEAD)
            assert [len(segment.batches) for segment in machine.landing.segments()] == [2]
            assert names(machine.settings, "archive/batches") == []
            assert len(names(machine.settings, "data")) == 1
        require_batches(machine.store, machine.settings)
        assert rebuild_raw(machine.settings, machine.warehouse) == 2
        assert views(machine.warehouse) == before

    def test_many_batches_are_listed_page_by_page(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "10")  # S3 lists 1000 at a time
        objects = machine.storage()
        ids = sorted(uuid7() for _ in range(24))
        for batch_id in ids:
            objects.put(f"incoming/{batch_id}.{batch_id}.json", b'{"objects":{}}')
        objects.put("incoming/notes.txt", b"no batch")
        machine.proxy.seen.clear()
        assert [batch.batch_id for batch in machine.landing.incoming()] == ids
        assert len(machine.proxy.seen) == 3

    def test_an_ingestions_requests_do_not_grow_with_history(
        self, machine: Machine, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MOTO_S3_DEFAULT_MAX_KEYS", "10")  # 25 days represent 2500
        machine.land(5)
        machine.run_pipeline_job()
        request_counts = []
        for days in (range(3), range(3, 25)):
            for number in days:
                compacted_day(machine.settings, FIRST_DAY + timedelta(days=number))
            machine.land(5)
            machine.proxy.seen.clear()
            machine.run_pipeline_job()
            request_counts.append(len(machine.proxy.seen))
        assert request_counts[0] == request_counts[1]

    def test_once_a_day_the_archive_is_compacted_and_tidied(self, machine: Machine) -> None:
        machine.land(5)
        machine.run_pipeline_job()
        landing = machine.landing
        assert not landing.compact(datetime.now(UTC).date() - timedelta(days=1))
        assert landing.compact(FAR_AHEAD)
        assert not landing.compact(FAR_AHEAD)

    def test_a_damaged_batch_is_rejected_with_its_reason(self, machine: Machine) -> None:
        bad, good = machine.land(5, 7)
        objects = machine.storage()
        objects.delete(f"data/{bad}/posts.parquet")
        first, _ = register_landed(machine.store, machine.settings)
        assert first.rejected == "posts.parquet is not in the bucket"
        ingest_registered(machine.store, machine.settings, machine.warehouse)
        landing = machine.landing
        assert (landing.incoming(), landing.rejected_ids()) == ([], {bad})
        content = objects.read(f"rejected/{bad}.{bad}.json")
        assert content is not None
        assert b"is not in the bucket" in content
        assert views(machine.warehouse) == [(1, 7)]
        assert good not in landing.rejected_ids()


FAULTS = [
    ("PUT /data/", "503"),
    ("PUT /data/", "lost"),
    ("PUT /incoming/", "cut"),
    ("PUT /incoming/", "lost"),
    ("PUT /registered/", "503"),
    ("PUT /registered/", "lost"),
    ("PUT /archive/", "429"),
    ("PUT /archive/", "lost"),
    ("GET /data/", "cut"),
    ("GET list-type=2", "503"),
    ("POST ?delete", "lost"),
]
"""The first request that fails, and its fault."""


class TestFaults:
    @pytest.mark.parametrize(("kind", "fault"), FAULTS)
    def test_one_fault_loses_and_doubles_nothing(
        self, machine: Machine, kind: str, fault: str
    ) -> None:
        machine.proxy.fault = once(kind, fault)
        machine.land(5, 7)
        for _ in range(2):  # repeats the run that a fault ended
            try:
                machine.run_pipeline_job()
            except StorageAwayError:
                continue
        landing = machine.landing
        landing.compact(FAR_AHEAD)
        assert views(machine.warehouse) == [(1, 5), (2, 7)]
        assert (landing.incoming(), landing.registered(), archived(landing)) == ([], [], [1, 2])
        assert landing.rejected_ids() == set()

    @pytest.mark.parametrize("status", ["403", "cut"])
    def test_a_failed_upload_stays_local_and_is_sent_with_the_next(
        self, machine: Machine, status: str
    ) -> None:
        """For example, when the credentials expire or the bucket is deleted."""
        machine.proxy.fault = lambda _request: status
        [first] = machine.land(5)
        [batch] = (machine.settings.landing_path / "incoming").iterdir()
        assert batch.name == str(first)
        with pytest.raises(StorageAwayError):
            register_landed(machine.store, machine.settings)
        with pytest.raises(StorageAwayError):
            machine.landing.check()
        machine.proxy.fault = lambda _request: None
        machine.landing.check()
        machine.land(7)
        machine.run_pipeline_job()
        assert views(machine.warehouse) == [(1, 5), (2, 7)]

    @pytest.mark.slow
    @pytest.mark.parametrize("folder", ["/registered/", "/archive/"])
    def test_a_step_that_cannot_write_leaves_the_batch_to_the_next_run(
        self, machine: Machine, folder: str
    ) -> None:
        machine.land(5)
        machine.proxy.fault = lambda sent: (
            "403" if sent.method == "PUT" and folder in sent.path else None
        )
        with pytest.raises(StorageAwayError):
            machine.run_pipeline_job()
        machine.proxy.fault = lambda _request: None
        machine.run_pipeline_job()
        assert views(machine.warehouse) == [(1, 5)]
        assert archived(machine.landing) == [1]

    def test_an_uncommitted_attempt_does_not_count(self, machine: Machine) -> None:
        """A registrar lost its database connection during the attempt and continued writing."""
        [batch_id] = machine.land(5)
        landing = machine.landing
        for _ in range(2):
            landing.register(batch_id, lambda folder: None)
        register_landed(machine.store, machine.settings)
        landing.register(batch_id, lambda folder: None)
        assert len(landing.registered()) == 4
        insert_registered(machine.store, machine.settings, machine.warehouse)
        assert views(machine.warehouse) == [(1, 5)]
        archive_ingested(machine.store, machine.settings, machine.warehouse)
        assert (landing.registered(), archived(landing)) == ([], [1])
        assert rebuild_raw(machine.settings, machine.warehouse) == 1
        assert views(machine.warehouse) == [(1, 5)]


def test_two_registrars_register_each_batch_once(machine: Machine) -> None:
    """Two machines share a bucket: only one registers at a time."""
    homes = [machine.settings.home.with_name(name) for name in ("one", "other")]
    machine.land(5, 7, 9)
    with ThreadPoolExecutor(2) as pool:
        results = pool.map(
            lambda home: register_landed(
                machine.store, machine.settings.model_copy(update={"home": home})
            ),
            homes,
        )
    done = [result for each in results for result in each]
    assert [result.rejected for result in done] == [None] * len(done)
    assert sum(not result.was_registered for result in done) == 3
    machine.run_pipeline_job()
    assert views(machine.warehouse) == [(1, 5), (2, 7), (3, 9)]


def test_a_landed_batch_is_in_the_bucket_though_another_thread_uploads_it(
    machine: Machine,
) -> None:
    """Each landing uploads every local batch, including those that other threads just wrote."""

    def land_some(_thread: int) -> list[bool]:
        return [
            machine.landing.landed(batch_id) is not None
            for _ in range(5)
            for batch_id in machine.land(5)
        ]

    with ThreadPoolExecutor(8) as pool:
        in_bucket = [is_there for each in pool.map(land_some, range(8)) for is_there in each]
    assert in_bucket == [True] * 40


def test_unreferenced_objects_are_deleted_after_a_day(machine: Machine) -> None:
    half = uuid7()
    machine.storage().put(f"data/{half}/posts.parquet", b"half of a batch")
    machine.land(5, 6)
    register_landed(machine.store, machine.settings)
    ingest_registered(machine.store, machine.settings, machine.warehouse)
    machine.land(7)
    landing, now = machine.landing, datetime.now(UTC)
    landing.tidy(now + timedelta(hours=23))
    assert any(str(half) in name for name in names(machine.settings, "data"))
    before = names(machine.settings, "data")
    landing.tidy(now + timedelta(hours=25))
    assert names(machine.settings, "data") == [name for name in before if str(half) not in name]
    machine.run_pipeline_job()
    assert views(machine.warehouse) == [(1, 5), (2, 6), (3, 7)]
    assert rebuild_raw(machine.settings, machine.warehouse) == 3


def test_a_batch_put_back_during_deletion_keeps_its_rows(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    machine.land(5)
    register_landed(machine.store, machine.settings)
    objects, [batch] = machine.storage(), machine.landing.registered()
    aside = machine.landing.reject(batch, "damaged")
    files = BucketStorage.files

    def list_files(bucket: BucketStorage, folder: str) -> Iterator[StoredFile]:
        yield from files(bucket, folder)
        if folder == "registered":
            objects.put(str(batch.path), objects.read(aside) or b"")
            objects.delete(aside)

    with monkeypatch.context() as patched:
        patched.setattr(BucketStorage, "files", list_files)
        machine.landing.tidy(datetime.now(UTC) + timedelta(hours=25))
    machine.run_pipeline_job()
    assert views(machine.warehouse) == [(1, 5)]


def test_a_batch_sent_again_during_deletion_keeps_its_rows(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its machine was off for a day after uploading the objects and before the manifest."""

    def away(*_: object) -> None:
        raise StorageAwayError("away")

    with monkeypatch.context() as patched:
        patched.setattr(BucketStorage, "put_at_last", away)
        machine.land(5)
    files = BucketStorage.files

    def list_files(bucket: BucketStorage, folder: str) -> Iterator[StoredFile]:
        is_unsent = any((machine.settings.landing_path / "incoming").iterdir())
        age = timedelta(hours=25 if is_unsent else 0)
        for file in files(bucket, folder):
            yield replace(file, written_at=file.written_at - age)
        if folder == PREFIXES[-1]:
            machine.landing.check()

    with monkeypatch.context() as patched:
        patched.setattr(BucketStorage, "files", list_files)
        machine.landing.tidy(datetime.now(UTC))
    machine.run_pipeline_job()
    assert views(machine.warehouse) == [(1, 5)]


@pytest.mark.slow
def test_a_builder_whose_clock_is_ahead_deletes_no_running_upload(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    half = f"data/{uuid7()}/posts.parquet"
    machine.storage().put(half, b"half of a batch")
    machine.land(5)
    machine.run_pipeline_job()
    monkeypatch.setattr(ingest, "datetime", clock_ahead(timedelta(days=2)))
    machine.run_pipeline_job()
    assert half in names(machine.settings, "data")


@pytest.mark.parametrize(
    "url",
    ["landing", "https://x/y", "s3://", "s3:///p", "s3://a:b@c/", "s3://b:9/p", "s3://b/p?x=1"],
)
def test_an_invalid_bucket_fails_at_start_up(url: str) -> None:
    with pytest.raises(ValidationError, match=r"landing_url[\s\S]*s3://BUCKET/PREFIX"):
        Settings(_env_file=None, landing_url=url)


@pytest.mark.parametrize(
    ("url", "place"),
    [
        (None, None),
        ("", None),
        ("s3://b", ("b", None)),
        ("s3://b/", ("b", None)),
        ("s3://b/a/c/", ("b", "a/c")),
    ],
)
def test_a_bucket_may_be_shared_by_a_prefix(
    url: str | None, place: tuple[str, str | None] | None
) -> None:
    assert Settings(_env_file=None, landing_url=url).landing_bucket == place


def test_errors_have_no_secrets(machine: Machine) -> None:
    machine.proxy.fault = lambda _request: "403"
    key = {"s3_secret_access_key": SecretStr("secret of the key")}
    with pytest.raises(StorageAwayError) as away:
        open_landing(machine.settings.model_copy(update=key)).registered()
    assert "secret" not in str(away.value)


def test_the_doctor_names_an_unusable_bucket(machine: Machine) -> None:
    machine.land(5)
    [fine] = check_bucket(Installation(machine.settings, "127.0.0.1", 0))
    machine.proxy.fault = lambda _request: "403"
    [finding] = check_bucket(Installation(machine.settings, "127.0.0.1", 0))
    assert (fine.level, finding.level) == ("ok", "bad")
    assert "1 batches wait" in fine.message
    assert "TRACKER_LANDING_URL" in (finding.way_out or "")
