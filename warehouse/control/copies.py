"""What the copies of operational.* tell a run: which rows came since the last published one.

Rows of the tables with the column `copied_in` name the copy that brought them; models that continue
compute those that newer copies brought. Rows that went name none, so that a run after such a copy
computes everything; nothing of those tables is ever deleted by the service.
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
    """An earlier version copied operational.*: columns that models read are not there."""


class Copies(NamedTuple):
    """How many copies there were, and the last that took rows out or began anew; 0 is none."""

    copies: int
    left_in: int

    def go_on_from(self, copy: int) -> bool:
        """Tell whether rows name all that came after that copy, and nothing went."""
        return self.left_in <= copy <= self.copies


def copies_so_far(connection: DuckDBPyConnection) -> Copies:
    """Return what the copies tell."""
    [(copies, left_in)] = connection.execute(SO_FAR, [NUMBERED]).fetchall()
    return Copies(copies, left_in)


def require_columns(connection: DuckDBPyConnection) -> None:
    """Require of the copies that are there the columns of this version. Raises OlderCopyError."""
    there = dict(connection.execute(COLUMNS_THERE).fetchall())
    for table in OPERATIONAL:
        lacking = {*table.column_names} - {*there.get(table.relation, table.column_names)}
        if lacking:
            raise OlderCopyError(
                f"{table.relation} was copied by an earlier version, without"
                f" {', '.join(sorted(lacking))}: `tracker run --no-scrape` copies it anew"
            )
