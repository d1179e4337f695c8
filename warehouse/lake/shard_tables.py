"""A shard's schema in the lake: a table of each mart, and which parts of them it has."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import duckdb

from warehouse.catalogue.models import MARTS
from warehouse.lake.parts import PUBLICATION, Columns, Part, columns_of
from warehouse.publication.sql import quoted_name

HAS = "lake_parts"
"""The table that says which parts are there, by their marks."""


@dataclass(frozen=True)
class ShardTables:
    """The tables of one shard; whoever changes them is in a transaction of `connection`."""

    connection: duckdb.DuckDBPyConnection
    schema: str

    def shaped_otherwise(self, marts: Columns) -> list[str]:
        """Return the marts that are not there, or with other columns, and tables of no mart."""
        there = columns_of(self.connection, "lake", self.schema)
        names = (marts.keys() | there.keys()) - {HAS}
        return sorted(mart for mart in names if marts.get(mart) != there.get(mart))

    def reshape(self, marts: Columns, others: list[str]) -> None:
        """Make empty tables of those that are shaped otherwise; what is no mart any more goes."""
        self._execute(f"create schema if not exists lake.{self.schema}")
        columns = "mart varchar, condition varchar, mark varchar"
        self._execute(f"create table if not exists {self._named(HAS)} ({columns})")
        for mart in others:
            self._execute(f"drop table if exists {self._named(mart)}")
            if mart in marts:
                like = f"from {PUBLICATION}.{MARTS}.{quoted_name(mart)} limit 0"
                self._execute(f"create table {self._named(mart)} as {like}")
        self._execute(f"delete from {self._named(HAS)} where list_contains($1, mart)", others)  # noqa: S608

    def write(self, parts: Iterable[Part]) -> int:
        """Put the parts in the place of those that are there otherwise; return how many came.

        What went is deleted by the condition it came under. No other part's rows fulfil that, so
        that whole files go.
        """
        there = set(self._execute(f"from {self._named(HAS)}").fetchall())
        now = {(part.mart, part.condition, part.mark): part.source for part in parts}
        self._delete(sorted(there - now.keys()))
        come = sorted(now.keys() - there)
        for part in come:
            self._execute(f"insert into {self._named(part[0])} from {now[part]}")
        if there != now.keys():
            self._say(sorted(now))
        return len(come)

    def _delete(self, parts: Sequence[tuple[str, str, str]]) -> None:
        conditions = defaultdict(list)
        for mart, condition, _ in parts:
            conditions[mart].append(f"({condition})")
        for mart, any_of in conditions.items():
            self._execute(f"delete from {self._named(mart)} where {' or '.join(any_of)}")  # noqa: S608

    def _say(self, parts: Sequence[tuple[str, str, str]]) -> None:
        """Write which parts are there, all at once: each statement makes a file."""
        self._execute(f"delete from {self._named(HAS)}")  # noqa: S608
        columns = [list(column) for column in zip(*parts, strict=True)]
        listed = "select unnest($1), unnest($2), unnest($3)"
        self._execute(f"insert into {self._named(HAS)} {listed}", *columns)

    def _named(self, table: str) -> str:
        return f"lake.{self.schema}.{quoted_name(table)}"

    def _execute(self, statement: str, *values: list[str]) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(statement, values)
