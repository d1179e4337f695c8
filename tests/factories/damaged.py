"""Damaged and locked database files."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from warehouse.publication.layout import CURRENT
from warehouse.settings import Settings

NAME = "damaged.duckdb"


def publish_damaged(settings: Settings) -> None:
    """Make the current publication of a shard a file that is not a database."""
    settings.publications_path.mkdir(parents=True, exist_ok=True)
    (settings.publications_path / NAME).write_bytes(b"not a database")
    current = settings.publications_path / CURRENT
    current.unlink(missing_ok=True)
    current.symlink_to(NAME)


WRITER = """
import sys
import duckdb
connection = duckdb.connect(sys.argv[1])
print(flush=True)
input()
"""


@contextmanager
def opened_to_write(database: Path) -> Iterator[int]:
    """Open a database for writing in another process; yield the process id."""
    database.chmod(0o600)
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, database], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as process:
        assert process.stdout.readline() == b"\n"
        yield process.pid
        process.communicate(b"\n")
