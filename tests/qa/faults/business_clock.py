"""A running clock for whole installations, which every process reads, PostgreSQL included.

`clock.c` is compiled and preloaded into them. Moving the clock on skips idle time.
"""

import os
import struct
import subprocess
from datetime import UTC, datetime, timedelta
from pathlib import Path

SOURCE = Path(__file__).with_name("clock.c")


class BusinessClock:
    """The machine's clock plus `ahead`, for processes that are started with `environment`."""

    def __init__(self, folder: Path, starts: datetime) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self._library, self._file = folder / "clock.so", folder / "clock"
        compiled = ("cc", "-O2", "-shared", "-fPIC", "-o", self._library, SOURCE)
        subprocess.run(compiled, check=True)
        self.move_to(starts)
        for path in (self._library, self._file):
            path.chmod(0o755)  # PostgreSQL's user reads it too

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables of a process with this clock."""
        return {"LD_PRELOAD": str(self._library), "TEST_CLOCK": str(self._file)}

    def now(self) -> datetime:
        return datetime.now(UTC) + self.ahead

    def move_to(self, instant: datetime) -> None:
        self.ahead = instant - datetime.now(UTC)
        nanoseconds = self.ahead // timedelta(microseconds=1) * 1000
        descriptor = os.open(self._file, os.O_RDWR | os.O_CREAT)
        os.pwrite(descriptor, struct.pack("q", nanoseconds), 0)  # into the mapped page
        os.close(descriptor)
