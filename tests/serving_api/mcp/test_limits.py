"""Messages count like requests: a tool call counts once, as does any other message."""

from collections.abc import Iterator

import pytest

from serving_api.http import bodies
from serving_api.rate_limit import allowances
from serving_api.rate_limit.allowances import REQUESTS_PER_MINUTE
from tests.fixtures.agents import PATH, Agent
from tests.fixtures.api import Api, Tenant, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from tests.warehouse.operational.processes import wait_until

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def limited(databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """The API with rate limits."""
    with opened_store(databases, tmp_path_factory.mktemp("limited")) as (settings, store):
        enforced = settings.model_copy(update={"api_rate_limits": True})
        with running_api(enforced, store) as api:
            yield api


@pytest.fixture
def limited_tenant(limited: Api) -> Iterator[Tenant]:
    with new_tenant(limited) as tenant:
        yield tenant


def test_calls_of_tools_count_once_each(limited_tenant: Tenant) -> None:
    with Agent(limited_tenant.api, limited_tenant.made.api_key) as agent:
        for _ in range(REQUESTS_PER_MINUTE):
            assert agent.call("me_get").is_success
        answer = agent.call("me_get")
        assert (answer.status, answer.code) == (429, "rate_limit_exceeded")
        assert answer.envelope["meta"]["bucket"] == "apiKey"


@pytest.mark.parametrize(
    "params",
    [
        {"name": "no_such_tool", "arguments": {}},
        {"name": "search_tools", "arguments": {"query": "posts"}},
        {"name": "call_read_tool", "arguments": {"name": "no_such_tool"}},
        {"name": "creators_list", "arguments": {"colour": "red"}},
        {"name": "creators_get", "arguments": {"creator_id": "a/b"}},
    ],
)
def test_refused_calls_count_too(limited_tenant: Tenant, params: dict[str, object]) -> None:
    with Agent(limited_tenant.api, limited_tenant.made.api_key) as agent:
        for _ in range(REQUESTS_PER_MINUTE):
            agent.message("tools/call", **params)
        assert agent.call("me_get").code == "rate_limit_exceeded"
        assert "rate_limit_exceeded" in agent.message("tools/call", **params).text


def test_messages_with_an_unknown_toolset_count_too(limited_tenant: Tenant) -> None:
    with Agent(limited_tenant.api, limited_tenant.made.api_key, PATH + "?toolsets=x") as agent:
        for _ in range(REQUESTS_PER_MINUTE):
            assert agent.message("ping").status_code == 400
    assert limited_tenant.client.get("/me").status_code == 429


def test_a_resource_read_too_often_is_refused(limited_tenant: Tenant) -> None:
    with Agent(limited_tenant.api, limited_tenant.made.api_key) as agent:
        for _ in range(REQUESTS_PER_MINUTE):
            agent.message("ping")
        error = agent.message("resources/read", uri="tracker://schema").json()["error"]
        assert '"rate_limit_exceeded"' in error["message"]


def test_other_messages_count_too(limited_tenant: Tenant) -> None:
    with Agent(limited_tenant.api, limited_tenant.made.api_key) as agent:
        for _ in range(REQUESTS_PER_MINUTE):
            assert agent.message("ping").status_code == 200
        refused = agent.message("ping")
        assert refused.status_code == 429
        assert refused.headers["Retry-After"]
        assert agent.call("me_get").code == "rate_limit_exceeded"


def test_a_message_counts_before_its_body_has_come(
    limited_tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unfinished body has counted, so other requests of its key are refused meanwhile."""
    monkeypatch.setattr(allowances, "REQUESTS_PER_MINUTE", 1)
    meanwhile: list[int] = []

    def sent() -> Iterator[bytes]:
        yield b"{"
        wait_until(lambda: bool(bodies._in_memory))  # until the message is authenticated
        meanwhile.append(limited_tenant.client.get("/me").status_code)
        yield b"}"

    with Agent(limited_tenant.api, limited_tenant.made.api_key) as agent:
        agent.post(agent.path, content=sent())
    assert meanwhile == [429]
