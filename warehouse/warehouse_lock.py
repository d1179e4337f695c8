"""The lock of the warehouse's only writer: an flock, which the kernel releases even on a crash.

The lock file also names the holder, for the message to those who wait. That text is only for
information: the flock alone decides.
"""

import fcntl
import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TextIO

from warehouse.landing.folders import make_way
from warehouse.locks import try_lock
from warehouse.settings import Settings

OnWait = Callable[[str], None]


@contextmanager
def warehouse_lock(settings: Settings, on_wait: OnWait | None = None) -> Iterator[None]:
    """Hold the right to write the warehouse, after waiting for any other holder.

    `on_wait` is called once before waiting, with a message that names the holder. Not reentrant: a
    thread that already holds the lock would wait forever.
    """
    path = lock_path(settings)
    make_way(path.parent)
    with path.open("a+", encoding="utf-8") as file:
        _acquire(file, on_wait)
        with suppress(OSError):  # a full disk: the writer may make room
            _write_holder(file)
        try:
            yield
        finally:
            file.truncate(0)


@contextmanager
def writers_locked_out(settings: Settings) -> Iterator[str | None]:
    """Keep writers waiting during the block; if one is at work, yield its description, else None.

    For inspecting the warehouse: it neither waits nor creates a file.
    """
    try:
        file = lock_path(settings).open(encoding="utf-8")
    except FileNotFoundError:  # not written yet
        yield None
        return
    with file:
        try:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
        except BlockingIOError:
            yield _read_holder(file)
        else:
            yield None


def lock_path(settings: Settings) -> Path:
    """Return the lock file: beside the warehouse's file, whatever its name."""
    return settings.warehouse_path.with_suffix(".lock")


def up_lock_path(settings: Settings) -> Path:
    """Return the lock of `tracker up`, the process that runs the pipeline."""
    return settings.home_path / "up.lock"


def _acquire(file: TextIO, on_wait: OnWait | None) -> None:
    if try_lock(file):
        return
    if on_wait is not None:
        on_wait(f"waiting for the warehouse, which {_read_holder(file)} is writing")
    fcntl.flock(file, fcntl.LOCK_EX)


def _write_holder(file: TextIO) -> None:
    file.truncate(0)
    since = datetime.now(UTC).isoformat(timespec="seconds")
    command = " ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200]
    text = json.dumps({"pid": os.getpid(), "command": command, "since": since})
    os.write(file.fileno(), text.encode())


def _read_holder(file: TextIO) -> str:
    file.seek(0)
    try:
        text = json.load(file)
        return f"process {text['pid']} ({text['command']}, since {text['since']})"
    except (ValueError, KeyError, TypeError):  # between two holders, or a torn write
        return "another process"
