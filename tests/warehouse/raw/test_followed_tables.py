"""Random changes to any followed table are copied.

Tables, columns and keys come from the schema, so new ones are tested too.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from random import Random
from typing import Any, LiteralString, cast

import duckdb
import psycopg
import pytest
from psycopg import sql
from psycopg.types.json import Jsonb
from sqlalchemy import Column

from tests.doses import sample
from tests.factories.random_values import NO_CHECKS, value_of
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.backup.dump import restore_dump, set_tables_aside, snapshot
from warehouse.catalogue import operational
from warehouse.catalogue.copied import COPIED_IN
from warehouse.connection import create_tables
from warehouse.operational.base import Base, Followed
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw.operational_copy import copy_operational

KEYS = {table.name: table.key for table in operational.FOLLOWED}
FOLLOWED = sorted(KEYS)
PLANNED = {("organizations", "freshness")}
"""Tables that are not copied and that only the fetch schedule follows."""
Connection = psycopg.Connection[Any]


@pytest.fixture
def free(databases: FreshDatabase, tmp_path: Path) -> Iterator[OperationalStore]:
    """A database without constraints on values."""
    with databases() as url, operational_store(settings_for(tmp_path, url)) as store:
        with psycopg.connect(store.dsn) as connection:
            connection.execute(NO_CHECKS)
        yield store


SOME = "select {key} from {table} order by random() limit 1 for update skip locked"
"""The key of a row that no other transaction has locked."""


class Writer:
    """Writes to one table in one transaction; rows that violate an index are skipped."""

    def __init__(self, connection: Connection, table: str, random: Random) -> None:
        self.connection, self.random = connection, random
        of = Base.metadata.tables[table]
        self.columns = [c for c in of.c if not c.computed and c.name != "changed_by"]
        self.values = [c for c in self.columns if c.name not in KEYS[table]]
        self.names = {"table": _names([table]), "key": _names(KEYS[table])}

    def create(self) -> None:
        marks = ", ".join("%s" for _ in self.columns)
        values = [value_of(self.random, column) for column in self.columns]
        self._do("insert into {table} ({all}) values (" + marks + ")", values)

    def change(self) -> None:
        """Update one column of a row."""
        column = self.random.choice(self.values)
        changed = "update {table} set {column} = %s where ({key}) in (" + SOME + ")"
        self._do(changed, [value_of(self.random, column)], column=_names([column.name]))

    def delete(self) -> None:
        self._do("delete from {table} where ({key}) in (" + SOME + ")")

    def bring_back(self) -> None:
        """Delete a row and insert it again unchanged."""
        self.connection.execute("drop table if exists kept")
        some = (
            "create temporary table kept as select * from {table} where ({key}) in (" + SOME + ")"
        )
        self._do(some)
        self._do("delete from {table} where ({key}) in (select {key} from kept)")
        self._do("insert into {table} ({all}) select {all} from kept")

    def empty(self) -> None:
        self._do("truncate {table}")

    def is_told_of(self, column: Column[Any]) -> bool:
        """Change a column of the only row; return whether the row has recorded the transaction."""
        table, name = sql.Identifier(column.table.name), sql.Identifier(column.name)
        before, value = self.connection.execute(
            sql.SQL("select changed_by, {} from {}").format(name, table)
        ).fetchone() or (None, None)
        other = value
        while other == value or (isinstance(other, Jsonb) and other.obj == value):
            other = value_of(self.random, column)
        write = sql.SQL("update {} set {} = %s returning changed_by").format(table, name)
        return self.connection.execute(write, [other]).fetchone() != (before,)

    def _do(self, statement: str, values: Sequence[Any] = (), **names: sql.Composed) -> None:
        everything = _names([column.name for column in self.columns])
        composed = sql.SQL(cast("LiteralString", statement)).format(
            **self.names, **names, all=everything
        )
        with suppress(psycopg.IntegrityError), self.connection.transaction():
            self.connection.execute(composed, values)


def _names(names: Sequence[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))


def contents(warehouse: duckdb.DuckDBPyConnection) -> dict[str, list[Any]]:
    """Return the rows of all followed tables without their copy number."""
    unlike = f"select columns(c -> c <> '{COPIED_IN.name}')"
    return {
        table: warehouse.sql(f"{unlike} from operational.{table} order by all").fetchall()
        for table in FOLLOWED
    }


def whole(store: OperationalStore) -> dict[str, list[Any]]:
    """Return the rows of a full copy."""
    with duckdb.connect() as empty:
        empty.execute("set TimeZone = 'UTC'")
        create_tables(empty)
        copy_operational(store, empty)
        return contents(empty)


def followed(store: OperationalStore, warehouse: duckdb.DuckDBPyConnection) -> dict[str, list[Any]]:
    copy_operational(store, warehouse)
    return contents(warehouse)


def test_every_copied_table_is_followed() -> None:
    followed = [mapper for mapper in Base.registry.mappers if issubclass(mapper.class_, Followed)]
    assert sorted(str(mapper.local_table) for mapper in followed) == FOLLOWED


@pytest.mark.slow
def test_each_kind_of_write_to_each_table_is_copied(
    free: OperationalStore, warehouse: duckdb.DuckDBPyConnection
) -> None:
    random = Random(1)
    steps: list[tuple[Callable[[Writer], None], ...]] = [
        (Writer.create,) * 4,
        (Writer.change,),
        (Writer.delete,),
        (Writer.bring_back,),
        (Writer.create, Writer.delete, Writer.delete),
        (Writer.empty, Writer.create),
    ]
    for step in steps:
        with psycopg.connect(free.dsn) as connection:
            for table in FOLLOWED:
                writer = Writer(connection, table, random)
                for write in step:
                    write(writer)
        expected = whole(free)
        assert followed(free, warehouse) == expected
        assert all(expected.values())


@pytest.mark.slow
@pytest.mark.parametrize("seed", sample(range(2), small=1))
def test_copies_equal_a_full_copy_after_any_changes(
    free: OperationalStore, warehouse: duckdb.DuckDBPyConnection, seed: int
) -> None:
    """Transactions stay open during copies and end in any order, some with a rollback."""
    random = Random(seed)
    under_way: list[Iterator[None]] = []
    for _ in range(40):
        if len(under_way) < 4 and random.random() < 0.5:
            under_way.append(transaction(free, random))
            next(under_way[-1])
        elif under_way and random.random() < 0.8:
            next(under_way.pop(random.randrange(len(under_way))), None)
        else:
            assert followed(free, warehouse) == whole(free)
    for writing in under_way:
        next(writing, None)
    assert followed(free, warehouse) == whole(free)


@pytest.mark.slow
def test_after_a_restore_on_the_same_server_nothing_later_stays(
    free: OperationalStore, warehouse: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    """For example, a shard's warehouse on another machine, which a restore does not move aside."""
    with psycopg.connect(free.dsn) as connection:
        writers = [Writer(connection, table, Random(1)) for table in FOLLOWED]
        for writer in writers:
            writer.create()
        connection.commit()
        expected = followed(free, warehouse)
        with snapshot(free) as before:
            before.dump(tmp_path / "postgres.dump")
        for writer in writers:
            writer.create()
            writer.change()
        connection.commit()
        assert followed(free, warehouse) != expected
    set_tables_aside(free, datetime.now(UTC))
    restore_dump(free, tmp_path / "postgres.dump")
    free.engine.dispose()
    assert followed(free, warehouse) == expected


