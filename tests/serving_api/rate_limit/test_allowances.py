"""Rate limits over HTTP: of a key, its organization's day, and addresses without a key."""

import re
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from itertools import count
from zoneinfo import ZoneInfo

import httpx
import pytest
from pydantic import SecretStr
from sqlalchemy import delete, insert, select

from serving_api.kit.days import seconds_to_midnight, today_in
from serving_api.openapi import endpoints
from serving_api.rate_limit import allowances
from serving_api.rate_limit.allowances import REQUESTS_PER_MINUTE
from tests.fixtures.agents import PATH as MCP
from tests.fixtures.api import PREFIX, Api, Tenant, new_tenant
from tests.fixtures.processes import workers
from tests.fixtures.redis import redis_url
from warehouse.operational.models import ApiRequestDay

__all__ = ["redis_url"]


def used(tenant: Tenant) -> int:
    today = today_in("UTC", datetime.now(UTC))
    requests = select(ApiRequestDay.requests).where(
        ApiRequestDay.organization_id == tenant.organization_id, ApiRequestDay.day == today
    )
    with tenant.api.store.read_session() as session:
        return session.scalar(requests) or 0


def set_used(tenant: Tenant, zone: str, requests: int) -> None:
    day = {"organization_id": tenant.organization_id, "day": today_in(zone, datetime.now(UTC))}
    with tenant.api.store.write_session() as session:
        session.execute(
            delete(ApiRequestDay).where(ApiRequestDay.organization_id == tenant.organization_id)
        )
        session.execute(insert(ApiRequestDay).values(**day, requests=requests))


def test_sixty_a_minute_for_a_key(limited: Api) -> None:
    with new_tenant(limited) as tenant:
        for _ in range(60):
            tenant.client.data("GET", "/me")
        response = tenant.client.get("/me")
        meta = response.json()["meta"]
        assert response.status_code == 429
        assert (meta["code"], meta["bucket"]) == ("rate_limit_exceeded", "apiKey")
        assert 1 <= meta["retryAfter"] <= 60
        assert response.headers["Retry-After"] == str(meta["retryAfter"])
        assert used(tenant) == 60
        with tenant.client_with() as another:
            another.data("GET", "/me")


def test_responses_have_the_remaining_allowance(limited: Api) -> None:
    with new_tenant(limited) as tenant:
        for left in (59, 58):
            answer = tenant.client.get("/me" if left == 59 else "/tags?unknown=1")
            policy = r'"apiKey";q=60;w=60, "organizationDay";q=(\d+);w=86400'
            most = re.fullmatch(policy, answer.headers["RateLimit-Policy"])
            limits = r'"apiKey";r=(\d+);t=(\d+), "organizationDay";r=(\d+);t=(\d+)'
            said = re.fullmatch(limits, answer.headers["RateLimit"])
            key, seconds, day, midnight = map(int, said.groups())
            assert (key, day) == (left, int(most[1]) - 60 + left)
            assert 0 < seconds <= 60
            assert 0 < midnight <= 86_400
        answers = [tenant.client.get("/me") for _ in range(59)]
        assert answers[-1].status_code == 429
        assert answers[-1].headers["RateLimit"].startswith('"apiKey";r=0;t=')


def test_an_unknown_key_has_no_limits(limited: Api) -> None:
    with limited.client("svc_" + "0" * 64) as visitor:
        answer = visitor.get("/me")
        assert answer.status_code == 401
        assert "RateLimit" not in answer.headers


def test_refused_requests_count_and_unknown_paths_do_not(limited: Api) -> None:
    with new_tenant(limited) as tenant:
        tenant.client.get("/nope")
        tenant.client.get("/projects/not-an-id")
        tenant.client.get("/creators", params={"nonsense": 1})
        assert used(tenant) == 2


