"""File locks between processes, which the kernel releases when a process ends."""

import fcntl
from typing import IO


def try_lock(file: int | IO[str]) -> bool:
    """Take an exclusive lock unless another process has it. Returns whether it was taken."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
