"""A shard's schema in the lake: a table for each mart, and a table of its partitions.

Partitions are marts, and months of big facts. A partition's fingerprint shows whether the lake's
copy differs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlalchemy import select

from warehouse.catalogue.models import MARTS
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.publication.facts import BIG_FACTS, BigFact, Month, next_month
from warehouse.publication.layout import month_file
from warehouse.publication.sql import digest_of, in_parquet, quoted_name
from warehouse.settings import MAIN_SHARD

PUBLICATION = "publication"
"""Its name while attached."""
MONTHS = f"""
    select month, in_file from {PUBLICATION}.files.months where fact = $fact order by month
"""  # noqa: S608 (a name of this module)
COLUMNS = """
    select
        table_name,
        column_name,
        data_type
    from duckdb_columns()
    where database_name = $database and schema_name = $schema
    order by table_name, column_index
"""
Columns = Mapping[str, tuple[tuple[str, str], ...]]
"""(name, type) of each relation's columns, in order."""


@dataclass(frozen=True)
class Partition:
    """Rows of a mart: all of a small one, or a month of a big one."""

    mart: str
    condition: str
    """SQL condition that holds for these rows and no other partition's."""
    fingerprint: str
    """Changes with the rows."""
    source: str
    """SQL source of exactly these rows."""


def columns_of(connection: duckdb.DuckDBPyConnection, database: str, schema: str) -> Columns:
    columns: dict[str, tuple[tuple[str, str], ...]] = {}
    named = {"database": database, "schema": schema}
    for relation, name, kind in connection.execute(COLUMNS, named).fetchall():
        columns[relation] = (*columns.get(relation, ()), (name, kind))
    return columns


def partitions_of(
    connection: duckdb.DuckDBPyConnection, folder: Path, marts: Columns
) -> Iterator[Partition]:
    """Yield the partitions of the publication in `folder`, whose marts have these columns."""
    big = {fact.name: fact for fact in BIG_FACTS}
    for mart in marts:
        if mart in big:
            for month in _months(connection, big[mart]):
                yield _of_month(connection, month, folder)
        else:
            source = f"{PUBLICATION}.{MARTS}.{quoted_name(mart)}"
            yield Partition(mart, "true", digest_of(connection, source), source)


def _months(connection: duckdb.DuckDBPyConnection, fact: BigFact) -> Iterator[Month]:
    """Yield a fact's months. The last one has all later rows too, as in the publication."""
    months = connection.execute(MONTHS, {"fact": fact.name}).fetchall()
    for (start, in_file), later in zip(months, [*months[1:], None], strict=False):
        yield Month(fact, start, next_month(start) if later else None, not in_file)


def _of_month(connection: duckdb.DuckDBPyConnection, month: Month, folder: Path) -> Partition:
    """Return the partition of a month. For a month in a file, the file identifies it.

    Publications link the same file while its rows are the same, so the rows need not be read.
    """
    mart, condition = month.fact.name, month.condition
    if month.is_native:
        source = f"(from {PUBLICATION}.{MARTS}.{mart} where {condition})"
        fingerprint = digest_of(connection, f"{PUBLICATION}.{MARTS}.{mart}", condition)
    else:
        file = month_file(folder, mart, month.start)
        source, status = in_parquet(file), file.stat()
        fingerprint = f"{status.st_ino} {status.st_size} {status.st_mtime_ns}"
    return Partition(mart, condition, fingerprint, source)


HAS = "lake_parts"
"""The table of the partitions written, by fingerprint."""

SCHEMAS = """
    select schema_name
    from duckdb_schemas()
    where database_name = 'lake' and starts_with(schema_name, 'shard_')
    order by schema_name
"""


def schema_of(shard: str | None) -> str:
    """Return the name of a shard's schema; None is `main`."""
    return f"shard_{shard.replace('-', '_')}" if shard and shard != MAIN_SHARD else MAIN_SHARD


@dataclass(frozen=True)
class ShardTables:
    """The tables of one shard. Changes happen in the caller's transaction of `connection`."""

    connection: duckdb.DuckDBPyConnection
    schema: str

    def shaped_otherwise(self, marts: Columns) -> list[str]:
        """Return marts that are missing or have other columns, and tables of no mart."""
        there = columns_of(self.connection, "lake", self.schema)
        names = (marts.keys() | there.keys()) - {HAS}
        return sorted(mart for mart in names if marts.get(mart) != there.get(mart))

    def reshape(self, marts: Columns, others: list[str]) -> None:
        """Recreate these tables empty, and drop those of no mart."""
        self._execute(f"create schema if not exists lake.{self.schema}")
        columns = "mart varchar, condition varchar, mark varchar"
        self._execute(f"create table if not exists {self._named(HAS)} ({columns})")
        for mart in others:
            self._execute(f"drop table if exists {self._named(mart)}")
            if mart in marts:
                like = f"from {PUBLICATION}.{MARTS}.{quoted_name(mart)} limit 0"
                self._execute(f"create table {self._named(mart)} as {like}")
        self._execute(f"delete from {self._named(HAS)} where list_contains($1, mart)", others)  # noqa: S608

    def drop(self) -> list[str]:
        """Drop the schema of a removed shard. Returns its marts."""
        tables = list(columns_of(self.connection, "lake", self.schema))
        for table in tables:
            self._execute(f"drop table {self._named(table)}")
        self._execute(f"drop schema lake.{self.schema}")
        return [table for table in tables if table != HAS]

    def write(self, partitions: Iterable[Partition]) -> int:
        """Replace partitions that differ. Returns the number written.

        Old rows are deleted by their partition's condition. No other partition's rows meet it, so
        that whole files are dropped.
        """
        there = set(self._execute(f"from {self._named(HAS)}").fetchall())
        now = {
            (partition.mart, partition.condition, partition.fingerprint): partition.source
            for partition in partitions
        }
        self._delete(sorted(there - now.keys()))
        come = sorted(now.keys() - there)
        for partition in come:
            self._execute(f"insert into {self._named(partition[0])} from {now[partition]}")
        if there != now.keys():
            self._say(sorted(now))
        return len(come)

    def _delete(self, partitions: Sequence[tuple[str, str, str]]) -> None:
        conditions = defaultdict(list)
        for mart, condition, _ in partitions:
            conditions[mart].append(f"({condition})")
        for mart, any_of in conditions.items():
            self._execute(f"delete from {self._named(mart)} where {' or '.join(any_of)}")  # noqa: S608

    def _say(self, partitions: Sequence[tuple[str, str, str]]) -> None:
        """Record the written partitions in one statement, because each statement creates a file."""
        self._execute(f"delete from {self._named(HAS)}")  # noqa: S608
        columns = [list(column) for column in zip(*partitions, strict=True)]
        listed = "select unnest($1), unnest($2), unnest($3)"
        self._execute(f"insert into {self._named(HAS)} {listed}", *columns)

    def _named(self, table: str) -> str:
        return f"lake.{self.schema}.{quoted_name(table)}"

    def _execute(self, statement: str, *values: list[str]) -> duckdb.DuckDBPyConnection:
        return self.connection.execute(statement, values)


def removed_shards(
    store: OperationalStore, connection: duckdb.DuckDBPyConnection
) -> list[ShardTables]:
    """Return shards that are in the lake but no longer in PostgreSQL. Others have their members."""
    with store.read_session() as session:
        known = {schema_of(name) for name in session.scalars(select(Shard.name))}
    there = [schema for (schema,) in connection.execute(SCHEMAS).fetchall()]
    return [ShardTables(connection, schema) for schema in there if schema not in known]
