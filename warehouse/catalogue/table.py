"""What is said of a table and its columns, and the DDL that says the same to DuckDB."""

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
    """How a change in a table shows."""

    ADDED = "rows are added, and never change or go"
    FOLLOWED = "rows that PostgreSQL's transactions wrote since the last copy are replaced"
    MADE_ANEW = "all rows are made anew at each copy"
    REPLACED = "all rows are replaced at once"
    COPIED = "a copy of a model's table, replaced once its run is published"


@dataclass(frozen=True, slots=True)
class Column:
    """A column by name and DuckDB's type; `means` is empty where the name says it.

    `default` is what rows have that do not say it. One that `came_later` than its table may be
    missing in a warehouse or a batch of before: null there, or the default.
    """

    name: str
    type: Type
    means: str = ""
    nullable: bool = True
    default: str | None = None
    came_later: bool = False

    @property
    def ddl(self) -> str:
        """The column as DDL names it."""
        default = "" if self.default is None else f" default {self.default}"
        return f"{self.name} {self.type}{'' if self.nullable else ' not null'}{default}"


def never_null(name: str, kind: Type, means: str = "") -> Column:
    """Return a column that has a value in every row."""
    return Column(name, kind, means, nullable=False)


@dataclass(frozen=True, slots=True)
class OwnedBy:
    """Whose a row is, as SQL over the row: by which one shard's rows are told from another's.

    Without a `project` it is the whole organization's, and every shard that builds some of it has
    the row.
    """

    organization: str
    project: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: what a row is, by which columns a row is known, and how a change shows.

    The `key` is empty where rows are observations, of which two may be the same. `in_time_order`
    names the instant by which a batch's rows lie, which keeps scans of a span of time short.
    `owned_by` says whose rows are, where they are somebody's.
    """

    schema: Schema
    name: str
    means: str
    key: tuple[str, ...] = ()
    change: Change
    columns: tuple[Column, ...]
    in_time_order: str | None = None
    owned_by: OwnedBy | None = None

    @property
    def relation(self) -> str:
        """The table's name with its schema's."""
        return f"{self.schema}.{self.name}"

    @property
    def column_names(self) -> tuple[str, ...]:
        """The names of the columns, in their order."""
        return tuple(column.name for column in self.columns)

    @property
    def required(self) -> tuple[str, ...]:
        """The names of the columns that are never null."""
        return tuple(column.name for column in self.columns if not column.nullable)

    @property
    def emptied(self) -> str:
        """The statement that makes the table anew, without rows."""
        return f"create or replace table {self._defined}"

    @property
    def there(self) -> tuple[str, ...]:
        """The statements that make the table where it is missing, or columns that came later."""
        added = (
            f"alter table {self.relation} add column if not exists"
            f" {column.name} {column.type} default {column.default or 'null'}"
            for column in self.columns
            if column.came_later
        )
        return f"create table if not exists {self._defined}", *added

    @property
    def _defined(self) -> str:
        columns = ",\n".join(f"    {column.ddl}" for column in self.columns)
        return f"{self.relation} (\n{columns}\n)"
