"""Locks between processes, held on an open file; the kernel drops them however a process dies."""

import fcntl
from typing import IO


def try_lock(file: int | IO[str]) -> bool:
    """Take the lock for ourselves alone, unless somebody else has it."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
