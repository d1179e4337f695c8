"""Server folders that are ready to start, and processes that use them."""

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.warehouse.operational.processes import ServerUse, lives
from warehouse.operational.server import embedded_server


@pytest.fixture
def new_folder() -> Iterator[Path]:
    """The folder of a server that has never run. Whatever runs there at the end is ended."""
    # Not pytest's own: a new run closes that to PostgreSQL's user.
    home = Path(tempfile.mkdtemp(prefix="tracker-tests-"))
    folder = home / "postgres"
    yield folder
    if (folder / "server.lock").exists() and lives(folder):
        with embedded_server(folder):
            pass
    shutil.rmtree(home)


@pytest.fixture(scope="session")
def stopped_server() -> Iterator[Path]:
    """A server's folder, made once to be copied."""
    home = Path(tempfile.mkdtemp(prefix="tracker-tests-"))
    with embedded_server(home / "postgres"):
        pass
    yield home / "postgres"
    shutil.rmtree(home)


@pytest.fixture
def folder(stopped_server: Path, new_folder: Path) -> Path:
    """The folder of a server that has run before and is stopped."""
    subprocess.run(["cp", "-a", stopped_server, new_folder], check=True)
    return new_folder


@pytest.fixture
def use() -> Iterator[Callable[[Path], ServerUse]]:
    """Start a process that uses a folder's server; it is gone when the test ends."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(ServerUse(folder))
