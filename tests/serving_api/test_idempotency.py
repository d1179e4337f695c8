"""Idempotency-Key: the contract's table, over HTTP."""

import asyncio
import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from fastapi import Response
from sqlalchemy import event, func, select, update
from sqlalchemy.exc import OperationalError
from sqlalchemy.orm import Session

from serving_api.errors import ApiError, InternalError, NotFound
from serving_api.idempotency.idempotent_request import (
    IdempotentRequest,
    fingerprint,
    without_secrets,
)
from tests.fixtures.api import PREFIX, Client, Tenant
from tests.fixtures.locks import wait_until_waiting
from warehouse.operational.models import AuditEntry, Campaign, IdempotencyOutcome, Project
from warehouse.operational.session import WriteSession


def campaigns(tenant: Tenant) -> str:
    return f"/projects/{tenant.project_id}/campaigns"


def post(client: Client, path: str, key: str, body: Any = None, **request: Any) -> httpx.Response:
    body = {"name": "Spring"} if body is None else body
    return client.post(path, json=body, headers={"Idempotency-Key": key}, **request)


def code_of(response: httpx.Response) -> str:
    return str(response.json()["meta"]["code"])


def count(tenant: Tenant, model: Any) -> int:
    counted = select(func.count()).select_from(model)
    mine = counted.where(model.organization_id == tenant.organization_id)
    with tenant.api.store.read_session() as session:
        return session.scalars(mine).one()


def age(tenant: Tenant, by: timedelta) -> None:
    """Move the organization's stored outcomes into the past."""
    older = update(IdempotencyOutcome).values(created_at=datetime.now(UTC) - by)
    with tenant.api.store.write_session() as session:
        session.execute(older.where(IdempotencyOutcome.organization_id == tenant.organization_id))


def test_the_same_request_is_answered_the_same_and_done_once(tenant: Tenant) -> None:
    first = post(tenant.client, campaigns(tenant), "a")
    again = post(tenant.client, campaigns(tenant), "a")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert "Idempotency-Replay" not in first.headers
    assert again.headers["Idempotency-Replay"] == "true"
    assert (count(tenant, Campaign), count(tenant, AuditEntry)) == (1, 1)


def test_without_a_key_every_request_is_its_own(tenant: Tenant) -> None:
    for _ in range(2):
        tenant.client.data("POST", campaigns(tenant), json={"name": "Spring"})
    assert count(tenant, Campaign) == 2


def test_the_order_of_fields_and_white_space_make_no_difference(tenant: Tenant) -> None:
    headers = {"Idempotency-Key": "b", "Content-Type": "application/json"}
    account = '{"platform":"tiktok","handle":"demo.creator"}'
    project = f'"project_id":"{tenant.project_id}"'
    first = f'{{{project},"accounts":[{account}]}}'
    again = f'\n{{ "accounts" : [{{"handle": "demo.creator", "platform" :"tiktok"}}],\t{project} }}'
    made = tenant.client.post("/creators", content=first, headers=headers)
    repeated = tenant.client.post("/creators", content=again, headers=headers)
    assert made.status_code == 201
    assert repeated.json() == made.json()


def test_another_body_under_the_key_is_refused(tenant: Tenant) -> None:
    post(tenant.client, campaigns(tenant), "c")
    response = post(tenant.client, campaigns(tenant), "c", {"name": "Summer"})
    assert (response.status_code, code_of(response)) == (422, "idempotency_key_reused")
    assert count(tenant, Campaign) == 1


def test_another_endpoint_under_the_key_is_refused(tenant: Tenant) -> None:
    post(tenant.client, campaigns(tenant), "d")
    response = post(tenant.client, "/creators", "d")
    assert (response.status_code, code_of(response)) == (409, "idempotency_conflict")


@pytest.mark.parametrize("key", ["", "k" * 256])
def test_a_key_of_another_length_is_refused(tenant: Tenant, key: str) -> None:
    response = post(tenant.client, campaigns(tenant), key)
    assert (response.status_code, code_of(response)) == (400, "invalid_idempotency_key")


def test_the_longest_key_is_accepted(tenant: Tenant) -> None:
    assert post(tenant.client, campaigns(tenant), "k" * 255).status_code == 201


def test_after_a_day_the_key_is_new(tenant: Tenant) -> None:
    post(tenant.client, campaigns(tenant), "e")
    age(tenant, timedelta(hours=23, minutes=59))
    assert "Idempotency-Replay" in post(tenant.client, campaigns(tenant), "e").headers
    age(tenant, timedelta(hours=24, seconds=1))
    response = post(tenant.client, campaigns(tenant), "e", {"name": "Another"})
    assert (response.status_code, count(tenant, Campaign)) == (201, 2)


