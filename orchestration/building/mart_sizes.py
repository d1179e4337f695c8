"""How large the marts are in the warehouse, told where that takes little."""

from collections.abc import Mapping
from dataclasses import dataclass

from duckdb import DuckDBPyConnection

BLOCKS_LOOKED_AT = 2_000_000
"""Rows up to which a mart's blocks are counted at every run: DuckDB looks into each of them, which
took half a second for 20 million rows. A larger mart's are where a run made it anew."""

TABLES = """
    select table_name
    from duckdb_tables()
    where database_name = current_database() and schema_name = 'marts'
"""
ROWS = "select '{mart}', count(*) from marts.{mart}"
BYTES = """
    select '{mart}', (
        select count(distinct block_id) filter (where block_id >= 0)
        from pragma_storage_info('marts.{mart}')
    ) * (select block_size from pragma_database_size())
"""


@dataclass(frozen=True, slots=True)
class Size:
    """Rows of a mart, and bytes of the blocks that hold them; None where they were not counted."""

    rows: int
    bytes: int | None


def mart_sizes(
    connection: DuckDBPyConnection, written: Mapping[str, int | None]
) -> dict[str, Size]:
    """Return the sizes of all marts that are tables; `written` are the rows of a run, by mart."""
    marts = [name for (name,) in connection.execute(TABLES).fetchall()]
    rows = _of_each(connection, ROWS, marts)
    counted = [m for m in marts if rows[m] <= max(BLOCKS_LOOKED_AT, written.get(m) or 0)]
    sizes = _of_each(connection, BYTES, counted)
    return {mart: Size(rows[mart], sizes.get(mart)) for mart in marts}


def _of_each(connection: DuckDBPyConnection, query: str, marts: list[str]) -> dict[str, int]:
    """Ask the query of all marts at once."""
    if not marts:
        return {}
    return dict(
        connection.execute(" union all ".join(query.format(mart=m) for m in marts)).fetchall()
    )
