"""A backup of a service with batches in a bucket restores their state at the time of the backup."""

from collections.abc import Iterator
from datetime import date
from pathlib import Path

import httpx
import pytest
from sqlalchemy import update

from tests.factories.landing import post
from tests.factories.tracking import add_video
from tests.fixtures.buckets import Bucket
from tests.fixtures.faulty_bucket import FaultyBucket, faulty_bucket
from tests.warehouse.backup.service import AS_OF
from warehouse.backup.batches import bucket_of
from warehouse.backup.create import create_backup
from warehouse.backup.errors import (
    BatchesElsewhereError,
    BatchesMissingError,
    DamagedBackupError,
    NotEmptyError,
)
from warehouse.backup.restore import restore_backup
from warehouse.connection import open_warehouse
from warehouse.ids import uuid7
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import Shard
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.publication.info import PublicationInfo
from warehouse.publication.shared.pointer import announce, point_to, pointer
from warehouse.raw.ingest import ingest_registered
from warehouse.raw.rebuild import rebuild_raw
from warehouse.raw.sharing import NO_END, archiving
from warehouse.registration.register import register_landed
from warehouse.settings import Settings
from warehouse.shards.assigning import add_shard
from warehouse.shards.lease import lease
from warehouse.storage.bucket import BucketStorage
from warehouse.storage.storage import FileVersion, StorageAwayError

FAR_AHEAD = date(2099, 1, 1)
VERSIONING = (
    '<VersioningConfiguration xmlns="http://s3.amazonaws.com/doc/2006-03-01/">'
    "<Status>Enabled</Status></VersioningConfiguration>"
)


@pytest.fixture
def versioned(bucket: Bucket) -> Bucket:
    url = f"{bucket.endpoint_url}/{bucket.name}?versioning"
    httpx.put(url, content=VERSIONING, trust_env=False).raise_for_status()
    return bucket


@pytest.fixture
def proxy(versioned: Bucket) -> Iterator[FaultyBucket]:
    with faulty_bucket(versioned.endpoint_url) as proxied:
        yield proxied


@pytest.fixture
def origin(
    settings: Settings, versioned: Bucket, proxy: FaultyBucket, organization: NewOrganization
) -> Settings:
    """Settings of a service whose batches land below a prefix for this test."""
    return in_bucket(settings, versioned, proxy)


@pytest.fixture
def target(elsewhere: Settings, versioned: Bucket, proxy: FaultyBucket) -> Settings:
    """Settings of an empty service with another prefix."""
    return in_bucket(elsewhere, versioned, proxy)


def in_bucket(settings: Settings, bucket: Bucket, proxy: FaultyBucket) -> Settings:
    chosen = {"landing_url": f"s3://{bucket.name}/{uuid7()}", "s3_endpoint_url": proxy.url}
    return bucket.settings(settings).model_copy(update=chosen)


@pytest.fixture
def bucket_backup(
    store: OperationalStore, origin: Settings, organization: NewOrganization, tmp_path: Path
) -> Path:
    """A backup with one batch each that is archived, registered, landed and rejected."""
    add_video(store, organization, "7001")
    writer = LandingWriter(open_landing(origin))
    writer.land(posts=[post("7001", view_count=5)])
    go_on(store, origin)
    writer.land(posts=[post("7001", view_count=7)])
    broken = open_landing(origin).land(
        lambda folder: (folder / "posts.parquet").write_bytes(b"PAR1")
    )
    register_landed(store, origin)
    assert open_landing(origin).rejected_ids() == {broken}
    writer.land(posts=[post("7001", view_count=9)])
    made = PublicationInfo(uuid7(), AS_OF, AS_OF, None, None)
    with store.write_session() as session:
        announce(session, made)
        point_to(session, made.publication_id)
    create_backup(origin, store, tmp_path / "backup")
    return tmp_path / "backup"


def go_on(store: OperationalStore, settings: Settings) -> None:
    register_landed(store, settings)
    with open_warehouse(settings) as connection:
        ingest_registered(store, settings, connection)


def places(settings: Settings) -> list[list[object]]:
    landing = open_landing(settings)
    return [
        [batch.batch_id for batch in landing.incoming()],
        [batch.batch_id for batch in landing.registered()],
        sorted(landing.rejected_ids()),
        [batch.batch_seq for part in landing.segments() for batch in part.batches],
    ]


def views(settings: Settings) -> list[tuple[int, int]]:
    with open_warehouse(settings, read_only=True) as connection:
        query = "select batch_seq, view_count from raw.video_snapshots order by all"
        return connection.sql(query).fetchall()


def test_a_backup_waits_for_a_builder_on_another_machine(
    store: OperationalStore, origin: Settings, tmp_path: Path
) -> None:
    """It would archive batches that are not in the dump; their numbers would be assigned twice."""
    messages: list[str] = []

    class StillBuildingError(Exception):
        pass

    def stop_waiting(message: str) -> None:
        messages.append(message)
        raise StillBuildingError

    other = origin.model_copy(update={"home": origin.home.with_name("other")})
    with lease(other, store), pytest.raises(StillBuildingError):
        create_backup(origin, store, tmp_path / "backup", on_wait=stop_waiting)
    assert messages[0].startswith("waiting for shard main")
    assert not (tmp_path / "backup").exists()
    create_backup(origin, store, tmp_path / "backup", on_wait=stop_waiting)