def test_a_day_that_is_used_up_ends_at_midnight_of_the_organization(limited: Api) -> None:
    zone = "Pacific/Auckland"
    with new_tenant(limited, plan="free", tz=zone) as tenant:
        set_used(tenant, zone, 199)
        tenant.client.data("GET", "/me")
        before = datetime.now(UTC)
        response = tenant.client.get("/me")
        after = datetime.now(UTC)
    meta = response.json()["meta"]
    assert (response.status_code, meta["code"]) == (429, "rate_limit_exceeded")
    assert meta["bucket"] == "organizationDay"
    assert response.headers["Retry-After"] == str(meta["retryAfter"])
    latest, earliest = (seconds_to_midnight(zone, at) for at in (before, after))
    assert earliest <= meta["retryAfter"] <= latest


def test_yesterday_does_not_count(limited: Api) -> None:
    with new_tenant(limited, plan="free") as tenant:
        set_used(tenant, "UTC", 200)
        moved = (
            ApiRequestDay.__table__.update()
            .where(ApiRequestDay.__table__.c.organization_id == tenant.organization_id)
            .values(day=today_in("UTC", datetime.now(UTC)) - timedelta(days=1))
        )
        with tenant.api.store.write_session() as session:
            session.execute(moved)
        tenant.client.data("GET", "/me")


def test_another_process_continues_the_count(limited: Api) -> None:
    with new_tenant(limited, plan="free") as tenant:
        set_used(tenant, "UTC", 199)
        tenant.client.data("GET", "/me")
        with (
            limited.changed() as restarted,
            restarted.client(tenant.made.api_key) as client,
        ):
            client.refusal("GET", "/me", "rate_limit_exceeded")


def test_concurrent_requests_stay_within_the_daily_limit(limited: Api) -> None:
    with new_tenant(limited, plan="free") as tenant:
        set_used(tenant, "UTC", 180)
        with ThreadPoolExecutor(12) as pool:
            answers = list(pool.map(lambda _: tenant.client.get("/me"), range(40)))
    assert [answer.status_code for answer in answers].count(200) == 20


def test_a_rate_limit_error_is_not_stored_under_an_idempotency_key(limited: Api) -> None:
    with new_tenant(limited) as tenant:
        path = f"/projects/{tenant.project_id}/campaigns"
        request = {"json": {"name": "Spring"}, "headers": {"Idempotency-Key": "one"}}
        for _ in range(60):
            tenant.client.data("GET", "/me")
        assert tenant.client.post(path, **request).status_code == 429
        with tenant.client_with() as another:
            made = another.post(path, **request)
        assert made.status_code == 201
        assert "Idempotency-Replay" not in made.headers


def test_two_processes_share_a_minute_through_redis(api: Api, redis_url: str) -> None:
    shared = {"api_rate_limits": True, "redis_url": SecretStr(redis_url)}
    with (
        new_tenant(api) as tenant,
        workers(api, 1, **shared) as [worker],
        api.changed(**shared) as served,
    ):
        clients = [each.client(tenant.made.api_key) for each in (worker, served)]
        with ThreadPoolExecutor(6) as pool:
            answers = list(pool.map(lambda n: clients[n % 2].get("/me"), range(90)))
        for client in clients:
            client.close()
    assert [answer.status_code for answer in answers].count(200) == 60


def test_the_zone_of_a_day_is_the_organizations() -> None:
    """At 11:30 UTC in winter it is half past midnight of the next day in Auckland."""
    at = datetime(2026, 12, 1, 11, 30, tzinfo=UTC)
    assert at.astimezone(ZoneInfo("Pacific/Auckland")).hour == 0
    assert str(today_in("Pacific/Auckland", at)) == "2026-12-02"
    assert seconds_to_midnight("Pacific/Auckland", at) == 23 * 3600 + 1800


BAD_KEY = {"Authorization": "Bearer svc_" + "0" * 64}
NUMBERS = count(1)


@pytest.fixture
def few_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit refusals to 60 a minute: 600 of each kind take seconds."""
    monkeypatch.setattr(allowances, "REFUSALS_PER_MINUTE", REQUESTS_PER_MINUTE)


@pytest.fixture
def address() -> dict[str, str]:
    """An address of the test's own, as sent by a proxy on this machine."""
    return {"X-Forwarded-For": f"203.0.113.{next(NUMBERS)}"}


