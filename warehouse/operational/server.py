"""Life cycle of the embedded PostgreSQL: started by its first user, stopped by its last.

It relies on kernel locks, which are released when their process ends:

`lifecycle.lock`  exclusive while a process starts or stops the server
`users.lock`      shared by all users of the server; the last one can lock it exclusively
`server.lock`     inherited by the server's processes (initdb, postmaster, backends): if it is
                  free, none of them runs, whatever a pid file or socket (perhaps copied) says

Programs and system user are in server_programs.py, sessions in session.py, databases in store.py.
"""

import fcntl
import os
import shutil
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from warehouse.full_disk import is_full
from warehouse.landing.folders import make_way, sync
from warehouse.locks import try_lock
from warehouse.operational.errors import DataFolderClosedError, ServerFailedError
from warehouse.operational.server_programs import (
    ServerPrograms,
    find_binaries,
    open_way,
    require_way,
    server_user,
)

PORT = "5432"  # part of the socket's name; there is no TCP port
SUPERUSER = "tracker"
DATABASE = "postgres"
PATIENCE_SECONDS = 120  # crash recovery of a full write-ahead log is the longest wait
LONGEST_SOCKET_PATH = 103  # bytes, on macOS; Linux allows four more

# Written to postgresql.conf by initdb, so that operators can change them. Failed statements are not
# logged, because they contain user input, and the sender gets the error.
CONFIGURATION = {
    "max_connections": "200",
    "jit": "off",
    "timezone": "UTC",
    "log_timezone": "UTC",
    "log_min_messages": "log",
    "log_min_error_statement": "panic",
    "log_checkpoints": "off",
}


@contextmanager
def embedded_server(folder: Path) -> Iterator[Path]:
    """Run the server of `folder` during the block. Yields the folder of its socket.

    Any number of processes and threads may share it. Raises EmbeddedServerError.
    """
    server = _Server(folder)
    with _opened(folder / "users.lock") as users:
        with _locked(folder / "lifecycle.lock"):
            server.ensure_running()
            fcntl.flock(users, fcntl.LOCK_SH)
        try:
            yield server.socket_folder
        finally:
            with _locked(folder / "lifecycle.lock"):
                if try_lock(users):
                    server.stop()


def is_alive(folder: Path) -> bool:
    """Return whether a process of the server runs, whether or not it answers."""
    with _opened(folder / "server.lock") as life:
        return not try_lock(life)


def running_server(folder: Path) -> Path | None:
    """Return the folder of the socket while the server runs, else None. Starts nothing."""
    if not (folder / "server.lock").exists() or not is_alive(folder):
        return None
    return (folder / "socket").resolve()


