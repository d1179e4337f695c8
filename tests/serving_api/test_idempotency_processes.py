"""Idempotency-Key between processes: one is the first, and a killed one leaves nothing."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import httpx
import psycopg
import pytest

from tests.fixtures.api import Api, Client, Tenant, new_tenant
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.processes import Worker, workers


@pytest.fixture(scope="module")
def pair(api: Api) -> Iterator[list[Worker | Api]]:
    """A process of its own, and the tests'."""
    with workers(api, 1) as [started]:
        yield [started, api]


@pytest.fixture
def owner(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as tenant:
        yield tenant


def create(client: Client, tenant: Tenant) -> httpx.Response:
    path = f"/projects/{tenant.project_id}/campaigns"
    return client.post(path, json={"name": "Spring"}, headers={"Idempotency-Key": "one"})


@contextmanager
def held_up(tenant: Tenant) -> Iterator[None]:
    """Lock the tenant's project during the block, so that no rows are added to it."""
    with psycopg.connect(tenant.api.store.dsn) as connection:
        connection.execute("select 1 from projects where id = %s for update", [tenant.project_id])
        yield


def campaigns_of(tenant: Tenant) -> int:
    return len(tenant.client.data("GET", "/campaigns"))


def test_another_process_sees_it_under_way(pair: list[Worker | Api], owner: Tenant) -> None:
    first, second = (worker.client(owner.made.api_key) for worker in pair)
    with first, second, ThreadPoolExecutor(1) as pool:
        with held_up(owner):
            request = pool.submit(create, first, owner)
            wait_until_waiting(owner.api.store.dsn)
            refused = create(second, owner)
        made = request.result()
        repeated = create(second, owner)
    assert refused.json()["meta"]["code"] == "idempotency_in_progress"
    assert (made.status_code, repeated.json()) == (201, made.json())
    assert repeated.headers["Idempotency-Replay"] == "true"
    assert campaigns_of(owner) == 1


def test_a_process_killed_in_the_middle_leaves_the_key_to_the_next(
    api: Api, pair: list[Worker | Api], owner: Tenant
) -> None:
    with (
        workers(api, 1) as [doomed],
        doomed.client(owner.made.api_key) as first,
        pair[1].client(owner.made.api_key) as second,
        ThreadPoolExecutor(1) as pool,
    ):
        with held_up(owner):
            request = pool.submit(create, first, owner)
            wait_until_waiting(owner.api.store.dsn)
            doomed.process.kill()
            with pytest.raises(httpx.TransportError):
                request.result()
        answers = [create(second, owner)]
        while answers[-1].status_code == 409:  # until PostgreSQL notices
            answers.append(create(second, owner))
    assert answers[-1].status_code == 201
    assert "Idempotency-Replay" not in answers[-1].headers
    assert campaigns_of(owner) == 1


def test_a_crowd_at_both_doors_does_it_once(pair: list[Worker | Api], owner: Tenant) -> None:
    clients = [worker.client(owner.made.api_key) for worker in pair]
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: create(clients[n % 2], owner), range(40)))
    assert {answer.status_code for answer in answers} <= {201, 409}
    assert len({answer.text for answer in answers if answer.status_code == 201}) == 1
    assert campaigns_of(owner) == 1
    for client in clients:
        client.close()