def transaction(store: OperationalStore, random: Random) -> Iterator[None]:
    """Write to some tables, pause, then commit or roll back."""
    with psycopg.connect(store.dsn) as connection:
        for table in random.sample(FOLLOWED, 6):
            writer = Writer(connection, table, random)
            for _ in range(random.randint(1, 4)):
                random.choice(
                    (writer.create, writer.create, writer.change, writer.delete, writer.bring_back)
                )()
        yield
        if random.random() < 0.3:
            connection.rollback()


@pytest.mark.slow
def test_only_copied_columns_record_their_transaction(
    free: OperationalStore, warehouse: duckdb.DuckDBPyConnection
) -> None:
    copy_operational(free, warehouse)
    random = Random(1)
    with psycopg.connect(free.dsn, autocommit=True) as connection:
        for table in FOLLOWED:
            writer = Writer(connection, table, random)
            writer.create()
            copied = set(warehouse.table(f"operational.{table}").columns)
            for column in writer.values:
                follows = column.name in copied or (table, column.name) in PLANNED
                assert writer.is_told_of(column) == follows, (table, column.name)


def test_no_key_ever_changes(free: OperationalStore) -> None:
    for table in FOLLOWED:
        with psycopg.connect(free.dsn) as connection:
            Writer(connection, table, Random(1)).create()
            change = sql.SQL("update {} set {} = gen_random_uuid()").format(
                sql.Identifier(table), sql.Identifier(KEYS[table][-1])
            )
            with pytest.raises(psycopg.IntegrityError, match="never changes"):
                connection.execute(change)
