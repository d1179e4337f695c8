"""Incremental copies of operational tables always equal a full copy."""

from datetime import UTC, datetime
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.factories.tracking import add_account, add_organization
from tests.fixtures.operational import FreshDatabase, settings_for
from warehouse.catalogue.copied import copy_of
from warehouse.catalogue.table import Table
from warehouse.connection import create_tables
from warehouse.operational.models import (
    Account,
    Conversion,
    ConversionEvent,
)
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore, operational_store
from warehouse.raw import followed_copy, operational_copy
from warehouse.raw.operational_copy import copy_operational

Warehouse = duckdb.DuckDBPyConnection
AT = datetime(2026, 5, 1, tzinfo=UTC)
ROWS = "from operational.conversions order by id"


class Shop:
    """Writes conversions of one project."""

    def __init__(self, store: OperationalStore, organization: NewOrganization) -> None:
        self.store = store
        account_id = add_account(store, organization, "demo")
        with store.write_session() as session:
            account = session.get_one(Account, account_id)
            self.of: dict[str, Any] = {
                "organization_id": organization.organization_id,
                "project_id": organization.project_id,
            }
            self.target = {
                "target_type": "account",
                "creator_id": account.creator_id,
                "account_id": account_id,
            }
            events = [ConversionEvent(**self.of, key=key, name=key) for key in "abc"]
            session.add_all(events)
            session.flush()
            self.events = [event.id for event in events]

    def record(self, session: WriteSession, event: int = 0) -> UUID:
        conversion = Conversion(
            **self.of,
            **self.target,
            conversion_event_id=self.events[event],
            value_cents=250,
            quantity=3,
            details={},
            occurred_at=AT,
            created_at=AT,
        )
        session.add(conversion)
        session.flush()
        return conversion.id


@pytest.fixture
def shop(store: OperationalStore, organization: NewOrganization) -> Shop:
    return Shop(store, organization)


@pytest.fixture
def arrived(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The first transaction of each copy of conversions; 0 is a full copy."""
    since: list[int] = []
    arrive = followed_copy.arrive

    def note(cursor: Any, connection: Warehouse, table: Table, *rest: int, **named: int) -> None:
        if table.name == "conversions":
            since.append(named.get("since", 0))
        arrive(cursor, connection, table, *rest, **named)

    monkeypatch.setattr(followed_copy, "arrive", note)
    return since


def rows(store: OperationalStore, warehouse: Warehouse) -> list[Any]:
    copy_operational(store, warehouse)
    return warehouse.sql(ROWS).fetchall()


def whole(store: OperationalStore) -> list[Any]:
    """Return the rows of a full copy."""
    with duckdb.connect() as empty:
        empty.execute("set TimeZone = 'UTC'")
        create_tables(empty)
        return rows(store, empty)


def test_rows_arrive_typed(shop: Shop, warehouse: Warehouse) -> None:
    with shop.store.write_session() as session:
        conversion_id = shop.record(session)
    copy_operational(shop.store, warehouse)
    rows = warehouse.sql(
        "select id, total_value_cents, quantity, voided_at, occurred_at"
        " from operational.conversions"
    ).fetchall()
    assert rows == [(conversion_id, 750, 3, None, AT)]


@pytest.mark.slow
def test_only_new_rows_are_copied(shop: Shop, warehouse: Warehouse, arrived: list[int]) -> None:
    for _ in range(3):
        with shop.store.write_session() as session:
            shop.record(session)
        assert rows(shop.store, warehouse) == whole(shop.store)
    ours = arrived[::2]
    assert ours[0] == 0
    assert 0 < ours[1] < ours[2]


@pytest.mark.slow
def test_another_database_is_copied_in_full(
    shop: Shop, warehouse: Warehouse, databases: FreshDatabase, tmp_path: Any, arrived: list[int]
) -> None:
    with shop.store.write_session() as session:
        shop.record(session)
    copy_operational(shop.store, warehouse)
    with (
        databases() as url,
        operational_store(settings_for(tmp_path, url)) as other,
    ):
        made = add_organization(other, "Else")
        theirs = Shop(other, made)
        with other.write_session() as session:
            conversion_id = theirs.record(session)
        assert [row[0] for row in rows(other, warehouse)] == [conversion_id]
    assert arrived == [0, 0]


@pytest.mark.slow
def test_other_columns_are_copied_in_full(
    shop: Shop,
    warehouse: Warehouse,
    monkeypatch: pytest.MonkeyPatch,
    arrived: list[int],
) -> None:
    with shop.store.write_session() as session:
        shop.record(session)
    copy_operational(shop.store, warehouse)
    fewer = copy_of(Conversion, "Not all of it.", "id conversion_event_id")
    followed = [fewer if table.name == fewer.name else table for table in operational_copy.FOLLOWED]
    monkeypatch.setattr(operational_copy, "FOLLOWED", followed)
    copy_operational(shop.store, warehouse)
    assert arrived == [0, 0]
    assert len(warehouse.table("operational.conversions").columns) == 2


@pytest.mark.slow
def test_a_copy_that_fails_leaves_the_last_one(
    shop: Shop, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    with shop.store.write_session() as session:
        first = shop.record(session)
    copy_operational(shop.store, warehouse)
    with shop.store.write_session() as session:
        second = shop.record(session)

    def fail(*_: object) -> None:
        raise RuntimeError

    with monkeypatch.context() as broken:
        broken.setattr(followed_copy, "_remember", fail)
        with pytest.raises(RuntimeError):
            copy_operational(shop.store, warehouse)
    assert [row[0] for row in warehouse.sql(ROWS).fetchall()] == [first]
    assert [row[0] for row in rows(shop.store, warehouse)] == [first, second]
