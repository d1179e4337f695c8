"""Copy numbers of rows of operational.*, here for tables that tests replace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from duckdb import DuckDBPyConnection

from warehouse.catalogue.copied import COPIED_IN
from warehouse.catalogue.operational import FOLLOWED

Row = Mapping[str, Any]
TABLES = {table.name: table for table in FOLLOWED}


@dataclass
class NumberedCopies:
    """The number of copies, and the copy that brought each row's current content."""

    copies: int = 0
    brought: dict[str, dict[tuple[Any, ...], tuple[Row, int]]] = field(default_factory=dict)
    """Row and copy number by table and key."""

    def begin(self) -> None:
        self.copies += 1

    def numbered(
        self, connection: DuckDBPyConnection, table: str, rows: Sequence[Row]
    ) -> Sequence[Row]:
        """Return rows with their copy number if the table stores it, and remember them."""
        if table not in TABLES or COPIED_IN not in TABLES[table].columns:
            return rows
        before = self.brought.get(table, {})
        keyed = {tuple(row[name] for name in TABLES[table].key): row for row in rows}
        now = {
            key: (row, before[key][1] if key in before and before[key][0] == row else self.copies)
            for key, row in keyed.items()
        }
        self.brought[table] = {key: (dict(row), copy) for key, (row, copy) in now.items()}
        self._note(connection, table, has_left=not before.keys() <= keyed.keys())
        return [{**row, COPIED_IN.name: copy} for row, copy in now.values()]

    def _note(self, connection: DuckDBPyConnection, table: str, *, has_left: bool) -> None:
        left = connection.execute(
            "delete from raw.copied_tables where table_name = ? returning left_in", [table]
        ).fetchone()
        left_in = self.copies if has_left or left is None else left[0]
        connection.execute(
            "insert into raw.copied_tables values (?, 'made', '', 0, ?, ?)",
            [table, self.copies, left_in],
        )
