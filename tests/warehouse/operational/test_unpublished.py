"""A change waits for each shard by itself, and goes when the publications of all show it."""

from sqlalchemy import select

from tests.factories.tracking import add_organization
from warehouse.operational.models import Shard, ShownChange, UnpublishedChange
from warehouse.operational.store import OperationalStore
from warehouse.operational.unpublished import Waiting, forget, waiting_changes


def waits(store: OperationalStore, shard: str | None = None) -> Waiting | None:
    with store.read_session() as session:
        return waiting_changes(session, shard)


def all_changes(store: OperationalStore) -> list[int]:
    with store.read_session() as session:
        return list(session.scalars(select(UnpublishedChange.id).order_by(UnpublishedChange.id)))


def publish(store: OperationalStore, ids: list[int], shard: str | None = None) -> None:
    with store.write_session() as session:
        forget(session, ids, shard)


def have(store: OperationalStore, *names: str) -> None:
    with store.write_session() as session:
        session.add_all(Shard(name=name) for name in names)


def test_where_nothing_is_sharded_what_is_published_goes(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    assert waits(store) is None
    add_organization(store, "One")
    first = all_changes(store)
    add_organization(store, "Two")
    last = all_changes(store)[-1]
    assert waits(store) == (first[0], last)
    publish(store, first)
    assert all_changes(store) == [last]
    assert waits(store) == (last, last)


def test_of_shards_each_waits_until_its_own_publication(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    have(store, "main", "a")
    add_organization(store, "One")
    [first] = all_changes(store)
    publish(store, [first], "a")
    assert waits(store, "a") is None
    assert waits(store) == (first, first)
    add_organization(store, "Two")
    two = all_changes(store)[-1]
    assert waits(store, "a") == (two, two)
    publish(store, [first, two])
    assert waits(store) is None
    assert all_changes(store) == [two]
    publish(store, [first, two], "a")
    assert all_changes(store) == []
    with store.read_session() as session:
        assert session.scalars(select(ShownChange)).all() == []


def test_a_shard_that_is_added_has_all_to_show(store: OperationalStore) -> None:
    publish(store, all_changes(store))
    have(store, "main")
    add_organization(store, "One")
    [first] = all_changes(store)
    have(store, "a")
    publish(store, [first])
    assert waits(store, "a") == (first, first)
    publish(store, [first], "a")
    assert all_changes(store) == []
