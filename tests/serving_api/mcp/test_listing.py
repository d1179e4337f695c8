"""Callers are shown what they may use, and refused the rest with REST's codes."""

import re

import pytest

from serving_api.mcp.operations import operations
from tests.fixtures.agents import Agent, agent_with
from tests.fixtures.api import ALL_SCOPES, Tenant
from warehouse.operational.models import User
from warehouse.platforms import PLATFORMS


@pytest.mark.parametrize(
    ("scopes", "role", "shown", "hidden"),
    [
        (("read",), "admin", "creators_list", "creators_create"),
        (("read",), "member", "creators_list", "payout_accounts_get"),
        (("write",), "admin", "creators_create", "creators_list"),
        (("write",), "member", "creators_create", "creators_remove"),
        (ALL_SCOPES, "member", "creators_update", "members_add"),
        (ALL_SCOPES, "admin", "members_add", "platform_users_ban"),
    ],
)
def test_tools_are_listed_by_scope_and_role(
    tenant: Tenant, scopes: tuple[str, ...], role: str, shown: str, hidden: str
) -> None:
    with agent_with(tenant, *scopes, role=role) as agent:
        names = agent.tool_names()
        assert shown in names
        assert hidden not in names


def test_a_platform_admin_is_shown_every_tool(tenant: Tenant) -> None:
    with tenant.api.store.write_session() as session:
        session.get_one(User, tenant.made.user_id).is_platform_admin = True
    with Agent(tenant.api, tenant.made.api_key) as agent:
        every = {operation.entry.name for operation in operations(tenant.api.document)}
        assert agent.tool_names() == every


def test_what_is_not_listed_is_refused_as_in_rest(tenant: Tenant) -> None:
    creator = tenant.creator()
    with agent_with(tenant, "read", role="member") as agent:
        told = agent.call("creators_create", body={})
        assert (told.status, told.code) == (403, "insufficient_scope")
        told = agent.call("payout_accounts_get", creator_id=creator["id"])
        assert (told.status, told.code) == (403, "insufficient_role")


def test_a_role_that_is_lost_is_lost_at_the_next_call(tenant: Tenant) -> None:
    key, user_id = tenant.add_key()
    with Agent(tenant.api, key) as agent:
        assert "members_add" in agent.tool_names()
        path = f"/organizations/{tenant.organization_id}/members/{user_id}"
        tenant.client.data("PATCH", path, json={"role": "member"})
        assert "members_add" not in agent.tool_names()


def test_tools_say_what_they_may_do(tenant: Tenant) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        tools = {tool["name"]: tool for tool in agent.result("tools/list")["tools"]}
    hints = {name: tool["annotations"] for name, tool in tools.items()}
    assert hints["creators_list"]["readOnlyHint"]
    assert not hints["creators_create"]["readOnlyHint"]
    assert hints["payout_structures_simulate"]["readOnlyHint"]
    assert not hints["creators_create"]["destructiveHint"]
    assert not hints["creators_create"]["idempotentHint"]
    assert hints["creators_remove"]["destructiveHint"]
    assert hints["creators_remove"]["idempotentHint"]
    assert hints["creators_deactivate"]["destructiveHint"]
    assert hints["accounts_scrape"]["openWorldHint"]
    limit = tools["creators_list"]["inputSchema"]["properties"]["limit"]
    assert (limit["maximum"], limit["default"]) == (100, 50)
    platform = tools["creators_list"]["inputSchema"]["properties"]["platform"]["anyOf"][0]
    assert platform["enum"] == [*PLATFORMS, "youtube"]
    done, refused = tools["creators_list"]["outputSchema"]["anyOf"]
    assert done["properties"].keys() == refused["properties"].keys() == {"data", "error", "meta"}


def test_who_may_not_read_is_shown_no_prompts(tenant: Tenant) -> None:
    with agent_with(tenant, "write") as agent:
        assert agent.result("prompts/list")["prompts"] == []


@pytest.mark.parametrize("name", ["weekly_creator_report", "payout_explanation"])
def test_prompts_name_whom_they_are_about_and_only_tools_there_are(
    tenant: Tenant, name: str
) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert name in {prompt["name"] for prompt in agent.result("prompts/list")["prompts"]}
        arguments = {"creator": "demo.creator"}
        [message] = agent.result("prompts/get", name=name, arguments=arguments)["messages"]
        assert "Creator: demo.creator" in message["content"]["text"]
        named = set(re.findall(r"`([a-z]+_[a-z_]+)`", message["content"]["text"]))
        assert named - {"entity_type", "reference_date", "creator_id"} <= agent.tool_names()
