"""Server folders that are ready to start, and processes that use them."""

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.warehouse.operational.processes import ServerUse, connect, lives
from warehouse.operational.server import embedded_server


@pytest.fixture
def new_folder() -> Iterator[Path]:
    """The folder of a server that has never run. A server that is left running is stopped."""
    # Not pytest's folder: a new run closes it to PostgreSQL's user.
    home = Path(tempfile.mkdtemp(prefix="tracker tests-"))
    home.chmod(0o711)
    folder = home / "postgres"
    yield folder
    stop(folder)
    shutil.rmtree(home)


def stop(folder: Path) -> None:
    """Stop a server that a test has left running."""
    if (folder / "server.lock").exists() and lives(folder):
        with embedded_server(folder):
            pass


@pytest.fixture(scope="session")
def shelf() -> Iterator[Path]:
    """Where the folder of the stopped server is between tests."""
    home = Path(tempfile.mkdtemp(prefix="tracker tests-"))
    home.chmod(0o711)
    yield home / "postgres"
    shutil.rmtree(home)


@pytest.fixture
def folder(shelf: Path, new_folder: Path) -> Iterator[Path]:
    """The folder of a stopped server that has run before.

    It survives killed processes but no power cut (fsync is off). Tests share it, since making one
    takes a second; if a test moves it away, the next makes another.
    """
    if not shelf.exists():
        with embedded_server(shelf) as socket, connect(socket) as connection:
            connection.autocommit = True
            connection.execute("alter system set fsync = off")
    shelf.rename(new_folder)
    yield new_folder
    if new_folder.exists():
        stop(new_folder)
        new_folder.rename(shelf)


@pytest.fixture
def use() -> Iterator[Callable[[Path], ServerUse]]:
    """Start a process that uses a folder's server, until the test ends."""
    with ExitStack() as stack:
        yield lambda folder: stack.enter_context(ServerUse(folder))
