"""The MCP inspector's command line gets on with the server: with a key, and by signing in.

It goes the whole way of OAuth by itself, as its users see it: it is refused, finds the documents,
registers, prints an address, waits at a port of its own while somebody signs in there with a real
browser, has its code exchanged, and keeps the tokens for the next time.
"""

import pytest

from tests.fixtures.agents import EVERY, PATH
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.browser import authorize, reached, running_chromium
from tests.fixtures.inspector import Inspector, inspector, installed
from tests.fixtures.programs import Browser

__all__ = ["inspector", "installed", "reached"]

pytestmark = pytest.mark.soak

STAR = {"entity_type": "creator", "name": "Star"}
TEXT = {"mode": "append", "content": "Launch in May."}


def test_with_a_key_it_reads_writes_and_is_refused(tenant: Tenant, inspector: Inspector) -> None:
    key, _ = tenant.add_key(("read", "write"), role="member")
    with_key = ("--header", f"Authorization: Bearer {key}")
    url = tenant.api.base_url + PATH
    names = {tool["name"] for tool in inspector.ask(url, "tools/list", *with_key)["tools"]}
    assert "me_get" in names
    assert "members_add" not in names
    star = {"name": "tags_create", "arguments": {"body": STAR}}
    made = inspector.call(url, "call_write_tool", *with_key, **star)
    assert made["data"]["name"] == "Star"
    read = inspector.call(url, "me_get", *with_key)
    assert read["data"]["connection"]["via"] == "mcp"
    about = {"entity_type": "project", "entity_id": str(tenant.project_id), "body": TEXT}
    written = {"name": "notes_write", "arguments": about}
    refused = inspector.call(url, "call_write_tool", *with_key, **written)
    assert refused["error"]
    assert refused["meta"]["code"] == "insufficient_role"


def test_it_acts_as_a_member(reached: Api, inspector: Inspector) -> None:
    url = reached.base_url + EVERY
    with new_tenant(reached) as tenant:
        member = Browser(tenant, role="member")
        with (
            running_chromium() as chromium,
            inspector.asking_for_access(url, "tools/list") as asking,
        ):
            authorize(chromium, asking.address, member.email)
            names = {tool["name"] for tool in asking.result()["tools"]}
        assert "me_get" in names
        assert "members_add" not in names
        stored = "--stored-auth-only"
        me = inspector.call(url, "me_get", stored)["data"]
        assert me["id"] == str(member.user_id)
        assert me["connection"] == {"via": "mcp", "scopes": ["read", "write"]}
        made = inspector.call(url, "tags_create", stored, body=STAR)
        assert made["data"]["created_via"] == "mcp"
        assert [tag["name"] for tag in tenant.client.data("GET", "/tags")] == ["Star"]
        about = {"entity_type": "project", "entity_id": str(tenant.project_id)}
        refused = inspector.call(url, "notes_write", stored, **about, body=TEXT)
        assert refused["error"]
        assert refused["meta"]["code"] == "insufficient_role"
