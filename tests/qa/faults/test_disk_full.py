"""The disk runs full in the middle of a step; what is served stays, and freeing space is enough.

The disk is a small one of the test's own (tmpfs), so that the kernel itself refuses to write.
"""

import subprocess
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from tests.doses import sample
from tests.fixtures.operational import FreshDatabase
from tests.qa.faults.installation import Installation, installed
from tests.qa.faults.steps import PASS, STATEMENT, at_step

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


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file system that can be filled."""
    folder = tmp_path_factory.mktemp("disk")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(folder)]
    if subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("mounting a small disk needs root: run pytest as root")
    yield folder
    subprocess.run(["umount", "--lazy", str(folder)], check=True)


@pytest.fixture(scope="module")
def small(
    databases: FreshDatabase, disk: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Installation]:
    """An installation whose data lie on the small disk, and its first publication."""
    diary = tmp_path_factory.mktemp("diary")
    with databases() as url, installed(disk / "home", diary, url) as installation:
        installation.land(2)
        installation.run_pipeline_job()
        yield installation


def fill(disk: Path) -> None:
    """Write until there is no room, not even for one more page."""
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
