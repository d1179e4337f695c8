"""Tools do and return the same as the REST API."""

import json
import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from jsonschema_rs import meta, validator_for
from sqlalchemy import select

from serving_api.mcp.general import DESCRIBE, READ, SEARCH, WRITE
from serving_api.mcp.operations import operations
from serving_api.mcp.requests import request_of
from tests.fixtures.agents import PATH, Agent, agent_with
from tests.fixtures.api import Tenant
from warehouse.operational.models import AuditEntry


@pytest.fixture
def agent(tenant: Tenant) -> Iterator[Agent]:
    with Agent(tenant.api, tenant.made.api_key) as connected:
        yield connected


def test_an_answer_is_sent_once(tenant: Tenant, agent: Agent) -> None:
    creator = tenant.creator()
    for name, arguments in (
        ("creators_get", {"creator_id": creator["id"]}),
        ("creators_get", {"creator_id": "none"}),
        (READ, {"name": "creators_list"}),
        ("exports_dataset", {"dataset": "creators"}),
    ):
        result = agent.result("tools/call", name=name, arguments=arguments)
        assert result.keys() == {"content", "isError", "_meta"}
        assert len(result["content"]) == 1


@pytest.mark.parametrize("name", ["creators_list", "notes_list", "leaderboards_creators"])
def test_lists_have_ten_items_by_default(tenant: Tenant, agent: Agent, name: str) -> None:
    [operation] = [each for each in operations(tenant.api.document) if each.entry.name == name]
    assert request_of(operation, {}).url.params["limit"] == "10"
    assert request_of(operation, {"limit": 3}).url.params["limit"] == "3"


def test_a_creator_in_a_list_is_short(tenant: Tenant, agent: Agent) -> None:
    accounts = [{"platform": each, "handle": "demo.creator"} for each in ("tiktok", "instagram")]
    made = tenant.creator(accounts=accounts, metadata={"note": "x" * 500})
    answer = agent.call("creators_list")
    [listed] = answer.envelope["data"]
    assert len(json.dumps(listed)) <= 800
    assert listed.items() <= {**made, "accounts": listed["accounts"]}.items()
    assert [each["id"] for each in listed["accounts"]] == [each["id"] for each in made["accounts"]]
    assert not answer.envelope["meta"]["hasMore"]
    asked = {"names": ["creators_list"], "answers": True}
    described = agent.result("tools/call", name=DESCRIBE, arguments=asked)
    [tool] = json.loads(described["content"][0]["text"])
    assert validator_for(tool["outputSchema"]).is_valid(answer.envelope)


def test_every_tool_can_be_called_by_the_general_ones(tenant: Tenant, agent: Agent) -> None:
    read = agent.call(READ, name="me_get")
    assert read.envelope == agent.call("me_get").envelope
    body = {"entity_type": "creator", "name": "Star"}
    made = agent.call(WRITE, name="tags_create", arguments={"body": body, "idempotency_key": "k"})
    assert made.envelope["data"]["created_via"] == "mcp"
    again = agent.call("tags_create", body=body, idempotency_key="k")
    assert again.meta["idempotencyReplay"]


def test_arguments_may_come_as_text(agent: Agent) -> None:
    assert agent.call(READ, name="creators_list", arguments='{"limit": 1}').is_success


def test_the_tool_that_reads_changes_nothing(tenant: Tenant, agent: Agent) -> None:
    body = {"entity_type": "creator", "name": "Never"}
    answer = agent.call(READ, name="tags_create", arguments={"body": body})
    assert (answer.status, answer.code) == (400, "invalid_query")
    assert "Use call_write_tool" in answer.envelope["error"]
    assert tenant.client.data("GET", "/tags") == []


@pytest.mark.parametrize(
    ("tool", "arguments", "path", "message"),
    [
        (READ, {"name": "creator_list"}, "name", "similar: creators_list"),
        (WRITE, {"name": "???"}, "name", "find one with search_tools"),
        (READ, {}, "name", "Field required"),
        (READ, {"name": "me_get", "arguments": "[1]"}, "arguments", "dictionary"),
        (READ, {"name": "me_get", "arguments": "{"}, "arguments", "EOF while parsing"),
        (READ, {"name": "me_get", "arguments": "[" * 9_999}, "arguments", "recursion limit"),
        (READ, {"name": "me_get", "argument": {}}, "argument", "not permitted"),
        (DESCRIBE, {"names": ["me_get", "nothing_get"]}, "names", "nothing_get"),
        (DESCRIBE, {"names": []}, "names", "at least 1"),
        (SEARCH, {"query": "posts", "limit": 0}, "limit", "greater than or equal to 1"),
        (SEARCH, {"query": "posts " * 40}, "query", "at most 200 characters"),
        (READ, {"name": "x" * 101}, "name", "at most 100 characters"),
        ("creator_list", {}, "name", "unknown tool 'creator_list'; similar: creators_list"),
        ("x" * 10_000, {}, "name", f"find one with {SEARCH}"),
    ],
)
def test_general_tools_name_the_argument_at_fault(
    agent: Agent, tool: str, arguments: dict[str, object], path: str, message: str
) -> None:
    answer = agent.result("tools/call", name=tool, arguments=arguments)
    envelope = json.loads(answer["content"][0]["text"])
    assert (answer["isError"], envelope["meta"]["code"]) == (True, "invalid_query")
    [issue] = envelope["meta"]["issues"]
    assert issue["path"] == path
    assert message in issue["message"]


