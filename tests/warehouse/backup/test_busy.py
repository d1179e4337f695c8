"""A backup during pipeline runs restores to a consistent state.

Every batch that landed before the backup is there exactly once, after the restored service has
registered and ingested what it found.
"""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread
from uuid import UUID

import pytest
from sqlalchemy import select

from tests.factories.landing import post
from tests.factories.tracking import add_account
from tests.warehouse.backup.busy_pipeline import POSTS
from tests.warehouse.backup.emptiness import emptied, url_of
from warehouse.backup.create import create_backup
from warehouse.backup.restore import restore_backup
from warehouse.connection import open_warehouse
from warehouse.landing.batches import incoming, registered
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter
from warehouse.operational.models import RegisteredBatch
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.ingest import ingest_registered
from warehouse.registration.register import register_landed
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[3]
BACKUPS = 3


@pytest.fixture
def tracked(store: OperationalStore, settings: Settings, organization: NewOrganization) -> Settings:
    add_account(store, organization, "demo")
    return settings


def finish(settings: Settings) -> dict[UUID, int]:
    """Register and ingest all batches; return the readings by ingested batch."""
    with operational_store(settings) as store, open_warehouse(settings) as warehouse:
        register_landed(store, settings)
        ingest_registered(store, settings, warehouse)
        counted = warehouse.sql(
            "select batch_id, count(*) from raw.batches"
            " inner join raw.video_snapshots using (batch_seq) group by batch_id"
        ).fetchall()
        rows = warehouse.sql("select batch_id, video_snapshots from raw.batches").fetchall()
        with store.read_session() as session:
            known = session.scalars(select(RegisteredBatch.batch_id)).all()
    assert sorted(counted) == sorted(rows)
    assert sorted(batch_id for batch_id, _ in rows) == sorted(known)
    assert (incoming(settings.landing_path), registered(settings.landing_path)) == ([], [])
    return dict(rows)


@contextmanager
def busy_pipeline(settings: Settings) -> Iterator[list[UUID]]:
    """Run the pipeline in another process; yield the growing list of landed batch ids."""
    landed: list[UUID] = []
    with subprocess.Popen(
        [
            *(sys.executable, "-m", "tests.warehouse.backup.busy_pipeline"),
            *(str(settings.home_path), url_of(settings)),
        ],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        landed.append(UUID(process.stdout.readline().strip()))
        reader = Thread(target=lambda: landed.extend(UUID(x.strip()) for x in process.stdout or ()))
        reader.start()
        try:
            yield landed
            assert process.poll() is None, "the pipeline failed"
        finally:
            process.kill()
            reader.join()


def test_backups_of_a_busy_service_lose_and_double_nothing(
    store: OperationalStore, tracked: Settings, elsewhere: Settings, tmp_path: Path
) -> None:
    backups: list[tuple[Path, set[UUID]]] = []
    with busy_pipeline(tracked) as landed:
        for number in range(BACKUPS):
            before = set(landed)
            folder = tmp_path / f"backup-{number}"
            create_backup(tracked, store, folder)
            backups.append((folder, before))

    for folder, before in backups:
        emptied(url_of(elsewhere))
        home = elsewhere.model_copy(update={"home": tmp_path / f"restored-{folder.name}"})
        restore_backup(home, folder)
        ingested = finish(home)
        assert before <= ingested.keys()
        assert set(ingested.values()) == {POSTS}


@pytest.mark.parametrize("moment", range(4))
def test_a_batch_registered_at_any_moment_of_a_backup_counts_once(
    store: OperationalStore, tracked: Settings, elsewhere: Settings, tmp_path: Path, moment: int
) -> None:
    batch_id = LandingWriter(open_landing(tracked)).land(posts=[post("1", "demo")])
    moments: list[str] = []

    def register_at_the_moment(step: str, _done: int, _total: int | None) -> None:
        if len(moments) == moment:
            register_landed(store, tracked)
        moments.append(step)

    create_backup(tracked, store, tmp_path / "backup", on_progress=register_at_the_moment)

    assert moments.index("dump database") in {1, 2}  # right after the snapshot
    assert len(moments) > moment
    restore_backup(elsewhere, tmp_path / "backup")
    assert finish(elsewhere) == {batch_id: 1}
