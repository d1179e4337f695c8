"""How the copies of operational.* let a build find the rows since the last publication.

Rows of tables with the column `copied_in` name the copy that wrote them; incremental models
compute the rows of newer copies. Deleted rows name no copy, so after a copy with deletions the
build computes everything. The service deletes nothing from those tables.
"""

from typing import NamedTuple

from duckdb import DuckDBPyConnection

from warehouse.catalogue.copied import COPIED_IN
from warehouse.catalogue.operational import FOLLOWED, OPERATIONAL

SO_FAR = """
    select
        coalesce(max(copies), 0) as copies,
        coalesce(max(left_in), 0) as left_in
    from raw.copied_tables
    where table_name in ?
"""
COLUMNS_THERE = """
    select
        schema_name || '.' || table_name as relation,
        list(column_name) as columns
    from duckdb_columns()
    where database_name = current_database() and schema_name = 'operational'
    group by relation
"""
NUMBERED = [table.name for table in FOLLOWED if COPIED_IN in table.columns]


class OlderCopyError(RuntimeError):
    """An earlier version copied operational.*, without columns that models read."""


class Copies(NamedTuple):
    """Number of copies, and of the last one that removed rows or started over; 0 is none."""

    copies: int
    left_in: int

    def go_on_from(self, copy: int) -> bool:
        """Return whether rows name all changes since that copy, and none were removed."""
        return self.left_in <= copy <= self.copies


def copies_so_far(connection: DuckDBPyConnection) -> Copies:
    [(copies, left_in)] = connection.execute(SO_FAR, [NUMBERED]).fetchall()
    return Copies(copies, left_in)


def require_columns(connection: DuckDBPyConnection) -> None:
    """Raise OlderCopyError unless existing copies have the columns of this version."""
    there = dict(connection.execute(COLUMNS_THERE).fetchall())
    for table in OPERATIONAL:
        lacking = {*table.column_names} - {*there.get(table.relation, table.column_names)}
        if lacking:
            raise OlderCopyError(
                f"{table.relation} was copied by an earlier version, without"
                f" {', '.join(sorted(lacking))}: copy it again with `tracker run --no-scrape`"
            )