KEYLESS = [
    ("GET", "/api/v2/me", {}, 401),
    ("GET", "/api/v2/me", {"Authorization": "Bearer nonsense"}, 401),
    ("GET", "/api/v2/me", BAD_KEY, 401),
    ("POST", "/api/v2/creators", BAD_KEY, 401),
    ("GET", "/api/v2/nope", {}, 404),
    ("GET", "/favicon.ico", {}, 404),
    ("PUT", "/api/v2/me", {}, 405),
    ("GET", "/api/v1/creators", {}, 410),
    ("GET", "/api/v2/creators/x/stats", {}, 410),
    ("POST", MCP, {}, 401),
    ("POST", MCP, BAD_KEY, 401),
    ("POST", MCP, {"Origin": "https://evil.example"}, 403),
    ("GET", MCP, {}, 405),
    ("GET", "/docs", {}, 200),
    ("GET", "/docs/docs.js", {}, 200),
    ("GET", "/changelog", {}, 200),
]


@pytest.mark.usefixtures("few_refusals")
@pytest.mark.parametrize("call", KEYLESS)
def test_sixty_a_minute_for_an_address(
    limited: Api, address: dict[str, str], call: tuple[str, str, dict[str, str], int]
) -> None:
    method, path, headers, status = call
    with httpx.Client(base_url=limited.base_url, headers=address, trust_env=False) as client:
        answers = [
            client.request(method, path, headers=headers) for _ in range(REQUESTS_PER_MINUTE + 1)
        ]
    statuses = [answer.status_code for answer in answers]
    assert statuses == [status] * REQUESTS_PER_MINUTE + [429]
    assert 1 <= int(answers[-1].headers["Retry-After"]) <= 60
    assert answers[0].headers.get("WWW-Authenticate") or status != 401


@pytest.mark.slow
def test_each_endpoint_and_as_many_old_paths_may_be_called_within_a_minute(
    limited: Api, address: dict[str, str]
) -> None:
    """The contract does not limit refusals: old clients behind one address all receive 410."""
    calls = [
        (method, path, 401)
        for path, operations in limited.document["paths"].items()
        for method in operations
        if path != f"{PREFIX}/changelog"
    ]
    calls += [("GET", f"/api/v1/creators/{number}", 410) for number in range(len(calls))]
    with httpx.Client(base_url=limited.base_url, headers=address, trust_env=False) as client:
        answers = [client.request(method, path).status_code for method, path, _ in calls]
    assert answers == [status for _, _, status in calls]


@pytest.mark.usefixtures("few_refusals")
def test_all_refusals_count_together(limited: Api, address: dict[str, str]) -> None:
    with httpx.Client(base_url=limited.base_url, headers=address, trust_env=False) as client:
        for number in range(REQUESTS_PER_MINUTE):
            client.get("/nope" if number % 2 else "/api/v2/me")
        assert client.get("/api/v2/me", headers=BAD_KEY).status_code == 429
        assert client.get("/api/v2/changelog").status_code == 200
        assert client.get("/healthz").status_code == 200
        with new_tenant(limited) as tenant:
            headers = {"Authorization": f"Bearer {tenant.made.api_key}"}
            assert client.get("/api/v2/me", headers=headers).status_code == 200
    assert httpx.get(f"{limited.base_url}/nope", trust_env=False).status_code == 404


def test_operators_are_not_counted(limited: Api, address: dict[str, str]) -> None:
    with httpx.Client(base_url=limited.base_url, headers=address, trust_env=False) as client:
        status_codes = {client.get("/healthz").status_code for _ in range(REQUESTS_PER_MINUTE + 5)}
    assert status_codes == {200}


def test_the_page_of_the_document_is_made_once(api: Api) -> None:
    first, again = (httpx.get(f"{api.base_url}/docs", trust_env=False) for _ in range(2))
    assert first.content == again.content
    assert endpoints._page.cache_info().hits