@pytest.mark.slow
def test_a_restored_service_has_its_batches_and_continues(
    store: OperationalStore, origin: Settings, target: Settings, bucket_backup: Path
) -> None:
    of_then = places(origin)
    assert [len(ids) for ids in of_then] == [1, 1, 1, 1]
    go_on(store, origin)
    open_landing(origin).compact(FAR_AHEAD)
    assert places(origin) != of_then

    restore_backup(target, bucket_backup)

    assert places(target) == of_then
    assert views(target) == [(1, 5)]
    with operational_store(target) as restored:
        with restored.read_session() as session:
            assert pointer(session) is None
        go_on(restored, target)
    assert views(target) == views(origin) == [(1, 5), (2, 7), (3, 9)]
    with open_warehouse(target) as connection:
        rebuild_raw(target, connection)
    assert views(target) == [(1, 5), (2, 7), (3, 9)]


@pytest.mark.slow
def test_a_day_that_another_shard_compacts_meanwhile_is_in_the_backup(
    store: OperationalStore, origin: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Compaction falls between listing the archive and listing its object versions."""
    LandingWriter(open_landing(origin)).land(posts=[post("7001", view_count=5)])
    go_on(store, origin)
    [[archived]] = [
        [batch.batch_id for batch in p.batches] for p in open_landing(origin).segments()
    ]
    with store.write_session() as session:
        add_shard(session, "eu")
        session.execute(update(Shard).values(ingested_up_to=NO_END))
    kept_versions = BucketStorage.version_of

    def compacted_first(bucket: BucketStorage, name: str) -> FileVersion:
        if name.startswith("archive/"):
            with archiving(store) as up_to:
                if up_to:
                    open_landing(origin).compact(FAR_AHEAD)
        return kept_versions(bucket, name)

    monkeypatch.setattr(BucketStorage, "version_of", compacted_first)
    record = create_backup(origin, store, tmp_path / "backup").bucket
    assert [name for name in record.objects if name.startswith("archive/")] == [
        name for name in record.objects if str(archived) in name
    ]
    assert any(str(archived) in name for name in record.objects)
    assert open_landing(origin).compact(FAR_AHEAD)


@pytest.mark.slow
def test_a_backup_without_a_registered_batch_is_refused(
    store: OperationalStore, origin: Settings, tmp_path: Path
) -> None:
    """An uncommitted attempt to register it does not replace it."""
    batch_id = LandingWriter(open_landing(origin)).land(posts=[post("7001", view_count=5)])
    go_on(store, origin)
    landing = bucket_of(origin)
    [lost] = [file.path for file in landing.files("archive")]
    landing.delete(lost)
    open_landing(origin).register(batch_id, lambda folder: None)
    with pytest.raises(BatchesMissingError, match="1 registered batches are missing"):
        create_backup(origin, store, tmp_path / "backup")
    assert not (tmp_path / "backup").exists()


@pytest.mark.slow
def test_a_restore_that_lost_the_bucket_is_done_again(
    origin: Settings, target: Settings, bucket_backup: Path, proxy: FaultyBucket
) -> None:
    of_then, written = places(origin), 0

    def third_write_fails(request: object) -> str | None:
        nonlocal written
        written += getattr(request, "method", "") == "PUT"
        return "403" if written == 3 else None

    proxy.fault = third_write_fails
    with pytest.raises(StorageAwayError):
        restore_backup(target, bucket_backup)
    proxy.fault = lambda _request: None

    restore_backup(target, bucket_backup, force=True)

    assert places(target) == of_then


@pytest.mark.slow
def test_a_restore_into_a_bucket_with_other_batches_is_refused_whole(
    store: OperationalStore, origin: Settings, target: Settings, bucket_backup: Path
) -> None:
    go_on(store, origin)
    now = places(origin)
    same = target.model_copy(update={"landing_url": origin.landing_url})

    with pytest.raises(NotEmptyError, match="another prefix, in TRACKER_LANDING_URL"):
        restore_backup(same, bucket_backup, force=True)

    assert places(origin) == now
    assert not target.home_path.exists()


@pytest.mark.slow
def test_a_missing_version_is_reported_before_any_change(
    target: Settings, bucket_backup: Path
) -> None:
    manifest = bucket_backup / "manifest.json"
    text = manifest.read_text()
    version = text.rpartition('"version": "')[2].partition('"')[0]
    manifest.write_text(text.replace(version, "of-another-bucket"))

    with pytest.raises(DamagedBackupError, match="no longer has"):
        restore_backup(target, bucket_backup)

    assert not target.home_path.exists()


def test_a_bucket_without_versions_is_not_backed_up(
    store: OperationalStore, origin: Settings, versioned: Bucket, tmp_path: Path
) -> None:
    name = f"plain-{uuid7()}"
    httpx.put(f"{versioned.endpoint_url}/{name}", trust_env=False).raise_for_status()
    plain = origin.model_copy(update={"landing_url": f"s3://{name}"})
    LandingWriter(open_landing(plain)).land(posts=[post("7001")])

    with pytest.raises(BatchesElsewhereError, match="turn the bucket's versioning on"):
        create_backup(plain, store, tmp_path / "backup")

    assert not (tmp_path / "backup").exists()


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["a bucket", "a folder"])
def test_a_restore_needs_the_same_kind_of_landing_zone(
    target: Settings, bucket_backup: Path, backup: Path, missing: str
) -> None:
    source = bucket_backup if missing == "a bucket" else backup
    settings = target if missing == "a folder" else target.model_copy(update={"landing_url": None})

    with pytest.raises(BatchesElsewhereError, match="TRACKER_LANDING_URL"):
        restore_backup(settings, source)

    assert not target.home_path.exists()
