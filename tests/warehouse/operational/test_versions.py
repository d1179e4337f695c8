"""An organization's version is another one after each write to its rows, and only then."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import sql
from sqlalchemy import Table

from tests.factories.random_values import NO_CHECKS, value_of
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.catalogue.operational import FOLLOWED
from warehouse.ids import uuid7
from warehouse.operational.base import Base
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.operational.versions import EVERYBODY, UNCOUNTED, VERSION, version_of

LEFT_OUT = {
    "account_connections": "tokens that are renewed",
    "api_request_days": "counts requests",
    "audit_entries": "come with change_entries",
    "comment_collections": "when comments were fetched",
    "connect_attempts": "logins under way",
    "departures": "what the warehouse has to take out of its copies",
    "desk_sessions": "of people",
    "host_paces": "of fetches",
    "idempotency_outcomes": "answers to writes",
    "leases": "who works",
    "look_deadlines": "the fetch schedule",
    "oauth_clients": "programs",
    "oauth_grants": "programs",
    "oauth_tokens": "programs",
    "organization_versions": "the versions",
    "passkey_challenges": "of people",
    "passkeys": "of people",
    "payout_simulation_creators": "work in progress",
    "payout_simulations": "work in progress",
    "plan_reach": "the fetch schedule",
    "post_looks": "the fetch schedule",
    "post_pictures": "pictures that were fetched",
    "provider_runs": "of fetches",
    "provider_spending": "of fetches",
    "registered_batches": "of fetches",
    "scrape_jobs": "work in progress",
    "shard_assignments": "which publication somebody is in",
    "shards": "which publication somebody is in",
    "shared_publications": "which publication somebody is in",
    "shown_changes": "what the warehouse has to copy",
    "sign_in_failures": "of people",
    "unpublished_changes": "what the warehouse has to copy",
    "visits": "the fetch schedule",
    "webhook_deliveries": "messages that are sent",
    "webhook_endpoints": "messages that are sent",
    "webhook_events": "messages that are sent",
    "webhook_reach": "messages that are sent",
}
"""Tables whose rows are in no answer that has a version, and what they hold."""
TABLES = [table for name, table in sorted(Base.metadata.tables.items()) if name not in LEFT_OUT]
Connection = psycopg.Connection[Any]


def test_each_copied_column_tells_whose_shard_shows_it() -> None:
    """An unpublished change has the organizations of versions. Batches bring the two exceptions."""
    copied = {table.name: {column.name for column in table.columns} for table in FOLLOWED}
    assert not copied.keys() & LEFT_OUT.keys()
    uncounted = {
        name: copied[name] & set(UNCOUNTED[name]) for name in copied.keys() & UNCOUNTED.keys()
    }
    assert {name: columns for name, columns in uncounted.items() if columns} == {
        "accounts": {"last_discovered_at", "last_scraped_at"}
    }


@pytest.fixture(scope="module")
def free(databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A database whose tables take any values."""
    home = tmp_path_factory.mktemp("free")
    with databases() as url, operational_store(settings_for(home, url)) as store:
        with psycopg.connect(store.dsn) as connection:
            connection.execute(NO_CHECKS)
        yield store.dsn


@contextmanager
def connected(dsn: str) -> Iterator[Connection]:
    with closing(psycopg.connect(dsn)) as connection:
        connection.execute("set lock_timeout = '2s'")
        connection.commit()
        yield connection
        connection.rollback()


def version(dsn: str, organization_id: UUID) -> int:
    with connected(dsn) as connection:
        row = connection.execute(VERSION, {"organization_id": organization_id}).fetchone()
    assert row is not None
    return int(row[0])


def insert(connection: Connection, table: Table, organization_id: UUID, random: Random) -> None:
    columns = [column for column in table.c if not column.computed and column.name != "changed_by"]
    values: dict[str, Any] = {column.name: value_of(random, column) for column in columns}
    if "organization_id" in values:
        values["organization_id"] = organization_id
    if table.name == "organizations":
        values["id"] = organization_id
    names = sql.SQL(", ").join(map(sql.Identifier, values))
    marks = sql.SQL(", ").join(sql.Placeholder() for _ in values)
    statement = sql.SQL("insert into {} ({}) values ({})")
    connection.execute(
        statement.format(sql.Identifier(table.name), names, marks), [*values.values()]
    )


def update(connection: Connection, table: Table, name: str, random: Random) -> None:
    """Write another value to a column of the only row."""
    column, names = table.c[name], (sql.Identifier(name), sql.Identifier(table.name))
    row = connection.execute(sql.SQL("select {} from {}").format(*names)).fetchone()
    other = value_of(random, column)
    while row == (getattr(other, "obj", other),):
        other = value_of(random, column)
    connection.execute(sql.SQL("update {} set {} = %s").format(*reversed(names)), [other])


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_each_write_to_a_table_makes_another_version(free: str, table: Table) -> None:
    own, other, random = uuid7(), uuid7(), Random(1)
    watched = EVERYBODY if table.name == "users" else own
    versions = [version(free, watched)]
    others = version(free, other)
    uncounted = UNCOUNTED.get(table.name, ())

    def note() -> None:
        connection.commit()
        versions.append(version(free, watched))

    with connected(free) as connection:
        insert(connection, table, own, random)
        note()
        for column in table.c:
            is_key = column.primary_key or column.computed or column.name == "changed_by"
            if is_key or column.name == "organization_id":
                continue
            if column.name in uncounted or (uncounted and column.name == "updated_at"):
                continue
            update(connection, table, column.name, random)
            note()
        assert len(set(versions)) == len(versions)
        for name in uncounted:
            update(connection, table, name, random)
            connection.commit()
        assert version(free, watched) == versions[-1]
        connection.execute(sql.SQL("delete from {}").format(sql.Identifier(table.name)))
        note()
        assert (version(free, other) == others) is (table.name != "users")
        connection.execute(sql.SQL("truncate {} cascade").format(sql.Identifier(table.name)))
        note()
    assert len(set(versions)) == len(versions)


