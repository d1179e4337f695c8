"""The statements that compute earnings: a publication has those of its own models."""

from collections.abc import Sequence

import duckdb

WRITE = """
    create table building.files.earning as
    select
        generate_subscripts($statements::varchar[], 1) as place,
        unnest($statements::varchar[]) as statement
"""
READ = "select statement from files.earning order by place"


def write_earning(connection: duckdb.DuckDBPyConnection, statements: Sequence[str]) -> None:
    """Write the statements into the publication attached as `building`."""
    connection.execute(WRITE, {"statements": list(statements)})


def read_earning(publication: duckdb.DuckDBPyConnection) -> Sequence[str]:
    """Return a publication's statements in their order; empty if it was made without any."""
    try:
        rows = publication.execute(READ).fetchall()
    except duckdb.CatalogException:  # an earlier version made it
        return []
    return [statement for (statement,) in rows]
