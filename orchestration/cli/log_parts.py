"""Logs that processes write to for months: what is old is set aside, what is oldest forgotten.

A process keeps the file that it was started with open for appending, so the file stays and its
content is moved. What is written in the moment between is lost.
"""

import os
import shutil
from contextlib import suppress
from pathlib import Path

LARGEST_BYTES = 20_000_000
OLDER_PARTS = 3


def set_aside(log: Path) -> None:
    """Empty a log that has become large; what it held is `NAME.log.1`, what was that `.2`.

    On a full disk that part is forgotten: the log must not be what keeps the disk full.
    """
    if log.stat().st_size < LARGEST_BYTES:
        return
    for number in range(OLDER_PARTS, 1, -1):
        if _part(log, number - 1).exists():
            _part(log, number - 1).replace(_part(log, number))
    with suppress(OSError):
        shutil.copyfile(log, _part(log, 1))
    os.truncate(log, 0)


def _part(log: Path, number: int) -> Path:
    return log.with_name(f"{log.name}.{number}")
