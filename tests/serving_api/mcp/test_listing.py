"""Callers see their permitted tools; others are refused with REST's codes, and not logged."""

import logging
import re
from typing import Any

import pytest

from serving_api.mcp.catalog import DEFAULT, TOOLS, TOOLSETS
from serving_api.mcp.general import DESCRIBE, READ, SEARCH, WRITE
from serving_api.mcp.operations import operations
from tests.fixtures.agents import EVERY, PATH, Agent, agent_with
from tests.fixtures.api import ALL_SCOPES, Tenant
from warehouse.operational.models import User
from warehouse.platforms import PLATFORMS

GENERAL = {SEARCH, DESCRIBE, READ, WRITE}
ALL_NAMES = GENERAL | {entry.name for entry in TOOLS.values()}


@pytest.mark.parametrize(
    ("scopes", "role", "listed", "hidden"),
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
    tenant: Tenant, scopes: tuple[str, ...], role: str, listed: str, hidden: str
) -> None:
    with agent_with(tenant, *scopes, role=role, path=EVERY) as agent:
        names = agent.tool_names()
        assert listed in names
        assert hidden not in names


def test_a_platform_admin_is_shown_every_tool(tenant: Tenant) -> None:
    with tenant.api.store.write_session() as session:
        session.get_one(User, tenant.made.user_id).is_platform_admin = True
    every = {operation.entry.name for operation in operations(tenant.api.document)}
    with Agent(tenant.api, tenant.made.api_key, EVERY) as agent:
        assert agent.tool_names() == every | GENERAL
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert agent.tool_names() == DEFAULT | GENERAL
        assert every <= set(re.findall(r"\w+", agent.tools()[SEARCH]["description"]))


def test_the_list_leaves_room_in_a_context_window(tenant: Tenant) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert len(agent.message("tools/list").content) <= 30_000


def test_toolsets_filter_the_list(tenant: Tenant) -> None:
    with agent_with(tenant, "read", path=PATH + "?toolsets=notes,%20tags") as agent:
        assert agent.tool_names() == {
            *(SEARCH, DESCRIBE, READ),
            *("notes_list", "notes_get", "tags_list"),
            *(f"{noun}_tags_list" for noun in ("creator", "campaign", "account", "video")),
        }
    with agent_with(tenant, path=PATH + "?toolsets=default,webhooks") as agent:
        webhooks = {entry.name for entry in TOOLSETS["webhooks"].values()}
        assert agent.tool_names() == DEFAULT | GENERAL | webhooks


@pytest.mark.parametrize("toolsets", ["video", "all,", "videos;tags"])
def test_an_unknown_toolset_error_lists_the_toolsets(tenant: Tenant, toolsets: str) -> None:
    with agent_with(tenant, path=f"{PATH}?toolsets={toolsets}") as agent:
        refused = agent.message("tools/list")
    assert (refused.status_code, refused.json()["meta"]["code"]) == (400, "invalid_query")
    assert "webhooks" in refused.json()["error"]


def test_a_read_key_sees_no_write_tools(tenant: Tenant) -> None:
    with agent_with(tenant, "read", role="member") as agent:
        names = agent.tool_names()
        assert READ in names
        assert WRITE not in names
        assert "creators_list" in agent.tools()[SEARCH]["description"]
        assert "creators_create" not in agent.tools()[SEARCH]["description"]


def test_a_role_that_is_lost_is_lost_at_the_next_call(tenant: Tenant) -> None:
    key, user_id = tenant.add_key()
    with Agent(tenant.api, key, EVERY) as agent:
        assert "members_add" in agent.tool_names()
        path = f"/organizations/{tenant.organization_id}/members/{user_id}"
        tenant.client.data("PATCH", path, json={"role": "member"})
        assert "members_add" not in agent.tool_names()


def test_tools_have_annotations_of_their_effects(tenant: Tenant) -> None:
    with Agent(tenant.api, tenant.made.api_key, EVERY) as agent:
        tools = agent.tools()
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
    assert hints[READ]["readOnlyHint"]
    assert hints[WRITE]["destructiveHint"]
    limit = tools["creators_list"]["inputSchema"]["properties"]["limit"]
    assert (limit["maximum"], limit["default"]) == (100, 10)
    platform = tools["creators_list"]["inputSchema"]["properties"]["platform"]["anyOf"][0]
    assert platform["enum"] == [*PLATFORMS, "youtube"]
    assert not [name for name, tool in tools.items() if "outputSchema" in tool]


def test_callers_without_read_see_no_prompts(tenant: Tenant) -> None:
    with agent_with(tenant, "write") as agent:
        assert agent.result("prompts/list")["prompts"] == []


@pytest.mark.parametrize("name", ["weekly_creator_report", "payout_explanation"])
def test_prompts_name_existing_tools(tenant: Tenant, name: str) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert name in {prompt["name"] for prompt in agent.result("prompts/list")["prompts"]}
        arguments = {"creator": "demo.creator"}
        [message] = agent.result("prompts/get", name=name, arguments=arguments)["messages"]
        assert "Creator: demo.creator" in message["content"]["text"]
        named = set(re.findall(r"`([a-z]+_[a-z_]+)`", message["content"]["text"]))
        assert named - {"entity_type", "reference_date", "creator_id"} <= ALL_NAMES


SENT = "sent" * 20_000
NOTES = "tracker://notes/creator/"


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("tools/call", {"name": SENT, "arguments": {}}),
        ("tools/call", {"name": "creators_get", "arguments": {"creator_id": SENT}}),
        ("tools/call", {"name": "creators_create", "arguments": {"body": {SENT: SENT}}}),
        ("tools/call", {"name": "call_read_tool", "arguments": {"name": SENT}}),
        ("resources/read", {"uri": NOTES + SENT}),
        ("resources/read", {"uri": NOTES + SENT[:30]}),
        ("resources/read", {"uri": SENT}),
        ("resources/list", {"cursor": SENT}),
        ("prompts/get", {"name": SENT}),
        ("prompts/get", {"name": "payout_explanation", "arguments": {SENT: SENT}}),
        (SENT, {}),
    ],
)
def test_a_refused_message_is_not_logged(
    tenant: Tenant, caplog: pytest.LogCaptureFixture, method: str, params: dict[str, Any]
) -> None:
    caplog.set_level(logging.INFO)
    with Agent(tenant.api, tenant.made.api_key) as agent:
        assert agent.message(method, **params).status_code < 500
    libraries = [each for each in caplog.records if each.name.startswith(("fastmcp", "mcp"))]
    assert [each.getMessage() for each in libraries] == []
    assert SENT[:30] not in caplog.text


def test_a_prompt_names_its_missing_argument(tenant: Tenant) -> None:
    with Agent(tenant.api, tenant.made.api_key) as agent:
        error = agent.message("prompts/get", name="payout_explanation").json()["error"]
    assert (error["code"], "creator" in error["message"]) == (-32602, True)
