"""Small SQL tools: attaching files, and quoting what cannot be a parameter."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import duckdb


def quoted_name(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Quote an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: Path) -> str:
    """Quote a path as an SQL string."""
    return quoted_text(str(path))


@contextmanager
def attached(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    name: str,
    *,
    read_only: bool = False,
    block_size: int = 262_144,
) -> Iterator[None]:
    """Attach a DuckDB file as `name` during the block; a new one has blocks of so many bytes."""
    options = "read_only" if read_only else f"block_size {block_size}"
    connection.execute(f"attach {quoted_path(path)} as {name} ({options})")
    try:
        yield
    finally:
        connection.execute(f"detach {name}")
