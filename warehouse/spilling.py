"""Where DuckDB spills rows for which its memory has no room."""

import fcntl
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from warehouse.locks import try_lock
from warehouse.settings import Settings

_PREFIX, _LOCK = "spilled-", "lock"


@contextmanager
def spill_folder(settings: Settings) -> Iterator[str]:
    """Yield a new folder for one DuckDB instance; it is removed, as are those of killed processes.

    DuckDB (1.5) gives spilled files the same names in each process, and locks none: instances that
    share a folder overwrite each other's rows, without an error.
    """
    parent = Path(settings.duckdb_temp_directory or f"{settings.warehouse_path}.spilled")
    parent.mkdir(parents=True, exist_ok=True)
    with (parent / _LOCK).open("w") as turn:
        fcntl.flock(turn, fcntl.LOCK_EX)
        for left in parent.glob(f"{_PREFIX}*"):
            with (left / _LOCK).open("w") as lock:
                is_left = try_lock(lock)
            if is_left:
                rmtree(left, ignore_errors=True)
        folder = Path(mkdtemp(prefix=_PREFIX, dir=parent))
        own = (folder / _LOCK).open("w")
        fcntl.flock(own, fcntl.LOCK_EX)
    with own:
        try:
            yield str(folder)
        finally:
            rmtree(folder, ignore_errors=True)
