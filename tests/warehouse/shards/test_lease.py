"""The lease to build a shard: one holder at a time, until it expires by PostgreSQL's clock."""

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from typing import cast

import pytest
from psycopg.errors import LockNotAvailable
from sqlalchemy import text
from structlog.testing import capture_logs

from tests.fixtures.locks import wait_until_waiting
from tests.warehouse.operational.processes import wait_until
from warehouse.connections.renewing import SECONDS, sole_renewal
from warehouse.ids import uuid7
from warehouse.operational.clock import clock_of_database
from warehouse.operational.leases import MACHINE_SECONDS
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings
from warehouse.shards import lease as module
from warehouse.shards.lease import Lease, LeaseLostError, acquire, lease


@pytest.fixture
def sharded(settings: Settings) -> Settings:
    return settings.model_copy(update={"shard": "eu"})


def machine(settings: Settings, number: int) -> Settings:
    """Return another machine's settings, with its own data folder."""
    return settings.model_copy(update={"home": settings.home / str(number)})


def require(store: OperationalStore, held: Lease) -> None:
    with store.write_session() as session:
        held.require(session)


def change(store: OperationalStore, to: str) -> None:
    with store.write_session() as session:
        session.execute(text(f"update leases set {to}"))


def end(store: OperationalStore) -> datetime:
    with store.read_session() as session:
        return cast(datetime, session.execute(text("select expires_at from leases")).scalar_one())


def left_seconds(store: OperationalStore) -> float:
    left = "select extract(epoch from expires_at - clock_timestamp())::float8 from leases"
    with store.read_session() as session:
        return float(session.execute(text(left)).scalar_one())


def test_one_machine_without_shards_needs_no_lease(
    settings: Settings, store: OperationalStore
) -> None:
    with lease(settings, store) as held:
        require(store, held)
    with store.read_session() as session:
        assert session.execute(text("select * from leases")).all() == []


def test_concurrent_machines_hold_it_one_after_the_other(
    sharded: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "POLL_SECONDS", 0.01)
    holders: list[int] = []
    most: list[int] = []
    messages: list[str] = []

    def build(number: int) -> int | None:
        with lease(machine(sharded, number), store, messages.append) as held:
            holders.append(1)
            most.append(len(holders))
            require(store, held)
            holders.pop()
            return held.fence

    with ThreadPoolExecutor(4) as pool:
        assert sorted(map(str, pool.map(build, range(4)))) == ["1", "2", "3", "4"]
    assert set(most) == {1}
    assert all(line.startswith("waiting for shard eu, which ") for line in messages)


def test_shards_do_not_wait_for_each_other(sharded: Settings, store: OperationalStore) -> None:
    other = sharded.model_copy(update={"shard": "us"})
    with lease(sharded, store) as ours, lease(other, store) as theirs:
        require(store, ours)
        require(store, theirs)


def test_it_is_renewed_until_it_is_released(
    sharded: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEWED_EVERY_SECONDS", 0.01)
    with lease(sharded, store):
        change(store, "expires_at = expires_at - interval '50 s'")
        wait_until(lambda: left_seconds(store) > 50)
    assert left_seconds(store) <= 0


def test_an_expired_lease_is_valid_until_another_acquires_it(
    sharded: Settings, store: OperationalStore
) -> None:
    with lease(sharded, store) as held:
        change(store, "expires_at = expires_at - interval '10 minutes'")
        require(store, held)
        with lease(machine(sharded, 2), store) as taken:
            with pytest.raises(LeaseLostError, match=r"builds shard eu now, .*: nothing"):
                require(store, held)
            require(store, taken)
        with pytest.raises(LeaseLostError):  # even after the other one has released it
            require(store, held)


def test_a_killed_processs_lease_is_reacquired_at_once_by_its_machine_only(
    sharded: Settings, store: OperationalStore
) -> None:
    with lease(sharded, store):
        pass
    change(store, "expires_at = clock_timestamp() + interval '50 s'")  # as if killed
    with lease(sharded, store, pytest.fail) as held:
        assert held.fence == 2
    change(store, "expires_at = clock_timestamp() + interval '50 s'")

    def end(message: str) -> None:
        assert message.startswith("waiting for shard eu, which ")
        change(store, "expires_at = clock_timestamp()")

    with lease(machine(sharded, 2), store, end) as taken:
        assert taken.fence == 3


def test_a_lease_written_while_the_clock_was_ahead_ends_if_it_is_not_renewed(
    sharded: Settings, store: OperationalStore
) -> None:
    """Its holder may be alive: PostgreSQL failed over to a machine whose clock is behind."""
    messages: list[str] = []
    with lease(sharded, store) as held:
        change(store, "expires_at = clock_timestamp() + interval '30 days'")

        def end(message: str) -> None:
            messages.append(message)
            require(store, held)
            assert left_seconds(store) <= MACHINE_SECONDS
            change(store, "expires_at = clock_timestamp()")

        with lease(machine(sharded, 2), store, end) as taken:
            require(store, taken)
        with pytest.raises(LeaseLostError):
            require(store, held)
    assert len(messages) == 1


@pytest.mark.parametrize("is_shortened", [False, True])
def test_an_end_is_set_after_the_wait_for_the_row(
    store: OperationalStore, is_shortened: bool
) -> None:
    """An expiry computed before the wait is already past: two machines would acquire the lease."""
    fence = acquire(store, "shard eu", "one", MACHINE_SECONDS)
    if is_shortened:
        change(store, "expires_at = expires_at + interval '30 days'")
    left = None if is_shortened else fence
    with ThreadPoolExecutor(1) as pool, store.write_session() as session:
        Lease("shard eu", fence).require(session)
        pool.submit(acquire, store, "shard eu", "other", MACHINE_SECONDS, left)
        wait_until_waiting(store.dsn)
        let_go_at = clock_of_database(session)
    assert end(store) >= let_go_at + timedelta(seconds=MACHINE_SECONDS)


def test_a_renewal_lasts_from_the_end_of_the_transaction_it_waited_for(
    sharded: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEWED_EVERY_SECONDS", 0.01)
    with lease(sharded, store) as held:
        with store.write_session() as session:
            held.require(session)
            wait_until_waiting(store.dsn)
            monkeypatch.setattr(module, "RENEWED_EVERY_SECONDS", 3600)
            let_go_at = clock_of_database(session)
        wait_until(lambda: end(store) >= let_go_at + timedelta(seconds=MACHINE_SECONDS))


def test_tokens_under_renewal_are_not_renewed_by_others_after_the_clock_was_set_back(
    store: OperationalStore,
) -> None:
    """A refresh token that is used twice ends the connection."""
    connection_id = uuid7()
    with sole_renewal(store, connection_id):
        change(store, "expires_at = expires_at + interval '30 days'")
        with pytest.raises(LockNotAvailable), sole_renewal(store, connection_id):
            pass
        assert left_seconds(store) <= SECONDS


def test_a_lost_lease_raises_and_is_not_taken_back(
    sharded: Settings, store: OperationalStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "RENEWED_EVERY_SECONDS", 0.01)
    with capture_logs() as logged, lease(sharded, store):
        change(store, "fence = fence + 1, expires_at = clock_timestamp() + interval '50 s'")
        wait_until(lambda: bool(logged))
        assert [(line["event"], line["lease"]) for line in logged] == [
            ("another machine builds meanwhile", "shard eu")
        ]
    assert 0 < left_seconds(store) <= 50