class _Server:
    """A folder and its server. Only the holder of the lifecycle lock starts or stops it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.data = folder / "data"
        self.socket = folder / "socket"
        self.log = folder / "server.log"
        self.user = server_user(self.data)
        self.programs = ServerPrograms(find_binaries(), self.user, folder)
        self._make_way()

    @property
    def socket_folder(self) -> Path:
        """The folder of the socket, which is elsewhere, behind a link, if the path is too long."""
        return self.socket.resolve()

    def ensure_running(self) -> None:
        """Use the running server, or start one if none runs."""
        started = False
        deadline = time.monotonic() + PATIENCE_SECONDS
        while time.monotonic() < deadline:
            with _opened(self.folder / "server.lock") as life:
                if not try_lock(life):
                    if self._answers():
                        return
                elif started:
                    raise ServerFailedError(f"PostgreSQL did not start: {self._last_words()}")
                else:
                    self._start(life)
                    started = True
            time.sleep(0.01)
        raise ServerFailedError(
            f"PostgreSQL in {self.folder} runs but has not answered for {PATIENCE_SECONDS} s: "
            f"{self._last_words()}"
        )

    def stop(self) -> None:
        """Stop the server if it runs and answers; all commits are on disk."""
        with _opened(self.folder / "server.lock") as life:
            if try_lock(life) or not self._answers():
                return
        # It runs, so the pid file is its own.
        self.programs.run(
            *("pg_ctl", "stop", "-D", self.data, "-m", "fast", "-w", "-t", str(PATIENCE_SECONDS))
        )
        deadline = time.monotonic() + PATIENCE_SECONDS
        while is_alive(self.folder) and time.monotonic() < deadline:
            time.sleep(0.01)  # its pid file goes a moment before its process
        shutil.rmtree(self.socket_folder, ignore_errors=True)

    def _answers(self) -> bool:
        return self.programs.succeeds(
            *("pg_isready", "-h", self.socket_folder, "-p", PORT, "-U", SUPERUSER, "-d", DATABASE)
        )

    def _start(self, life: int) -> None:
        if not self.data.exists():
            self._initialize(life)
        # Another process may have its pid: PostgreSQL would take that for itself and not start.
        (self.data / "postmaster.pid").unlink(missing_ok=True)
        self._make_socket_folder()
        settings: dict[str, str | Path] = {
            "listen_addresses": "",
            "unix_socket_directories": self.socket_folder,
            "unix_socket_permissions": "0700",
            "port": PORT,
        }
        server: list[str | Path] = [self.programs.binaries / "postgres", "-D", self.data]
        if self.log.exists():
            self.log.replace(self.log.with_suffix(".log.previous"))
        self.log.touch(mode=0o600)
        with self.log.open("ab") as log:
            # The shell makes init the server's parent: it outlives this process, as no zombie.
            hand_over = ("/bin/sh", "-c", '"$@" &', "sh", *server, *_options("-c", settings))
            self.programs.run(*hand_over, pass_fds=(life,), output=log)

    def _initialize(self, life: int) -> None:
        """Create the data folder, completely or not at all."""
        unfinished = self.folder / "data.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        self._make_private(unfinished)
        self.programs.run(
            *("initdb", "-D", unfinished, "--username", SUPERUSER, "--encoding", "UTF8"),
            *("--auth-local", "trust", "--auth-host", "reject", "--no-locale"),
            *("--locale-provider", "builtin", "--builtin-locale", "C.UTF-8"),
            *_options("--set", CONFIGURATION),
            pass_fds=(life,),
        )
        unfinished.rename(self.data)
        sync(self.folder)

    def _make_socket_folder(self) -> None:
        """Create a private folder for the socket, beside the data or behind a link."""
        if self.socket.is_symlink():
            self.socket.unlink()  # not its target: the link may have been copied with the data
        shutil.rmtree(self.socket, ignore_errors=True)
        if _fits(self.socket):
            self._make_private(self.socket)
        else:
            private = Path(tempfile.mkdtemp(prefix="tracker-"))
            self._make_private(private)
            self.socket.symlink_to(private)

    def _make_private(self, folder: Path) -> None:
        folder.mkdir(mode=0o700, exist_ok=True)
        if os.geteuid() == 0:
            os.chown(folder, self.user.uid, self.user.gid)
            require_way(folder, self.user)

    def _make_way(self) -> None:
        """Create the folder, and give the server's user access to it and to the programs."""
        try:
            make_way(self.folder.parent)
            with suppress(FileExistsError):
                self.folder.mkdir(mode=0o711 if os.geteuid() == 0 else 0o700)
                sync(self.folder.parent)
        except OSError as error:
            raise _closed(self.folder) from error
        if os.geteuid() == 0:
            for own in (self.folder, self.folder.parent):
                open_way(own, self.user)
            require_way(self.folder, self.user)
            require_way(self.programs.binaries, self.user)

    def _last_words(self) -> str:
        if is_full(self.folder):  # the server cannot write its log either
            return "the disk of the data folder is full: free space, and try again"
        lines = self.log.read_text(errors="replace").splitlines() if self.log.exists() else []
        return " | ".join(lines[-5:])


def _options(flag: str, settings: Mapping[str, str | Path]) -> list[str]:
    return [part for name, value in settings.items() for part in (flag, f"{name}={value}")]


def _fits(folder: Path) -> bool:
    """Return whether the socket's path fits the kernel's limit and is not a list for libpq."""
    path = os.fsencode(folder / f".s.PGSQL.{PORT}")
    return len(path) <= LONGEST_SOCKET_PATH and b"," not in path


def _closed(path: Path) -> DataFolderClosedError:
    return DataFolderClosedError(
        f"{path} cannot be written by user id {os.geteuid()}: run as its owner, or set "
        "TRACKER_HOME to a folder of your own"
    )


@contextmanager
def _opened(lock: Path) -> Iterator[int]:
    try:
        descriptor = os.open(lock, os.O_RDWR | os.O_CREAT, 0o600)
    except OSError as error:
        raise _closed(lock) from error
    try:
        yield descriptor
    finally:
        os.close(descriptor)


@contextmanager
def _locked(lock: Path) -> Iterator[None]:
    with _opened(lock) as descriptor:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
