"""Compares the rows of two relations by count and hash, in any order."""

import duckdb

from warehouse.publication.sql import quoted_name


def count(connection: duckdb.DuckDBPyConnection, source: str, condition: str) -> int:
    """Return the number of rows of an SQL source that meet a condition."""
    [(rows,)] = connection.execute(f"select count(*) from {source} where {condition}").fetchall()  # noqa: S608 (names from the catalog and facts.py)
    return int(rows)


def fingerprint(
    connection: duckdb.DuckDBPyConnection, source: str, condition: str
) -> tuple[object, ...]:
    """Return a hash of all values of those rows, with names and types of the columns.

    The order of rows does not matter. A row's hash is hashed again: DuckDB combines the last
    column by XOR, so two rows could otherwise swap their last values unnoticed.
    """
    columns = connection.execute(f"describe from {source}").fetchall()
    names = ", ".join(quoted_name(column[0]) for column in columns)
    [(checksum,)] = connection.execute(
        f"select bit_xor(hash(hash({names}))) from {source} where {condition}"  # noqa: S608 (names from the catalog and facts.py)
    ).fetchall()
    return (checksum, *((column[0], column[1]) for column in columns))
