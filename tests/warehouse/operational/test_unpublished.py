"""A change waits for each shard separately and ends when all shards have published it."""

from concurrent.futures import ThreadPoolExecutor
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import select, update

from tests.factories.tracking import add_organization
from tests.fixtures.locks import wait_until_waiting
from warehouse.operational.models import (
    PublishedChange,
    ShardAssignment,
    UnpublishedChange,
)
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import AWAITED, Waiting, forget, waiting_changes
from warehouse.shards.assigning import add_shard, carry_out, planned_move
from warehouse.shards.members import digest_of, members_of
from warehouse.shards.serving import ask_for_rollups, hand_over


def waits(store: OperationalStore, shard: str | None = None) -> Waiting | None:
    with store.read_session() as session:
        return waiting_changes(session, shard)


def all_changes(store: OperationalStore) -> list[int]:
    with store.read_session() as session:
        return list(session.scalars(select(UnpublishedChange.id).order_by(UnpublishedChange.id)))


def publish(store: OperationalStore, ids: list[int], shard: str | None = None) -> None:
    with store.write_session() as session:
        forget(session, ids, shard)


def ends(changes: Waiting | None) -> tuple[int, int] | None:
    return changes and (changes.first, changes.last)


def test_without_shards_a_published_change_is_done(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    assert waits(store) is None
    add_organization(store, "One")
    first = all_changes(store)
    add_organization(store, "Two")
    last = all_changes(store)[-1]
    assert ends(waits(store)) == (first[0], last)
    publish(store, first)
    assert all_changes(store) == [last]
    assert ends(waits(store)) == (last, last)


def test_each_shard_waits_for_its_own_publication(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    with store.write_session() as session:
        add_shard(session, "a")
    publish(store, all_changes(store))
    publish(store, all_changes(store), "a")
    with store.write_session() as session:
        ask_for_rollups(session)
    [first] = all_changes(store)
    publish(store, [first], "a")
    assert waits(store, "a") is None
    assert ends(waits(store)) == (first, first)
    with store.write_session() as session:
        ask_for_rollups(session)
    two = all_changes(store)[-1]
    assert ends(waits(store, "a")) == (two, two)
    publish(store, [first, two])
    assert waits(store) is None
    assert all_changes(store) == [two]
    publish(store, [first, two], "a")
    assert all_changes(store) == []
    with store.read_session() as session:
        assert session.scalars(select(PublishedChange)).all() == []


@pytest.fixture
def divided(store: OperationalStore) -> tuple[UUID, UUID]:
    """An organization of `main` and one of shard `a`, without unpublished changes."""
    ours, theirs = add_organization(store, "Ours"), add_organization(store, "Theirs")
    with store.write_session() as session:
        add_shard(session, "a")
        row = ShardAssignment(organization_id=theirs.organization_id, shard="a", served_by="a")
        session.add(row)
    for shard in (None, "a"):
        publish(store, all_changes(store), shard)
    return ours.organization_id, theirs.organization_id


def rename(connection: psycopg.Connection, organization_id: UUID, name: str) -> None:
    connection.execute("update organizations set name = %s where id = %s", [name, organization_id])


def test_a_decision_wakes_the_shard_of_its_organization(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    ours, theirs = divided
    with psycopg.connect(store.dsn) as connection:
        rename(connection, theirs, "changed")
    assert waits(store, "a") is not None
    assert waits(store) is None
    publish(store, all_changes(store), "a")
    assert waits(store, "a") is None
    assert all_changes(store) == []
    with psycopg.connect(store.dsn) as connection:
        rename(connection, ours, "changed")
    assert waits(store) is not None
    assert waits(store, "a") is None


def test_both_shards_of_a_moving_organization_wake(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    _, theirs = divided
    with store.write_session() as session:
        session.execute(update(ShardAssignment).values(shard="main"))
    with psycopg.connect(store.dsn) as connection:
        rename(connection, theirs, "changed")
    assert waits(store) is not None
    assert waits(store, "a") is not None


def test_a_change_is_not_hidden_by_a_transaction_that_began_earlier(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    _, theirs = divided
    with psycopg.connect(store.dsn) as early:
        early.execute("select pg_current_xact_id()")
        with psycopg.connect(store.dsn) as connection:
            rename(connection, theirs, "changed")
        early.execute(
            "update organizations set readme = 'no column that is copied' where id = %s", [theirs]
        )
    assert len(all_changes(store)) == 1
    assert waits(store, "a") is not None


def test_a_decision_wakes_no_shard_that_writes_later(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    """It neither speeds up a shard that waits for something else, nor waits for it."""
    ours, theirs = divided
    with psycopg.connect(store.dsn) as connection:
        connection.execute(AWAITED.encode())
        rename(connection, ours, "at the desk")
    with psycopg.connect(store.dsn) as connection:
        connection.execute(
            "update organizations set readme = 'no column that is copied' where id = %s", [theirs]
        )
    assert waits(store, "a") is None
    with psycopg.connect(store.dsn) as connection:
        rename(connection, theirs, "by a program")
    first, last = all_changes(store)
    assert waits(store, "a") == (last, last, False, False)
    assert waits(store) == (first, first, True, False)
    publish(store, [first, last])
    assert all_changes(store) == [last]
    publish(store, [last], "a")
    assert all_changes(store) == []


def test_a_transaction_wakes_the_shards_of_all_that_it_writes(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    with psycopg.connect(store.dsn) as connection:
        for organization_id in divided:
            rename(connection, organization_id, "changed")
    assert waits(store) is not None
    assert waits(store, "a") is not None


def test_waiting_shards_are_recorded(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    for statements, is_awaited, is_listed in (
        (["update conversions set note = note", "delete from conversions"], False, True),
        (["update projects set name = name"], False, False),
        ([AWAITED, "update projects set name = name"], True, False),
    ):
        with psycopg.connect(store.dsn) as connection:
            for statement in statements:
                connection.execute(statement.encode())
        changes = waits(store)
        assert changes[2:] == (is_awaited, is_listed)


def test_shards_that_publish_at_once_clear_a_change_of_one(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    with psycopg.connect(store.dsn) as connection:
        rename(connection, divided[1], "changed")
    copied = all_changes(store)
    with ThreadPoolExecutor(1) as pool:
        with store.write_session() as session:
            forget(session, copied, "a")
            other = pool.submit(publish, store, copied)
            wait_until_waiting(store.dsn)
        other.result()
    assert all_changes(store) == []


def test_a_deleted_row_wakes_every_shard(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    """The change entry of a deleted row has its key but not its owner."""
    with psycopg.connect(store.dsn) as connection:
        connection.execute(
            "insert into tags (id, organization_id, entity_type, name, name_key, created_via,"
            " created_at, updated_at)"
            " values (gen_random_uuid(), %s, 'creator', 'new', 'new', 'api', now(), now())",
            [divided[1]],
        )
    assert waits(store) is None
    with psycopg.connect(store.dsn) as connection:
        connection.execute("delete from tags where organization_id = %s", [divided[1]])
    assert waits(store) is not None
    assert waits(store, "a") is not None


def test_a_move_by_the_version_before_wakes_every_shard(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    with psycopg.connect(store.dsn) as connection:
        connection.execute(
            "insert into unpublished_changes (table_name) values ('shard_assignments')"
        )
    assert waits(store) is not None
    assert waits(store, "a") is not None


def test_a_move_while_a_copy_begins_wakes_its_receiver_again(
    store: OperationalStore, divided: tuple[UUID, UUID]
) -> None:
    """The copy includes the change, but the members from before it."""
    with store.write_session() as session:
        members = digest_of(members_of(session, "a"))
        carry_out(session, [planned_move(session, divided[0], "a")])
    copied = all_changes(store)
    with store.write_session() as session:
        hand_over(session, "a", members)
        forget(session, copied, "a")
    assert waits(store, "a") is not None
