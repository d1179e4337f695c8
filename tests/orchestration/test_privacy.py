"""Files of every process are private, whatever umask it starts with."""

import os
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestration.cli.ports import free_port
from tests.fixtures.operational import settings_for
from tests.fixtures.processes import wait_until_answered
from tests.orchestration.commands import (
    COMMAND,
    PATIENCE_SECONDS,
    environment,
    started,
    tracker,
    tracker_here,
)
from warehouse.connection import warehouse_lock

pytestmark = pytest.mark.slow


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """The umask of a login shell."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def read_by_others(folder: Path) -> list[Path]:
    """The paths that others can read or enter, except those that root's PostgreSQL must pass."""
    exempt = {folder, folder / "postgres"} if os.geteuid() == 0 else set()
    return [
        path
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink()
        and stat.S_IMODE(path.lstat().st_mode) & (0o066 if path in exempt else 0o077)
    ]


@pytest.mark.usefixtures("usual_umask")
def test_files_of_commands_and_servers_are_private_to_the_owner(open_folder: Path) -> None:
    """The embedded PostgreSQL, a run with its publication, a server, a backup.

    The run waits for the lock, and names its owner.
    """
    home, backup = open_folder / "home", open_folder / "backup"
    env = environment(home)
    early = tracker_here("org", "create", "--name", "Acme", env=env)
    assert early.returncode == 1
    assert early.stderr.splitlines()[-1] == (
        "tracker: the database schema is not up to date. Run `tracker init`."
    )
    shutil.rmtree(home)
    assert tracker("init", env=env).returncode == 0
    with warehouse_lock(settings_for(home)):
        run = started("run", "--no-scrape", env=env)
        assert run.stderr is not None
        warning = next(line for line in run.stderr if "waiting" in line)
        assert f"process {os.getpid()}" in warning
        assert run.poll() is None
    _, rest = run.communicate(timeout=PATIENCE_SECONDS)
    assert run.returncode == 0, rest
    port = free_port()
    server = subprocess.Popen([*COMMAND, "serve", "--port", str(port)], env=env)
    try:
        wait_until_answered(f"http://127.0.0.1:{port}", server)
        assert (home / "secret.key").exists()
        assert (home / "publications" / "current.duckdb").exists()
        assert read_by_others(home) == []
        assert tracker("backup", str(backup), env=env).returncode == 0
        assert read_by_others(backup) == []
    finally:
        server.terminate()
        server.wait()


@pytest.mark.usefixtures("usual_umask")
def test_wrong_permissions_are_reported_and_corrected(tmp_path: Path, database_url: str) -> None:
    home = tmp_path / "home"
    (home / "landing").mkdir(parents=True)
    (home / "landing" / "old.parquet").touch()
    env = environment(home, database_url)
    output = tracker_here("doctor", env=env).stdout
    assert "wrong permissions: " in output
    assert "tracker init" in output
    assert tracker("init", env=env).returncode == 0
    assert "only its owner can read the data folder" in tracker_here("doctor", env=env).stdout
    assert read_by_others(home) == []
