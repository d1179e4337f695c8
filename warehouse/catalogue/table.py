"""Declarations of tables and columns, and their DuckDB DDL."""

from dataclasses import dataclass
from enum import Enum
from typing import Literal

Schema = Literal["landing", "raw", "operational", "control"]
Type = Literal[
    "uuid",
    "varchar",
    "varchar[]",
    "boolean",
    "integer",
    "integer[]",
    "bigint",
    "ubigint",
    "decimal(5, 4)",
    "decimal(38, 9)",
    "date",
    "timestamptz",
    "json",
]


class Change(Enum):
    """How the rows of a table change."""

    ADDED = "append-only"
    FOLLOWED = "each copy replaces rows that PostgreSQL wrote since the last one"
    COPIED_WHOLE = "each copy replaces all rows"
    REPLACED = "all rows are replaced at once"
    COPIED = "a copy of a model's table, replaced at each publication"


@dataclass(frozen=True, slots=True)
class Column:
    """A column with its DuckDB type. `means` is empty if the name says it.

    `default` is the value of rows without one. A column that `came_later` than its table may be
    missing in older warehouses and batches; it is null there, or the default.
    """

    name: str
    type: Type
    means: str = ""
    nullable: bool = True
    default: str | None = None
    came_later: bool = False

    @property
    def ddl(self) -> str:
        default = "" if self.default is None else f" default {self.default}"
        return f"{self.name} {self.type}{'' if self.nullable else ' not null'}{default}"


def never_null(name: str, kind: Type, means: str = "") -> Column:
    return Column(name, kind, means, nullable=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: the meaning of a row, its key, and how rows change.

    The `key` is empty for observations, which may repeat. `in_time_order` names the instant by
    which a batch's rows are sorted, which keeps scans of an interval short. `owner` is the
    column with the organization of rows, if they have one. Older rows of a table that `has_history`
    may be in files (warehouse.raw.history): models read all rows from the view `everything`.
    """

    schema: Schema
    name: str
    means: str
    key: tuple[str, ...] = ()
    change: Change
    columns: tuple[Column, ...]
    in_time_order: str | None = None
    owner: str | None = None
    has_history: bool = False

    @property
    def relation(self) -> str:
        return f"{self.schema}.{self.name}"

    @property
    def everything(self) -> str:
        """The relation of all rows, those in files too."""
        return f"{self.schema}.all_{self.name}" if self.has_history else self.relation

    @property
    def row_count(self) -> str:
        """The query of the number of all rows, which reads no file."""
        files = (
            f"select coalesce(sum(rows), 0) from raw.history_files where table_name = '{self.name}'"  # noqa: S608  (ours)
        )
        return f"select count(*) + ({files if self.has_history else 0}) from {self.relation}"  # noqa: S608  (ours)

    @property
    def column_names(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the columns that are never null."""
        return tuple(column.name for column in self.columns if not column.nullable)

    @property
    def emptied(self) -> str:
        """The statement that creates or replaces the table without rows."""
        return f"create or replace table {self._defined}{self._view('create or replace view')}"

    @property
    def there(self) -> tuple[str, ...]:
        """The statements that create the table if missing, and columns that came later."""
        added = (
            f"alter table {self.relation} add column if not exists"
            f" {column.name} {column.type} default {column.default or 'null'}"
            for column in self.columns
            if column.came_later
        )
        view = self._view("create view if not exists")
        return f"create table if not exists {self._defined}{view}", *added

    def _view(self, created: str) -> str:
        """Return the statement for the view of all rows, while none is in a file."""
        rows = f"select * from {self.relation}"  # noqa: S608  (ours)
        return f";\n{created} {self.everything} as {rows}" if self.has_history else ""

    @property
    def _defined(self) -> str:
        columns = ",\n".join(f"    {column.ddl}" for column in self.columns)
        return f"{self.relation} (\n{columns}\n)"