def test_schemas_are_described_on_demand(tenant: Tenant, agent: Agent) -> None:
    def described(**more: bool) -> list[dict[str, object]]:
        arguments = {"names": ["creators_list", "creators_create"], **more}
        result = agent.result("tools/call", name=DESCRIBE, arguments=arguments)
        parsed: list[dict[str, object]] = json.loads(result["content"][0]["text"])
        return parsed

    assert [each.keys() for each in described()] == [{"name", "description", "inputSchema"}] * 2
    for tool in described(answers=True):
        meta.validate(tool["outputSchema"])


def test_only_what_the_caller_may_use_is_found(tenant: Tenant) -> None:
    with agent_with(tenant, "read", role="member") as reader:
        assert "creators_list" in tools_for(reader, "creators", limit=20)
        assert "creators_create" not in tools_for(reader, "create creators", limit=20)


def tools_for(agent: Agent, query: str, **more: int) -> list[str]:
    result = agent.result("tools/call", name=SEARCH, arguments={"query": query, **more})
    return re.findall(r"^### (\w+)$", result["content"][0]["text"], re.MULTILINE)


def test_lists_page_with_cursors(tenant: Tenant, agent: Agent) -> None:
    made = [tenant.creator(f"creator.{number}")["id"] for number in range(3)]
    first = agent.call("creators_list", limit=2)
    assert first.envelope["meta"]["hasMore"]
    cursor = first.envelope["meta"]["nextCursor"]
    second = agent.call("creators_list", limit=2, cursor=cursor)
    listed = [each["id"] for each in (*first.envelope["data"], *second.envelope["data"])]
    assert sorted(listed) == sorted(made)
    assert not second.envelope["meta"]["hasMore"]


def test_a_field_is_cleared_with_null(tenant: Tenant, agent: Agent) -> None:
    agent.call("me_update", body={"readme": "Text"})
    assert agent.call("me_update", body={"readme": None}).envelope["data"]["readme"] is None


def test_me_describes_the_callers_connection(tenant: Tenant, agent: Agent) -> None:
    assert agent.call("me_get").envelope["data"]["connection"]["via"] == "mcp"
    assert tenant.client.data("GET", "/me")["connection"]["via"] == "api_key"


def test_notes_and_tags_are_marked_as_made_by_mcp(tenant: Tenant, agent: Agent) -> None:
    creator = tenant.creator()
    body = {"mode": "append", "content": "Posts on Tuesdays."}
    agent.call("notes_write", entity_type="creator", entity_id=creator["id"], body=body)
    notes = agent.call("notes_get", entity_type="creator", entity_id=creator["id"])
    assert "(mcp), 2026-05-20" in notes.envelope["data"]["readme"]
    tag = agent.call("tags_create", body={"entity_type": "creator", "name": "Star"})
    assert tag.envelope["data"]["created_via"] == "mcp"


def test_the_audit_log_marks_writes_by_mcp(tenant: Tenant, agent: Agent) -> None:
    answer = agent.call("campaigns_create", project_id=str(tenant.project_id), body={"name": "May"})
    with tenant.api.store.read_session() as session:
        by_request = AuditEntry.request_id == answer.meta["requestId"]
        entry = session.scalars(select(AuditEntry).where(by_request)).one()
    assert (entry.channel, entry.action) == ("mcp", "create_project_campaign")


def test_the_same_idempotency_key_does_it_once(tenant: Tenant, agent: Agent) -> None:
    body = {"entity_type": "creator", "name": "Once"}
    calls = [agent.call("tags_create", body=body, idempotency_key="k1") for _ in range(2)]
    assert calls[0].envelope == calls[1].envelope
    assert "idempotencyReplay" not in calls[0].meta
    assert calls[1].meta["idempotencyReplay"]
    other = agent.call("tags_create", body={**body, "name": "Twice"}, idempotency_key="k1")
    assert other.code == "idempotency_key_reused"


def test_a_key_works_in_rest_and_mcp(tenant: Tenant, agent: Agent) -> None:
    body = {"entity_type": "creator", "name": "Once"}
    made = agent.call("tags_create", body=body, idempotency_key="shared")
    headers = {"Idempotency-Key": "shared"}
    repeated = tenant.client.post("/tags", json=body, headers=headers)
    assert repeated.json() == made.envelope
    assert repeated.headers["Idempotency-Replay"] == "true"


