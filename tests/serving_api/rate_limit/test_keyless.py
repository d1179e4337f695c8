"""What costs something and needs no key is limited by address, and keys in force are not."""

from collections.abc import Iterator
from itertools import count

import httpx
import pytest

from serving_api.openapi import endpoints
from serving_api.rate_limit import allowances
from serving_api.rate_limit.allowances import REQUESTS_PER_MINUTE
from tests.fixtures.agents import PATH as MCP
from tests.fixtures.api import PREFIX, Api, new_tenant, running_api

BAD_KEY = {"Authorization": "Bearer svc_" + "0" * 64}
NUMBERS = count(1)


@pytest.fixture(scope="module")
def limited(api: Api) -> Iterator[Api]:
    settings = api.settings.model_copy(update={"api_rate_limits": True})
    with running_api(settings, api.store) as served:
        yield served


@pytest.fixture
def few_refusals(monkeypatch: pytest.MonkeyPatch) -> None:
    """Limit refusals to 60 a minute: 600 of each kind take seconds."""
    monkeypatch.setattr(allowances, "REFUSALS_PER_MINUTE", REQUESTS_PER_MINUTE)


@pytest.fixture
def address() -> dict[str, str]:
    """An address of the test's own, as a proxy on this machine tells it."""
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
def test_each_endpoint_and_as_many_old_paths_may_be_asked_within_a_minute(
    limited: Api, address: dict[str, str]
) -> None:
    """The contract has no limit of refusals: old clients behind one address all read 410."""
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
