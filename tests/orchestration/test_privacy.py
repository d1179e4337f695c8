"""Every process keeps what it makes from others, whatever umask it is started with."""

import os
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from orchestration.cli.ports import free_port
from tests.fixtures.processes import wait_until_answered
from tests.orchestration.commands import COMMAND, environment, tracker, tracker_here


@pytest.fixture
def usual_umask() -> Iterator[None]:
    """What a login shell has."""
    before = os.umask(0o022)
    yield
    os.umask(before)


def read_by_others(folder: Path) -> list[Path]:
    """What others can read or enter; root's PostgreSQL has to pass through the first two."""
    passed = {folder, folder / "postgres"} if os.geteuid() == 0 else set()
    return [
        path
        for path in (folder, *folder.rglob("*"))
        if not path.is_symlink()
        and stat.S_IMODE(path.lstat().st_mode) & (0o066 if path in passed else 0o077)
    ]


@pytest.mark.slow
@pytest.mark.usefixtures("usual_umask")
def test_what_commands_and_servers_make_is_the_owners_alone(tmp_path: Path) -> None:
    """The embedded PostgreSQL, a whole run with its publication, a server, a backup."""
    tmp_path.chmod(0o755)
    home, backup = tmp_path / "home", tmp_path / "backup"
    env = environment(home)
    for command in (("init",), ("run", "--no-scrape")):
        assert tracker(*command, env=env).returncode == 0
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
def test_what_was_open_is_told_of_and_closed(tmp_path: Path, database_url: str) -> None:
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
