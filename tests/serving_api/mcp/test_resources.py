"""Notes documents and the data model are resources, with REST's permissions."""

from collections.abc import Iterator
from typing import Any

import pytest

from serving_api.mcp.resources import A_PAGE, FIRST_OF_EACH
from tests.fixtures.agents import Agent, agent_with
from tests.fixtures.api import Tenant
from warehouse.operational.models import Campaign, Creator

SCHEMA = "tracker://schema"


@pytest.fixture
def agent(tenant: Tenant) -> Iterator[Agent]:
    with Agent(tenant.api, tenant.made.api_key) as connected:
        yield connected


def write(tenant: Tenant, entity_type: str, entity_id: object, content: str) -> str:
    """Write a document over REST; return its address."""
    body = {"mode": "append", "content": content}
    tenant.client.data("POST", f"/notes/{entity_type}/{entity_id}", json=body)
    return f"tracker://notes/{entity_type}/{entity_id}"


def listed(agent: Agent, **cursor: str) -> list[str]:
    return [each["uri"] for each in agent.result("resources/list", **cursor)["resources"]]


def pages(agent: Agent) -> Iterator[list[Any]]:
    """Every page of the list, as clients follow it."""
    page = agent.result("resources/list")
    yield page["resources"]
    while cursor := page.get("nextCursor"):
        page = agent.result("resources/list", cursor=cursor)
        yield page["resources"]


def write_many(tenant: Tenant, creators: int, campaigns: int) -> None:
    """Give an organization this many documents."""
    of = {
        "organization_id": tenant.organization_id,
        "project_id": tenant.project_id,
        "readme": "Text",
        "readme_updated_at": tenant.api.store.clock(),
    }
    with tenant.api.store.write_session() as session:
        session.add_all(Creator(**of) for _ in range(creators))
        session.add_all(Campaign(**of, name=f"Campaign {each}") for each in range(campaigns))


def test_the_data_model_is_read(agent: Agent) -> None:
    schema = agent.result("resources/read", uri=SCHEMA)["contents"][0]
    assert '"entities"' in schema["text"]


def test_documents_are_listed_latest_first(tenant: Tenant, agent: Agent) -> None:
    assert listed(agent) == [SCHEMA]
    organization = write(tenant, "organization", tenant.organization_id, "We pay on Fridays.")
    creator, silent = tenant.creator(display_name="Ada"), tenant.creator("silent")
    about = write(tenant, "creator", creator["id"], "Posts on Tuesdays.")
    assert listed(agent) == [SCHEMA, organization, about]
    later = write(tenant, "creator", silent["id"], "Speaks now.")
    assert listed(agent) == [SCHEMA, organization, later, about]
    document = agent.result("resources/list")["resources"][3]
    assert document["name"] == f"notes/creator/{creator['id']}"
    assert (document["title"], document["mimeType"]) == ("Ada", "text/markdown")


def test_reading_one_gives_the_text_that_rest_gives(tenant: Tenant, agent: Agent) -> None:
    creator = tenant.creator()["id"]
    uri = write(tenant, "creator", creator, "Posts on Tuesdays.")
    notes = agent.result("resources/read", uri=uri)["contents"][0]
    assert notes["mimeType"] == "text/markdown"
    assert notes["text"] == tenant.client.data("GET", f"/notes/creator/{creator}")["readme"]


def test_documents_without_text_have_an_address(tenant: Tenant, agent: Agent) -> None:
    [template] = agent.result("resources/templates/list")["resourceTemplates"]
    uri = template["uriTemplate"].format(entity_type="creator", entity_id=tenant.creator()["id"])
    assert agent.result("resources/read", uri=uri)["contents"][0]["text"] == ""


def test_a_long_list_has_pages_with_every_document_once(tenant: Tenant, agent: Agent) -> None:
    creators, campaigns = FIRST_OF_EACH + A_PAGE + 1, FIRST_OF_EACH + 1
    write_many(tenant, creators, campaigns)
    document_pages = list(pages(agent))
    assert [len(page) for page in document_pages] == [1 + 2 * FIRST_OF_EACH, 1, A_PAGE, 1]
    uris = [each["uri"] for page in document_pages for each in page]
    assert len(set(uris)) == len(uris) == 1 + creators + campaigns


def test_a_type_that_just_fits_has_no_further_page(tenant: Tenant, agent: Agent) -> None:
    write_many(tenant, FIRST_OF_EACH, FIRST_OF_EACH)
    assert [len(page) for page in pages(agent)] == [1 + 2 * FIRST_OF_EACH]


@pytest.mark.parametrize("cursor", ["x", "creator+-1", "nothing+25", "creator,+25", "creator+٣"])
def test_an_invalid_cursor_is_refused(agent: Agent, cursor: str) -> None:
    error = agent.message("resources/list", cursor=cursor).json()["error"]
    assert error["code"] == -32602
    assert "cursor" in error["message"]


def test_others_documents_are_hidden(tenant: Tenant, other: Tenant, agent: Agent) -> None:
    uri = write(other, "creator", other.creator()["id"], "Secret.")
    assert listed(agent) == [SCHEMA]
    error = agent.message("resources/read", uri=uri).json()["error"]
    assert '"not_found"' in error["message"]


def test_a_member_is_shown_what_a_member_reads_in_rest(tenant: Tenant) -> None:
    uri = write(tenant, "project", tenant.project_id, "Launch in May.")
    with agent_with(tenant, "read", role="member") as agent:
        assert listed(agent) == [SCHEMA, uri]


def test_callers_without_read_see_none(tenant: Tenant) -> None:
    write(tenant, "project", tenant.project_id, "Launch in May.")
    with agent_with(tenant, "write") as agent:
        assert listed(agent) == []
        assert listed(agent, cursor="project+25") == []
        assert agent.result("resources/templates/list")["resourceTemplates"] == []
        error = agent.message("resources/read", uri=SCHEMA).json()["error"]
        assert '"insufficient_scope"' in error["message"]
