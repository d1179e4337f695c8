"""Whether two relations have the same rows, in whatever order: told without comparing them."""

import duckdb

from warehouse.publication.sql import quoted_name


def count(connection: duckdb.DuckDBPyConnection, source: str, condition: str) -> int:
    """Return how many rows of what SQL reads from fulfil a condition."""
    [(rows,)] = connection.execute(f"select count(*) from {source} where {condition}").fetchall()  # noqa: S608 (names from the catalog and facts.py)
    return int(rows)


def fingerprint(
    connection: duckdb.DuckDBPyConnection, source: str, condition: str
) -> tuple[object, ...]:
    """Return a hash of all values of those rows, with the columns' names and types.

    The order of the rows does not matter. A row's hash is hashed once more: DuckDB combines the
    last column in by XOR, so that two rows could else swap their last values unnoticed.
    """
    columns = connection.execute(f"describe from {source}").fetchall()
    names = ", ".join(quoted_name(column[0]) for column in columns)
    [(checksum,)] = connection.execute(
        f"select bit_xor(hash(hash({names}))) from {source} where {condition}"  # noqa: S608 (names from the catalog and facts.py)
    ).fetchall()
    return (checksum, *((column[0], column[1]) for column in columns))