@pytest.mark.parametrize(
    "table",
    [each for each in TABLES if "organization_id" in each.c and each.name != "comment_settings"],
    ids=lambda table: table.name,
)
def test_a_row_that_goes_to_another_organization_makes_versions_of_both(
    free: str, table: Table
) -> None:
    """All but `comment_settings`, whose rows keep their keys (`refuse_another_key`)."""
    before, after, random = uuid7(), uuid7(), Random(1)
    statement = sql.SQL("update {} set organization_id = %s where organization_id = %s")
    with connected(free) as connection:
        insert(connection, table, before, random)
        connection.commit()
        versions = version(free, before), version(free, after)
        connection.execute(statement.format(sql.Identifier(table.name)), [after, before])
        connection.commit()
    assert version(free, before) != versions[0]
    assert version(free, after) != versions[1]


def test_a_row_that_gets_another_key_makes_a_version(free: str) -> None:
    own = uuid7()
    with connected(free) as connection:
        insert(connection, Base.metadata.tables["api_keys"], own, Random(2))
        connection.commit()
        before = version(free, own)
        statement = "update api_keys set id = gen_random_uuid() where organization_id = %s"
        connection.execute(statement, [own])
        connection.commit()
    assert version(free, own) != before


def test_a_statement_that_writes_no_row_takes_no_transaction_number(free: str) -> None:
    with connected(free) as connection:
        connection.execute("update api_keys set name = 'a' where false")
        connection.execute("delete from annotations where false")
        row = connection.execute("select pg_current_xact_id_if_assigned()").fetchone()
    assert row == (None,)


def test_many_rows_after_few_take_no_time_of_their_square(free: str) -> None:
    """PostgreSQL keeps the plan of a connection's first update: it looped over both for each row.

    10,000 posts took 35 s in place of 0.6 s.
    """
    table = Base.metadata.tables["api_keys"]
    names = sql.SQL(", ").join(
        sql.Identifier(column.name) for column in table.c if column.name not in {"id", "key_hash"}
    )
    copies = sql.SQL(
        "insert into api_keys (id, key_hash, {0}) select gen_random_uuid(),"
        " sha256(number::text::bytea), {0} from api_keys, generate_series(1, 8000) as number"
    )
    with connected(free) as connection:
        connection.execute("delete from api_keys")
        insert(connection, table, uuid7(), Random(3))
        connection.execute("update api_keys set name = 'first'")
        connection.execute(copies.format(names))
        connection.execute("set statement_timeout = '4s'")
        connection.execute("update api_keys set last_used_at = now()")


def write(connection: Connection, *organizations: UUID) -> None:
    for organization_id in organizations:
        connection.execute(
            "insert into tags (id, organization_id, entity_type, name, name_key, created_via,"
            " created_at, updated_at) values (gen_random_uuid(), %s, 'video', 'a',"
            " gen_random_uuid()::text, 'api', now(), now())",
            [organization_id],
        )


def test_writers_do_not_wait_and_each_makes_a_version_of_its_own(free: str) -> None:
    """They end in another order than they began, and one of them in vain."""
    organization_id, other_id = uuid7(), uuid7()
    seen = [version(free, organization_id)]
    with connected(free) as first, connected(free) as second, connected(free) as third:
        write(first, organization_id, other_id)
        write(second, other_id, organization_id)
        write(third, organization_id)
        assert version(free, organization_id) == seen[0]
        second.commit()
        seen.append(version(free, organization_id))
        third.rollback()
        assert version(free, organization_id) == seen[-1]
        first.commit()
        seen.append(version(free, organization_id))
        write(third, organization_id)
        third.commit()
        seen.append(version(free, organization_id))
    assert len(set(seen)) == len(seen)


def test_a_snapshot_keeps_its_version(free: str) -> None:
    own = uuid7()
    with connected(free) as writer, connected(free) as reader:
        write(writer, own)
        writer.commit()
        reader.execute("set transaction isolation level repeatable read")
        before = reader.execute(VERSION, {"organization_id": own}).fetchone()
        write(writer, own)
        writer.commit()
        assert reader.execute(VERSION, {"organization_id": own}).fetchone() == before
        write(reader, own)  # nothing is merged that the snapshot does not see go
        reader.commit()
        assert (version(free, own),) != before


def test_what_a_savepoint_takes_back_is_noted_again(free: str) -> None:
    own = uuid7()
    with connected(free) as connection:
        before = version(free, own)
        connection.execute("savepoint a")
        write(connection, own)
        connection.execute("rollback to savepoint a")
        write(connection, own)
        connection.commit()
    assert version(free, own) != before


def test_rows_are_merged(free: str) -> None:
    own = uuid7()
    with connected(free) as connection:
        for _ in range(20):
            write(connection, own, own)
            connection.commit()
        rows = connection.execute(
            "select count(*) from organization_versions where organization_id = %s", [own]
        ).fetchone()
    assert rows == (1,)


def test_versions_are_read_in_a_session(store: OperationalStore) -> None:
    with store.read_session() as session:
        assert version_of(session, uuid7()) == version_of(session, EVERYBODY)
