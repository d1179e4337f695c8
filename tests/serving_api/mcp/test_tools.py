"""Tools do what the REST API does, and answer what it answers."""

import json
from collections.abc import Iterator
from uuid import uuid4

import pytest
from sqlalchemy import select

from tests.fixtures.agents import PATH, Agent
from tests.fixtures.api import Tenant
from warehouse.operational.models import AuditEntry


@pytest.fixture
def agent(tenant: Tenant) -> Iterator[Agent]:
    with Agent(tenant.api, tenant.made.api_key) as connected:
        yield connected


def test_a_read_answers_the_envelope_of_rest(tenant: Tenant, agent: Agent) -> None:
    creator = tenant.creator()
    told = agent.call("creators_get", creator_id=creator["id"])
    assert told.envelope == tenant.client.answer("GET", f"/creators/{creator['id']}")
    assert json.loads(told.texts[0]) == told.envelope
    assert told.status == 200


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


def test_me_says_how_the_caller_is_connected(tenant: Tenant, agent: Agent) -> None:
    assert agent.call("me_get").envelope["data"]["connection"]["via"] == "mcp"
    assert tenant.client.data("GET", "/me")["connection"]["via"] == "api_key"


def test_notes_and_tags_say_that_they_came_by_mcp(tenant: Tenant, agent: Agent) -> None:
    creator = tenant.creator()
    body = {"mode": "append", "content": "Posts on Tuesdays."}
    agent.call("notes_write", entity_type="creator", entity_id=creator["id"], body=body)
    notes = agent.call("notes_get", entity_type="creator", entity_id=creator["id"])
    assert "(mcp), 2026-05-20" in notes.envelope["data"]["readme"]
    tag = agent.call("tags_create", body={"entity_type": "creator", "name": "Star"})
    assert tag.envelope["data"]["created_via"] == "mcp"


def test_the_audit_log_says_that_a_write_came_by_mcp(tenant: Tenant, agent: Agent) -> None:
    told = agent.call("campaigns_create", project_id=str(tenant.project_id), body={"name": "May"})
    with tenant.api.store.read_session() as session:
        by_request = AuditEntry.request_id == told.meta["requestId"]
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


def test_a_key_of_one_door_holds_at_the_other(tenant: Tenant, agent: Agent) -> None:
    body = {"entity_type": "creator", "name": "Once"}
    made = agent.call("tags_create", body=body, idempotency_key="shared")
    headers = {"Idempotency-Key": "shared"}
    repeated = tenant.client.post("/tags", json=body, headers=headers)
    assert repeated.json() == made.envelope
    assert repeated.headers["Idempotency-Replay"] == "true"


@pytest.mark.parametrize("key", ["", "x" * 256, "line\nbreak", "\x00", "é", 7])
def test_an_idempotency_key_that_rest_could_not_take_is_refused(agent: Agent, key: object) -> None:
    body = {"entity_type": "creator", "name": "Never"}
    told = agent.call("tags_create", body=body, idempotency_key=key)
    assert (told.status, told.code) == (400, "invalid_idempotency_key")


def test_an_unknown_argument_is_refused_by_name(agent: Agent) -> None:
    told = agent.call("creators_list", colour="red")
    assert told.code == "invalid_query"
    assert told.envelope["meta"]["issues"][0]["path"] == "colour"


@pytest.mark.parametrize("value", [None, "", "a/b", "../me", "\x00", "not-a-uuid", 7, ["x"], {}])
def test_a_value_that_is_no_id_is_refused_by_name(agent: Agent, value: object) -> None:
    told = agent.call("creators_get", creator_id=value)
    assert (told.status, told.code) == (400, "invalid_params"), told
    assert told.envelope["meta"]["issues"][0]["path"] == "creator_id"


def test_a_missing_body_is_refused(agent: Agent) -> None:
    assert agent.call("creators_create").code == "invalid_body"


def test_fields_at_fault_are_named_as_in_rest(tenant: Tenant, agent: Agent) -> None:
    accounts = [{"platform": "tiktok", "handle": "no handle!"}]
    body = {"project_id": str(tenant.project_id), "accounts": accounts}
    told = agent.call("creators_create", body=body)
    rest = tenant.client.post("/creators", json=body)
    assert told.status == rest.status_code
    assert told.envelope == rest.json()


def test_what_is_not_there_is_not_found(agent: Agent) -> None:
    told = agent.call("videos_get", video_id=str(uuid4()))
    assert (told.status, told.code) == (404, "not_found")


def test_tables_come_in_pages_that_an_agent_can_hold(tenant: Tenant, agent: Agent) -> None:
    for number in range(3):
        tenant.creator(f"creator.{number}")
    first = agent.call("exports_dataset", dataset="creators", limit=2)
    assert first.envelope["csv"].count("\n") == 3
    cursor = first.envelope["nextCursor"]
    second = agent.call("exports_dataset", dataset="creators", limit=2, cursor=cursor)
    assert second.envelope["csv"].count("\n") == 2
    assert second.envelope["nextCursor"] is None
    refused = agent.call("exports_dataset", dataset="creators", limit=100_000)
    assert refused.envelope["meta"]["issues"][0]["path"] == "limit"


def test_a_large_answer_says_how_to_narrow(tenant: Tenant, agent: Agent) -> None:
    for number in range(20):
        tenant.creator(f"creator.{number}", metadata={"text": "x" * 2_000})
    told = agent.call("creators_list", limit=100)
    assert "call with a smaller `limit` or one `project_id`" in told.texts[1]
    assert len(agent.call("creators_list", limit=1).texts) == 1


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