@pytest.mark.parametrize("key", ["", "x" * 256, "line\nbreak", "\x00", "é", 7])
def test_an_idempotency_key_that_rest_refuses_is_refused(agent: Agent, key: object) -> None:
    body = {"entity_type": "creator", "name": "Never"}
    answer = agent.call("tags_create", body=body, idempotency_key=key)
    assert (answer.status, answer.code) == (400, "invalid_idempotency_key")


def test_an_unknown_argument_is_refused_by_name(agent: Agent) -> None:
    answer = agent.call("creators_list", colour="red")
    assert answer.code == "invalid_query"
    assert answer.envelope["meta"]["issues"][0]["path"] == "colour"


@pytest.mark.parametrize("value", [None, "", "a/b", "../me", "\x00", "not-a-uuid", 7, ["x"], {}])
def test_a_value_that_is_no_id_is_refused_by_name(agent: Agent, value: object) -> None:
    answer = agent.call("creators_get", creator_id=value)
    assert (answer.status, answer.code) == (400, "invalid_params"), answer
    assert answer.envelope["meta"]["issues"][0]["path"] == "creator_id"


def test_an_invalid_id_error_names_the_source_of_ids(agent: Agent) -> None:
    path = agent.call("payout_structures_get", structure_id="weekly").envelope["error"]
    query = agent.call("videos_list", creator_id="Ada").envelope["error"]
    assert path.endswith("Lists return the `id` of each structure")
    assert query.endswith("Lists return the `id` of each creator")
    body = {"entity_type": "creator", "entity_ids": ["Ada"], "tags": ["x"]}
    assert "Lists return the `id` of each entity" in agent.call("tags_apply", body=body).texts[0]


def test_an_unknown_field_is_refused_with_the_list_of_fields(agent: Agent) -> None:
    answer = agent.call(
        "payout_accruals_decide", accrual_id=str(uuid4()), body={"decision": "approved"}
    )
    assert answer.envelope["meta"]["issues"] == [
        {"path": "decision", "message": "Unknown field. Use: amount_cents, note, status"}
    ]


@pytest.mark.parametrize("length", [9_000, 90_000])
def test_arguments_longer_than_a_url_are_refused_as_in_rest(agent: Agent, length: int) -> None:
    for name, argument in (("creators_list", "search"), ("creators_get", "creator_id")):
        answer = agent.call(name, **{argument: "x" * length})
        assert (answer.status, answer.code) == (414, "uri_too_long")


def test_a_missing_body_is_refused(agent: Agent) -> None:
    assert agent.call("creators_create").code == "invalid_body"


def test_fields_at_fault_are_named_as_in_rest(tenant: Tenant, agent: Agent) -> None:
    accounts = [{"platform": "tiktok", "handle": "no handle!"}]
    body = {"project_id": str(tenant.project_id), "accounts": accounts}
    answer = agent.call("creators_create", body=body)
    rest = tenant.client.post("/creators", json=body)
    assert answer.status == rest.status_code
    assert answer.envelope == rest.json()


def test_tables_come_in_pages_that_an_agent_can_hold(tenant: Tenant, agent: Agent) -> None:
    for number in range(3):
        tenant.creator(f"creator.{number}")
    first = agent.call("exports_dataset", dataset="creators", limit=2)
    assert first.envelope["csv"].count("\n") == 3
    cursor = first.envelope["nextCursor"]
    second = agent.call("exports_dataset", dataset="creators", limit=2, cursor=cursor)
    assert second.envelope["csv"].count("\n") == 2
    assert second.envelope["nextCursor"] is None
    for limit in (100_000, "100000", "+2", [2000]):
        refused = agent.call("exports_dataset", dataset="creators", limit=limit)
        assert refused.envelope["meta"]["issues"][0]["path"] == "limit"


@pytest.mark.slow
def test_a_large_answer_says_how_to_narrow(tenant: Tenant, agent: Agent) -> None:
    for number in range(20):
        campaign = tenant.campaign(f"Spring {number}")
        body = {"readme": "x" * 2_000}
        tenant.client.data("PATCH", f"/campaigns/{campaign['id']}", json=body)
    project = str(tenant.project_id)
    answer = agent.call("campaigns_list", project_id=project, limit=100)
    assert "call with a smaller `limit` or one `project_id`" in answer.texts[1]
    assert len(agent.call("campaigns_list", project_id=project, limit=1).texts) == 1


def test_only_messages_are_answered_and_only_with_a_key(tenant: Tenant, agent: Agent) -> None:
    with Agent(tenant.api, None) as stranger:
        response = stranger.message("tools/list")
        assert response.status_code == 401
        assert response.headers["WWW-Authenticate"].startswith("Bearer")
        assert response.json()["meta"]["code"] == "invalid_api_key"
    refused = agent.get(PATH)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "POST")


def test_a_message_larger_than_a_body_may_be_is_refused(agent: Agent) -> None:
    response = agent.post(PATH, content=b" " * 5_000_001)
    assert (response.status_code, response.json()["meta"]["code"]) == (413, "payload_too_large")
