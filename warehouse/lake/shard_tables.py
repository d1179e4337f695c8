"""A shard's schema in the lake: tables, the marts derived from them, and a table of partitions.

Tables are those of the publication that are marts, or that derived marts read. Derived marts are
views, as in the publication. Partitions are tables, and months of big facts. A partition's
fingerprint shows whether the lake's copy differs.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import duckdb
from sqlalchemy import select

from warehouse.catalogue.models import MARTS, PUBLISHED, schemas
from warehouse.operational.models import Shard
from warehouse.operational.store import OperationalStore
from warehouse.publication.facts import BIG_FACTS, BigFact, Month, next_month
from warehouse.publication.layout import month_file
from warehouse.publication.sql import digest_of, in_parquet, quoted_name
from warehouse.publication.views import NAMED
from warehouse.rules import create_rules
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
VIEWS = """
    select view_name
    from duckdb_views()
    where database_name = 'lake' and schema_name = $schema
"""
Columns = Mapping[str, tuple[tuple[str, str], ...]]
"""(name, type) of each relation's columns, in order."""


@dataclass(frozen=True)
class Partition:
    """Rows of a table: all of a small one, or a month of a big one."""

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


def tables_of(connection: duckdb.DuckDBPyConnection, derived: Mapping[str, str]) -> Columns:
    """Return the columns of marts that are tables, and of tables that `derived` marts read."""
    read = {table for definition in derived.values() for table in NAMED.findall(definition)}
    marts, others = (columns_of(connection, PUBLICATION, schema) for schema in PUBLISHED)
    tables = {**marts, **{name: others[name] for name in others.keys() & read}}
    return {name: tables[name] for name in sorted(tables.keys() - derived.keys())}


def partitions_of(
    connection: duckdb.DuckDBPyConnection, folder: Path, tables: Iterable[str]
) -> Iterator[Partition]:
    """Yield the partitions of these tables of the publication in `folder`."""
    big = {fact.name: fact for fact in BIG_FACTS}
    for table in tables:
        if table in big:
            for month in _months(connection, big[table]):
                yield _of_month(connection, month, folder)
        else:
            source = _published(table)
            yield Partition(table, "true", digest_of(connection, source), source)


def _published(table: str) -> str:
    return f"{PUBLICATION}.{schemas().get(table, MARTS)}.{quoted_name(table)}"


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
        source = f"(from {_published(mart)} where {condition})"
        fingerprint = digest_of(connection, _published(mart), condition)
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

    def is_shaped_for(self, tables: Columns, models_version: str | None) -> bool:
        """Return whether it has these tables and columns, and views of these models."""
        there = columns_of(self.connection, "lake", self.schema)
        if any(there.get(table) != tables[table] for table in tables):
            return False
        last = self._execute(f"select models_version from {self._named(PUBLICATION)}").fetchall()  # noqa: S608
        return last == [(models_version,)]

    def reshape(self, tables: Columns, derived: Mapping[str, str]) -> set[str]:
        """Recreate views, and tables with other columns, those empty. Returns changed names."""
        self._execute(f"create schema if not exists lake.{self.schema}")
        rows = self.connection.execute(VIEWS, {"schema": self.schema}).fetchall()
        views = [view for (view,) in rows]
        for view in views:
            self._execute(f"drop view {self._named(view)}")
        there = columns_of(self.connection, "lake", self.schema)
        names = (tables.keys() | there.keys()) - {HAS}
        others = sorted(name for name in names if tables.get(name) != there.get(name))
        self._recreate(tables, others)
        create_rules(self.connection)
        for definition in derived.values():
            self._execute(NAMED.sub(rf"{self.schema}.\1", definition))
        return {*views, *others, *derived}

    def _recreate(self, tables: Columns, others: list[str]) -> None:
        columns = "mart varchar, condition varchar, mark varchar"
        self._execute(f"create table if not exists {self._named(HAS)} ({columns})")
        for mart in others:
            self._execute(f"drop table if exists {self._named(mart)}")
            if mart in tables:
                like = f"from {_published(mart)} limit 0"
                self._execute(f"create table {self._named(mart)} as {like}")
        self._execute(f"delete from {self._named(HAS)} where list_contains($1, mart)", others)  # noqa: S608

    def drop(self) -> list[str]:
        """Drop the schema of a removed shard. Returns its marts."""
        relations = list(columns_of(self.connection, "lake", self.schema))
        self._execute(f"drop schema lake.{self.schema} cascade")
        return [name for name in relations if name != HAS]

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
