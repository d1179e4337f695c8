"""The disk is full in the middle of a step; served data stays, and freeing space is enough.

The disk is a small tmpfs of the test's own, so that the kernel itself refuses to write.
"""

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb
import httpx
import polars as pl
import psycopg
import pytest

from tests.doses import sample
from tests.fixtures.api import NOW, PREFIX, new_tenant, running_api
from tests.fixtures.operational import FreshDatabase, settings_for
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.steps import PASS, STATEMENT, at_step
from tests.warehouse.operational.processes import lives, wait_until
from warehouse.full_disk import full_disk
from warehouse.landing.folders import new_folder
from warehouse.operational.errors import ServerFailedError
from warehouse.operational.migrations import migrate
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.settings import Settings

pytestmark = pytest.mark.slow

MEGABYTES = 128
FULL = r"(?i)no space left on device"
STEPS = [
    "warehouse.landing.writer:write_frames",
    "warehouse.registration.once:write_frames",
    f"{PASS}:copy_operational",
    "warehouse.raw.ingest:insert_file",
    "warehouse.landing.archive:archive",
    STATEMENT,
    "warehouse.publication.publish:_write_marts",
    "warehouse.publication.publish:create_views",
]


@contextmanager
def small_disk(folder: Path, megabytes: int = MEGABYTES) -> Iterator[bool]:
    """Mount a small file system; yield whether this worked, which requires root."""
    mount = ["mount", "-t", "tmpfs", "-o", f"size={megabytes}m", "tmpfs", str(folder)]
    is_small = not subprocess.run(mount, check=False, capture_output=True).returncode
    try:
        yield is_small
    finally:
        if is_small:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextmanager
def mounted(folder: Path) -> Iterator[Path]:
    with small_disk(folder) as is_small:
        if not is_small:
            pytest.skip("mounting a small disk needs root: run pytest as root")
        yield folder


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    with mounted(tmp_path_factory.mktemp("disk")) as folder:
        yield folder


@pytest.fixture(scope="module")
def small(
    databases: FreshDatabase, disk: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """An installation on the small disk with a first publication."""
    diary = tmp_path_factory.mktemp("diary")
    with databases() as url, installed(disk / "home", diary, url) as installation:
        installation.land(2)
        installation.run_pipeline_job()
        yield installation


def fill(disk: Path) -> None:
    """Write until not even one more page fits."""
    with (disk / "ballast").open("ab", buffering=0) as file:
        for size in (1 << 20, 1 << 12):
            with suppress(OSError):
                while file.write(bytes(size)) == size:
                    pass


def land_and_compute(installation: Installation) -> None:
    installation.land()
    installation.run_pipeline_job()


@pytest.mark.parametrize("step", sample(STEPS, small=1))
def test_a_full_disk_is_named_and_freeing_space_is_enough(
    small: Installation, disk: Path, step: str
) -> None:
    before = small.served()
    with at_step(step, lambda: fill(disk)), pytest.raises(Exception, match=FULL) as full:
        land_and_compute(small)
    assert str(disk) in str(full.value)
    assert small.served() == before
    (disk / "ballast").unlink()
    small.run_pipeline_job()
    small.compare()
    assert small.served().as_of > before.as_of


def test_writes_of_the_api_name_a_full_disk_and_succeed_once_it_has_space() -> None:
    # PostgreSQL's user cannot enter pytest's own folder.
    with TemporaryDirectory(ignore_cleanup_errors=True) as folder, mounted(Path(folder)) as disk:
        Path(folder).chmod(0o755)
        settings = settings_for(disk / "home").at(NOW)
        with operational_store(settings) as store:
            migrate(store)
            tell_of_a_full_disk(settings, store, disk)


def tell_of_a_full_disk(settings: Settings, store: OperationalStore, disk: Path) -> None:
    with running_api(settings, store) as api, new_tenant(api) as tenant:
        path = f"/projects/{tenant.project_id}/campaigns"
        url = f"{api.base_url}{PREFIX}{path}"
        headers = {"Authorization": f"Bearer {tenant.made.api_key}"}
        fill(disk)
        statuses = (
            httpx.post(url, json={"name": f"{n}"}, headers=headers).status_code for n in count()
        )
        # The first rows may fit into existing pages.
        assert next(status for status in statuses if status != 201) == 507
        refusal = tenant.client.answer("POST", path, 507, json={"name": "Summer"})
        assert refusal["meta"] == {"code": "disk_full", "disk": "PostgreSQL"}
        assert "again" not in refusal["error"]
        (disk / "ballast").unlink()
        assert tenant.client.data("POST", path, json={"name": "Summer"})["name"] == "Summer"

        fill(disk)
        end_for_lack_of_space(store, disk)
        for call in ("GET", "/creators"), ("POST", path):
            refusal = tenant.client.answer(*call, 507)
            assert refusal["meta"] == {"code": "disk_full", "disk": "the data folder"}
        with pytest.raises(ServerFailedError, match="the disk of the data folder is full"):
            operational_store(settings).__enter__()
        (disk / "ballast").unlink()
        with operational_store(settings):
            pass  # starts the embedded server, as each command does
        assert tenant.client.data("POST", path, json={"name": "Fall"})["name"] == "Fall"


def end_for_lack_of_space(store: OperationalStore, disk: Path) -> None:
    """Let PostgreSQL need another log file, which it cannot write, so that it ends."""
    with suppress(psycopg.Error), psycopg.connect(store.dsn, autocommit=True) as connection:
        for _ in count():
            connection.execute("select pg_logical_emit_message(true, '', '')")
            connection.execute("select pg_switch_wal()")
    wait_until(lambda: not lives(disk / "home" / "postgres"))


def test_a_batch_that_does_not_fit_names_the_full_disk(disk: Path) -> None:
    """For each part of a file: polars gives no reason if the last part does not fit."""
    rows = pl.DataFrame({f"column {n}": [n] * 500 for n in range(50)})
    for kilobytes in range(4, 44, 4):
        (disk / "reserve").write_bytes(bytes(kilobytes << 10))
        fill(disk)
        (disk / "reserve").unlink()
        with suppress(OSError), new_folder(disk / "batch") as folder:
            rows.write_parquet(folder / "posts.parquet")
        (disk / "ballast").unlink()


def test_a_query_that_cannot_spill_names_the_full_disk(disk: Path) -> None:
    config = {"memory_limit": "24MB", "threads": 1, "preserve_insertion_order": False}
    with duckdb.connect(disk / "numbers.duckdb", config=config) as connection:
        connection.execute("select 1")
        fill(disk)
        with pytest.raises(duckdb.Error) as full:
            connection.execute(
                "select max(number) from (select hash(range) as number from range(5_000_000)"
                " order by number offset 1)"
            )
    (disk / "ballast").unlink()
    assert full_disk(full.value, disk) == "the data folder", full.value
