"""Idempotency-Key between processes: one is the first, and a killed one leaves nothing."""

from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.processes import Worker, workers

WAITING = "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"


@pytest.fixture(scope="module")
def pair(api: Api) -> Iterator[list[Worker]]:
    with workers(api, 2) as started:
        yield started


@pytest.fixture
def owner(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as tenant:
        yield tenant


def create(client: Client, tenant: Tenant) -> httpx.Response:
    path = f"/projects/{tenant.project_id}/campaigns"
    return client.post(path, json={"name": "Spring"}, headers={"Idempotency-Key": "one"})


@contextmanager
def held_up(tenant: Tenant) -> Iterator[psycopg.Connection]:
    """Nobody can add anything to the tenant's project during the block."""
    with psycopg.connect(tenant.api.store.dsn) as connection:
        connection.execute("select 1 from projects where id = %s for update", [tenant.project_id])
        yield connection


def wait_until_held(connection: psycopg.Connection, request: "Future[httpx.Response]") -> None:
    """Wait until a request is inside its transaction."""
    while connection.execute(WAITING).fetchone() == (0,):
        assert not request.done()


def campaigns_of(tenant: Tenant) -> int:
    return len(tenant.client.data("GET", "/campaigns"))


def test_the_other_process_says_that_the_first_is_under_way(
    pair: list[Worker], owner: Tenant
) -> None:
    first, second = (worker.client(owner.made.api_key) for worker in pair)
    with first, second, ThreadPoolExecutor(1) as pool:
        with held_up(owner) as connection:
            request = pool.submit(create, first, owner)
            wait_until_held(connection, request)
            refused = create(second, owner)
        made = request.result()
        repeated = create(second, owner)
    assert refused.json()["meta"]["code"] == "idempotency_in_progress"
    assert (made.status_code, repeated.json()) == (201, made.json())
    assert repeated.headers["Idempotency-Replay"] == "true"
    assert campaigns_of(owner) == 1


def test_a_process_killed_in_the_middle_leaves_the_key_to_the_next(
    api: Api, pair: list[Worker], owner: Tenant
) -> None:
    with (
        workers(api, 1) as [doomed],
        doomed.client(owner.made.api_key) as first,
        pair[1].client(owner.made.api_key) as second,
        ThreadPoolExecutor(1) as pool,
    ):
        with held_up(owner) as connection:
            request = pool.submit(create, first, owner)
            wait_until_held(connection, request)
            doomed.process.kill()
            with pytest.raises(httpx.TransportError):
                request.result()
        answers = [create(second, owner)]
        while answers[-1].status_code == 409:  # until PostgreSQL has noticed the death
            answers.append(create(second, owner))
    assert answers[-1].status_code == 201
    assert "Idempotency-Replay" not in answers[-1].headers
    assert campaigns_of(owner) == 1


def test_a_crowd_at_both_doors_does_it_once(pair: list[Worker], owner: Tenant) -> None:
    clients = [worker.client(owner.made.api_key) for worker in pair]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: create(clients[n % 2], owner), range(40)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.text for answer in answers if answer.status_code == 201}) == 1
    assert campaigns_of(owner) == 1
    for client in clients:
        client.close()
