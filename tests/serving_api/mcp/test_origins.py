"""Which origins' pages may send messages to the MCP server."""

import pytest

from serving_api.mcp.mount import accepted_origins
from tests.fixtures.agents import PATH, Agent
from tests.fixtures.api import Api, Tenant

NAMED = "https://app.example"
OWN = "http://127.0.0.1:8000"


def asked_from(api: Api, tenant: Tenant, *origins: str) -> tuple[int, str | None]:
    """The status and error code of a ping with these Origin headers."""
    message = {"jsonrpc": "2.0", "id": 1, "method": "ping", "params": {}}
    with Agent(api, tenant.made.api_key) as agent:
        headers = [*agent.headers.multi_items(), *(("Origin", each) for each in origins)]
        answer = agent.post(PATH, json=message, headers=headers)
    return answer.status_code, answer.json().get("meta", {}).get("code")


@pytest.mark.parametrize(
    "origins",
    [
        ["https://evil.example"],
        ["null"],
        [""],
        [OWN + ".evil.example"],
        [OWN.replace("8000", "8001")],
        [OWN.replace("http:", "https:")],
        [OWN + "/"],
        [OWN, "https://evil.example"],
    ],
)
def test_other_pages_are_refused(api: Api, tenant: Tenant, origins: list[str]) -> None:
    assert api.settings.base_url == OWN
    assert asked_from(api, tenant, *origins) == (403, "forbidden")


def test_an_unknown_origin_is_refused_before_authentication(api: Api) -> None:
    with Agent(api, None) as agent:
        refused = agent.post(PATH, json={}, headers={"Origin": "https://evil.example"})
    assert (refused.status_code, refused.json()["meta"]["code"]) == (403, "forbidden")


def test_agents_and_own_pages_are_allowed(api: Api, tenant: Tenant) -> None:
    assert asked_from(api, tenant) == (200, None)
    assert asked_from(api, tenant, OWN) == (200, None)


def test_pages_named_in_the_settings_are_allowed(api: Api, tenant: Tenant) -> None:
    with api.changed(cors_origins=[NAMED]) as served:
        assert asked_from(served, tenant, NAMED) == (200, None)
        assert asked_from(served, tenant, "https://evil.example") == (403, "forbidden")


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://www.tracker.example", "https://www.tracker.example"),
        ("https://WWW.tracker.example:443/", "https://www.tracker.example"),
        ("http://127.0.0.1:80", "http://127.0.0.1"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("https://tracker.example:8443/a", "https://tracker.example:8443"),
    ],
)
def test_origins_are_written_as_browsers_do(base_url: str, origin: str) -> None:
    assert accepted_origins(base_url, []) == {origin}
