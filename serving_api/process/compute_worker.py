"""A second API process for expensive requests (see `http.forwarding`).

Python computes in one thread at a time, so in the server's process such requests slow down all
others. The server starts, restarts and ends this process. It serves the same application on a
socket that only the server's user can open.
"""

import os
import pickle
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from pathlib import Path
from shutil import rmtree
from tempfile import TemporaryDirectory
from threading import Event, Thread
from typing import Any

import structlog

from warehouse.loading import loading
from warehouse.settings import Settings
from warehouse.umask import be_private

PAUSE_SECONDS = 2.0
"""Delay before each start, so that the server loads first, and between checks of the process."""
LONGEST_PAUSE_SECONDS = 60.0
PATIENCE_SECONDS = 10.0
"""Time for the process to end."""
NICENESS = 5
"""With few processors, cheap requests have priority."""

HOW: Mapping[str, Any] = {
    "http": "serving_api.http.connection:BoundedProtocol",
    "ws": "none",
    "log_config": None,
    "access_log": False,
    "server_header": False,
}
"""uvicorn options: this protocol limits requests, and the application logs them."""

_MODULE = "serving_api.process.compute_worker"
_log = structlog.get_logger(__name__)


@contextmanager
def compute_worker(settings: Settings) -> Iterator[Path]:
    """Run the process within the block; yield its socket, which appears later."""
    with TemporaryDirectory(prefix="tracker-compute-") as folder:  # of mode 0700
        socket_path, ended = Path(folder) / "socket", Event()
        # The server counts requests before forwarding them.
        pickled = pickle.dumps(settings.model_copy(update={"api_rate_limits": False}))
        keeper = Thread(target=_restart_ended, args=(socket_path, pickled, ended), daemon=True)
        keeper.start()
        try:
            yield socket_path
        finally:
            ended.set()
            keeper.join()


def _restart_ended(socket_path: Path, pickled: bytes, ended: Event) -> None:
    """Restart the process whenever it ends, with longer delays while it fails to listen."""
    pause = PAUSE_SECONDS
    while not ended.wait(pause):
        socket_path.unlink(missing_ok=True)
        try:
            _run(socket_path, pickled, ended)
        except OSError as error:
            _log.warning("the compute worker cannot be started", error=str(error))
        has_listened = socket_path.exists()
        pause = PAUSE_SECONDS if has_listened else min(2 * pause, LONGEST_PAUSE_SECONDS)


def _run(socket_path: Path, pickled: bytes, ended: Event) -> None:
    command = [sys.executable, "-m", _MODULE, str(socket_path)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, bufsize=0)  # noqa: S603 - constant
    assert process.stdin is not None  # noqa: S101 - opened as a pipe above
    with process.stdin as lifeline, suppress(BrokenPipeError):
        lifeline.write(pickled)
        while process.poll() is None and not ended.wait(PAUSE_SECONDS):
            pass
    try:  # closing its stdin stops it
        process.wait(PATIENCE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def main() -> None:
    """Serve until stdin ends."""
    signal.signal(
        signal.SIGINT, signal.SIG_IGN
    )  # Ctrl-C stops the server, which stops this process
    ends: list[Callable[[], None]] = [partial(os._exit, 0)]
    settings: Settings = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the server
    Thread(target=_end_with_server, args=(ends,), daemon=True).start()
    be_private()
    os.nice(NICENESS)
    # Imported late, since they take seconds to load.
    with loading():
        import uvicorn  # noqa: PLC0415

        from serving_api.http.forwarding import Forwarded  # noqa: PLC0415
        from serving_api.process.application import application  # noqa: PLC0415
        from warehouse.operational.store import operational_store  # noqa: PLC0415

    with operational_store(settings) as store:
        app = Forwarded(application(settings, store))
        how = {**HOW, "http": "httptools"}  # the server has checked the head
        server = uvicorn.Server(uvicorn.Config(app, proxy_headers=False, **how))
        ends.append(partial(setattr, server, "should_exit", True))
        with _listening(Path(sys.argv[1])) as listening:
            server.run(sockets=[listening])


def _end_with_server(ends: list[Callable[[], None]]) -> None:
    # Not `sys.stdin`: a waiting thread would hold its lock when the interpreter exits.
    os.read(sys.stdin.fileno(), 1)
    rmtree(Path(sys.argv[1]).parent, ignore_errors=True)  # a killed server cannot
    ends[-1]()


def _listening(socket_path: Path) -> socket.socket:
    listening = socket.socket(socket.AF_UNIX)
    listening.bind(str(socket_path))
    socket_path.chmod(0o600)
    return listening


if __name__ == "__main__":
    main()
