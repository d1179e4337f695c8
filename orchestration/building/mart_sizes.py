"""Sizes of the marts in the warehouse, where counting is cheap."""

from collections.abc import Mapping
from dataclasses import dataclass

from duckdb import DuckDBPyConnection

from warehouse.catalogue.models import PUBLISHED

BLOCKS_READ = 2_000_000
"""Rows up to which every run counts a mart's blocks. DuckDB reads each block: half a second for 20
million rows. Larger marts are counted only after a run rewrote them."""

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
    """Rows of a mart, and bytes of its blocks; None if these were not counted."""

    rows: int
    bytes: int | None


def mart_sizes(
    connection: DuckDBPyConnection, written: Mapping[str, int | None]
) -> dict[str, Size]:
    """Return the sizes of all published tables; `written` has the rows that this run wrote."""
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
    if not marts:
        return {}
    each = (query.format(mart=mart, relation=relation) for mart, relation in marts.items())
    return dict(connection.execute(" union all ".join(each)).fetchall())
