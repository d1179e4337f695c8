"""How large the marts are in the warehouse, told where that takes little."""

from collections.abc import Mapping
from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from warehouse.catalogue.models import PUBLISHED

BLOCKS_READ = 2_000_000
"""Rows up to which a mart's blocks are counted at every run: DuckDB looks into each of them, which
took half a second for 20 million rows. A larger mart's are where a run made it anew."""

TABLES = """
    select
        table_name,
        schema_name || '.' || table_name
    from duckdb_tables()
    where database_name = current_database() and schema_name in $published
"""
ROWS = "select '{mart}', count(*) from {relation}"
BYTES = """
    select '{mart}', (
        select count(distinct block_id) filter (where block_id >= 0)
        from pragma_storage_info('{relation}')
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
    """Return the sizes of all that is published and a table; `written` are a run's rows of each."""
    marts = dict(connection.execute(TABLES, {"published": PUBLISHED}).fetchall())
    rows = _of_each(connection, ROWS, marts)
    counted = {
        mart: relation
        for mart, relation in marts.items()
        if rows[mart] <= max(BLOCKS_READ, written.get(mart) or 0)
    }
    sizes = _of_each(connection, BYTES, counted)
    return {mart: Size(rows[mart], sizes.get(mart)) for mart in marts}


def _of_each(
    connection: DuckDBPyConnection, query: str, marts: Mapping[str, str]
) -> dict[str, int]:
    """Ask the query of all marts at once."""
    if not marts:
        return {}
    each = (query.format(mart=mart, relation=relation) for mart, relation in marts.items())
    return dict(connection.execute(" union all ".join(each)).fetchall())
