"""Processes that use an embedded server, and what the kernel knows about it."""

import fcntl
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import psycopg

from warehouse.operational.server import DATABASE, PORT, SUPERUSER

USE = """
import sys
from pathlib import Path
from warehouse.operational.server import embedded_server
with embedded_server(Path(sys.argv[1])) as socket:
    print(socket, flush=True)
    sys.stdin.read()
"""


class ServerUse:
    """Another process that uses the server of `folder` until it leaves or is killed."""

    def __init__(self, folder: Path) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-W", "error", "-c", USE, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()
        for pipe in (self.process.stdin, self.process.stdout):
            pipe.close()

    def is_up(self) -> str:
        """Wait until the server runs; return its socket folder."""
        socket = self.process.stdout.readline().strip()
        assert socket, "the process ended without having a server"
        return socket

    def leave(self) -> int:
        """Leave cleanly; return the exit status."""
        self.process.stdin.close()
        return self.process.wait()

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()


def wait_until(happened: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 180  # a busy machine starts processes slowly
    while not happened():
        assert time.monotonic() < deadline, "it did not happen"
        time.sleep(0.02)


def lives(folder: Path) -> bool:
    """Return whether any process of the server is running, according to the kernel."""
    with (folder / "server.lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
    return False


def postmaster_pid(folder: Path) -> int:
    """Return the pid in the server's pid file, which PostgreSQL first creates empty."""
    file = folder / "data" / "postmaster.pid"
    wait_until(lambda: file.read_text() != "")
    return int(file.read_text().split()[0])


def connect(socket: Path | str) -> psycopg.Connection:
    return psycopg.connect(host=str(socket), port=PORT, user=SUPERUSER, dbname=DATABASE)
