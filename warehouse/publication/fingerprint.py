"""Compares the rows of two relations by number and hash, in any order."""

import duckdb

NUMBER_AND_HASH = "count(*), bit_xor(hash(hash(*columns(*))))"
"""A row's hash is hashed again: DuckDB combines the last column by XOR, so two rows could otherwise
swap their last values unnoticed.
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


def fingerprints_by_day(source: str, time_column: str, condition: str) -> str:
    """Return the query of each UTC day with number and hash of its rows."""
    return f"""
        select cast({time_column} as date) as day, {NUMBER_AND_HASH}
        from {source} where {condition} group by 1
    """  # noqa: S608 (names of facts.py)