def test_outcomes_older_than_a_day_are_deleted_by_later_writes(tenant: Tenant) -> None:
    for number in range(5):
        post(tenant.client, campaigns(tenant), f"old-{number}")
    age(tenant, timedelta(hours=25))
    post(tenant.client, campaigns(tenant), "new")
    assert count(tenant, IdempotencyOutcome) == 1


def test_keys_of_other_organizations_are_not_met(tenant: Tenant, other: Tenant) -> None:
    post(tenant.client, campaigns(tenant), "f")
    response = post(other.client, campaigns(other), "f", {"name": "Mine"})
    assert response.json()["data"]["name"] == "Mine"
    assert "Idempotency-Replay" not in response.headers


def test_a_key_in_progress_elsewhere_blocks_no_other_request(tenant: Tenant, other: Tenant) -> None:
    project = select(Project.id).where(Project.id == tenant.project_id).with_for_update()
    with ThreadPoolExecutor(1) as pool:
        with tenant.api.store.write_session() as session:
            session.execute(project)
            under_way = pool.submit(post, tenant.client, campaigns(tenant), "f")
            wait_until_waiting(tenant.api.store.dsn)
            assert post(other.client, campaigns(other), "f").status_code == 201
        assert under_way.result().status_code == 201


def test_another_key_of_the_organization_repeats_the_request(tenant: Tenant) -> None:
    """An outcome belongs to the organization, so a rotated key does not repeat its effects."""
    first = post(tenant.client, campaigns(tenant), "g")
    with tenant.client_with() as client:
        assert post(client, campaigns(tenant), "g").json() == first.json()


def test_rights_are_checked_before_an_outcome_is_repeated(tenant: Tenant) -> None:
    post(tenant.client, campaigns(tenant), "h")
    with tenant.client_with("read") as client:
        response = post(client, campaigns(tenant), "h")
    assert (response.status_code, code_of(response)) == (403, "insufficient_scope")


@pytest.mark.parametrize(
    ("body", "status", "code"),
    [({"name": ""}, 400, "invalid_body"), ({"nonsense": 1}, 400, "invalid_body")],
)
def test_a_refusal_is_repeated_too(tenant: Tenant, body: Any, status: int, code: str) -> None:
    first = post(tenant.client, campaigns(tenant), "i", body)
    again = post(tenant.client, campaigns(tenant), "i", body)
    assert (first.status_code, code_of(first)) == (status, code)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replay"] == "true"
    assert count(tenant, AuditEntry) == 0


def test_a_stored_refusal_stays_though_the_request_would_now_succeed(tenant: Tenant) -> None:
    """The handle is free again, but the stored response remains: already tracked."""
    tenant.creator("demo.creator")
    account = {"platform": "tiktok", "handle": "demo.creator"}
    body = {"project_id": str(tenant.project_id), "accounts": [account]}
    first = post(tenant.client, "/creators", "j", body)
    assert code_of(first) == "already_tracked"
    held = tenant.client.data("GET", "/creators")
    tenant.client.data("DELETE", f"/creators/{held[0]['id']}")
    again = post(tenant.client, "/creators", "j", body)
    assert again.json() == first.json()
    assert post(tenant.client, "/creators", "k", body).status_code == 201


def test_malformed_json_is_an_outcome_like_any(tenant: Tenant) -> None:
    headers = {"Idempotency-Key": "l", "Content-Type": "application/json"}
    for replay in (None, "true"):
        response = tenant.client.post(campaigns(tenant), content=b"{", headers=headers)
        assert (response.status_code, code_of(response)) == (400, "invalid_body")
        assert response.headers.get("Idempotency-Replay") == replay


def test_a_batch_that_fails_half_way_keeps_its_rows_and_repeats_its_error(tenant: Tenant) -> None:
    handles = ["first.one", "first.one"]
    creators = [{"accounts": [{"platform": "tiktok", "handle": each}]} for each in handles]
    path = f"/projects/{tenant.project_id}/creators"
    first = post(tenant.client, path, "m", {"creators": creators})
    assert (first.status_code, code_of(first)) == (409, "already_tracked")
    assert len(tenant.client.data("GET", "/creators")) == 1
    assert post(tenant.client, path, "m", {"creators": creators}).json() == first.json()
    assert len(tenant.client.data("GET", "/creators")) == 1


def fail_half_way(tenant: Tenant, idempotent_request: IdempotentRequest, error: ApiError) -> None:
    """Write a campaign, then raise an error."""
    place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
    with tenant.api.store.write_session() as session, idempotent_request.within(session):
        session.add(Campaign(**place, name="Half"))
        session.flush()
        raise error


