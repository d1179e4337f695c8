"""Small SQL tools: quoting what cannot be a parameter, attaching files, comparing relations."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

import duckdb


def quoted_name(name: str) -> str:
    """Quote an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def quoted_text(text: str) -> str:
    """Quote an SQL string."""
    return "'" + text.replace("'", "''") + "'"


def quoted_path(path: Path) -> str:
    return quoted_text(str(path))


def in_file(file: Path, table: str) -> str:
    """Return the SQL source of a DuckDB file's table, which is read by path."""
    return f"read_duckdb({quoted_path(file)}, table_name = {quoted_text(table)})"


ALONE = "hive_partitioning = false"
"""Argument of read_parquet: else a folder `env=prod` above a file is a column, which replaces the
file's."""


def in_parquet(*files: Path) -> str:
    """Return the SQL source of the rows of Parquet files with the same columns."""
    return f"read_parquet([{', '.join(map(quoted_path, files))}], {ALONE})"


AT_CHECKPOINTS = "recovery_mode no_wal_writes"
"""Option of attached files that have changes from their checkpoint on, without a log before it.

A publication that is killed before is removed, so a log would only write everything twice.
"""
NEW = f"{AT_CHECKPOINTS}, storage_version 'v1.2.0'"
"""Options of new files. Statistics of distinct values take 3 kB less a column than by default."""
SMALL_BLOCKS = "block_size 65536"
"""With DuckDB's default of 262,144 bytes the many small tables take a fifth more."""


def write_table(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    columns: str,
    rows: Sequence[Sequence[object]],
) -> None:
    """Create a table of `building.files`, and insert its rows in one statement."""
    connection.execute(f"create table building.files.{table} ({columns})")
    if rows:
        lists = [list(column) for column in zip(*rows, strict=True)]
        values = ", ".join(f"unnest(${number})" for number, _ in enumerate(lists, 1))
        connection.execute(f"insert into building.files.{table} select {values}", lists)


@contextmanager
def attached(
    connection: duckdb.DuckDBPyConnection,
    path: Path,
    name: str,
    options: str = "read_only",
) -> Iterator[None]:
    """Attach a DuckDB file as `name` during the block, read-only by default."""
    connection.execute(f"attach {quoted_path(path)} as {name} ({options})")
    try:
        yield
    finally:
        connection.execute(f"detach {name}")


NUMBER_AND_HASH = "count(*), sum(hash(hash(*columns(*))))"
"""A row's hash is hashed again: DuckDB combines the last column by XOR, so two rows could otherwise
swap their last values unnoticed. In a sum, unlike in an XOR, two equal rows do not cancel out.
DuckDB 1.5.5 hashes alike: null, [] and [null]; null and a struct of nulls; lists that differ by
leading zeros or falses; 0 and -1 of 128 bits. No mart's row may change in that way alone.
"""


def count(connection: duckdb.DuckDBPyConnection, source: str, condition: str) -> int:
    """Return the number of rows of an SQL source that meet a condition."""
    [(rows,)] = connection.execute(f"select count(*) from {source} where {condition}").fetchall()  # noqa: S608 (names from the catalog and facts.py)
    return int(rows)


def fingerprint(
    connection: duckdb.DuckDBPyConnection, source: str, condition: str
) -> tuple[object, ...]:
    """Return number and hash of all those rows, with names and types of the columns."""
    columns = connection.execute(f"describe from {source}").fetchall()
    [rows] = connection.execute(
        f"select {NUMBER_AND_HASH} from {source} where {condition}"  # noqa: S608 (names from the catalog and facts.py)
    ).fetchall()
    return (*rows, *((column[0], column[1]) for column in columns))


def digest_of(connection: duckdb.DuckDBPyConnection, source: str, condition: str = "true") -> str:
    return sha256(repr(fingerprint(connection, source, condition)).encode()).hexdigest()


def fingerprints_by_day(source: str, time_column: str, condition: str) -> str:
    """Return the query of each UTC day with number and hash of its rows."""
    return f"""
        select cast({time_column} as date) as day, {NUMBER_AND_HASH}
        from {source} where {condition} group by 1
    """  # noqa: S608 (names of facts.py)