@pytest.mark.parametrize(
    ("error", "outcomes"), [(NotFound.named("Creator"), 1), (InternalError(), 0)]
)
def test_refused_requests_write_nothing(tenant: Tenant, error: ApiError, outcomes: int) -> None:
    """The outcome is stored unless it is a server error, but nothing else is."""
    idempotent_request = IdempotentRequest(
        organization_id=tenant.organization_id,
        key="half-way",
        endpoint="POST /somewhere",
        request_hash=b"hash",
        secrets=(),
        response=Response,
        refusal_of=lambda error: error if isinstance(error, ApiError) else None,
    )
    with pytest.raises(type(error)):
        fail_half_way(tenant, idempotent_request, error)
    assert (count(tenant, Campaign), count(tenant, IdempotencyOutcome)) == (0, outcomes)


@pytest.fixture
def failing_once(tenant: Tenant) -> Iterator[Tenant]:
    """The tenant; its first commit in the test fails as if PostgreSQL had gone away."""
    left = [1]

    def fail(_session: Session) -> None:
        if left:
            left.pop()
            raise OperationalError("commit", {}, ConnectionResetError("the server went away"))

    event.listen(WriteSession, "before_commit", fail)
    yield tenant
    event.remove(WriteSession, "before_commit", fail)


def test_a_server_error_is_not_stored(failing_once: Tenant) -> None:
    tenant = failing_once
    assert post(tenant.client, campaigns(tenant), "n").status_code == 500
    assert post(tenant.client, campaigns(tenant), "n").status_code == 201
    assert count(tenant, Campaign) == 1


def test_more_than_threads_do_not_wait_for_each_other(tenant: Tenant) -> None:
    """A server has 40 threads and 15 write connections: each of 120 requests uses one of both."""
    path = PREFIX + campaigns(tenant)
    base_url, headers = tenant.api.base_url, tenant.client.headers

    async def write(client: httpx.AsyncClient, number: int) -> int:
        key = {"Idempotency-Key": f"at-once-{number}"}
        answer = await client.post(path, json={"name": f"Campaign {number}"}, headers=key)
        return answer.status_code

    async def write_all() -> set[int]:
        limits = httpx.Limits(max_connections=120)
        async with httpx.AsyncClient(
            base_url=base_url, headers=headers, limits=limits, timeout=60, trust_env=False
        ) as client:
            return set(await asyncio.gather(*(write(client, number) for number in range(120))))

    assert asyncio.run(write_all()) == {201}


def test_one_of_many_concurrent_requests_acts_and_the_others_repeat_or_wait(tenant: Tenant) -> None:
    with ThreadPoolExecutor(16) as pool:
        answers = list(pool.map(lambda _: post(tenant.client, campaigns(tenant), "o"), range(48)))
    assert count(tenant, Campaign) == 1
    done = [each for each in answers if each.status_code == 201]
    waiting = [each for each in answers if each.status_code == 409]
    assert len(done) + len(waiting) == 48
    assert len({json.dumps(each.json()) for each in done}) == 1
    assert sum("Idempotency-Replay" not in each.headers for each in done) == 1
    for each in waiting:
        assert code_of(each) == "idempotency_in_progress"
        assert each.headers["Retry-After"] == str(each.json()["meta"]["retry_after_seconds"]) == "1"


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_invalid_json_is_hashed_as_it_is(body: bytes) -> None:
    assert fingerprint(body, []) == fingerprint(body, [])
    assert fingerprint(body, []) != fingerprint(body + b"x", [])


def test_the_query_is_part_of_the_request_in_any_order() -> None:
    pairs = [("a", "1"), ("b", "2")]
    assert fingerprint(b"", pairs) == fingerprint(b"", pairs[::-1]) != fingerprint(b"", pairs[:1])


@pytest.mark.parametrize(
    ("data", "secrets", "stored"),
    [
        ({"key": "svc_1", "name": "A"}, ["key"], {"key": None, "name": "A"}),
        ([{"pin": "1234"}, {"pin": None}], ["pin"], [{"pin": None}, {"pin": None}]),
        ({"link": {"pin": "1", "url": "u"}}, ["link.pin"], {"link": {"pin": None, "url": "u"}}),
        ({"name": "A"}, ["key"], {"name": "A"}),
        (None, ["key"], None),
    ],
)
def test_secrets_are_null_in_stored_outcomes(data: Any, secrets: list[str], stored: Any) -> None:
    envelope = json.dumps({"data": data, "error": None, "meta": {}}).encode()
    assert json.loads(without_secrets(envelope, secrets))["data"] == stored
