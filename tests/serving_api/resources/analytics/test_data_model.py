"""`GET /schema` describes the API's actual responses."""

from typing import Any

import pytest

from tests.fixtures.api import Tenant


@pytest.fixture
def entities(tenant: Tenant) -> dict[str, Any]:
    entities = tenant.client.data("GET", "/schema")["entities"]
    return {entity["name"]: entity for entity in entities}


def field(entity: Any, name: str) -> Any:
    return next(field for field in entity["fields"] if field["name"] == name)


def test_the_fields_match_the_responses(tenant: Tenant, entities: dict[str, Any]) -> None:
    creator = tenant.creator()
    video, campaign = tenant.video(), tenant.campaign()
    account = creator["accounts"][0]
    answered = {
        "creator": tenant.client.data("GET", f"/creators/{creator['id']}"),
        "account": tenant.client.data("GET", f"/accounts/{account['id']}"),
        "video": tenant.client.data("GET", f"/videos/{video['id']}"),
        "campaign": tenant.client.data("GET", f"/campaigns/{campaign['id']}"),
        "project": tenant.client.data("GET", f"/projects/{tenant.project_id}"),
        "organization": tenant.client.data("GET", f"/organizations/{tenant.organization_id}"),
        "member": tenant.client.data("GET", "/members")[0],
        "api_key": tenant.client.data("GET", f"/organizations/{tenant.organization_id}/api-keys")[
            0
        ],
    }
    for name, answer in answered.items():
        fields = entities[name]["fields"]
        assert {field["name"] for field in fields} == answer.keys(), name
        nullable = {field["name"] for field in fields if field["nullable"]}
        assert {key for key, value in answer.items() if value is None} <= nullable, name


def test_fields_have_types_and_their_values(entities: dict[str, Any]) -> None:
    assert field(entities["creator"], "id")["type"] == "uuid"
    assert field(entities["creator"], "created_at")["type"] == "datetime"
    assert field(entities["account"], "tracking_start_date")["type"] == "date"
    assert field(entities["account"], "tracking_hashtags")["type"] == "array of string"
    assert field(entities["video"], "tracking_status")["values"] == [
        "auto_tracked",
        "pending_review",
        "included",
        "excluded",
        "direct_add",
    ]
    followers = field(entities["account"], "follower_count")
    assert (followers["type"], followers["nullable"]) == ("integer", True)


def test_relationships_name_the_field_and_what_it_refers_to(entities: dict[str, Any]) -> None:
    refers = {
        (name, relationship["field"], relationship["entity"], relationship["required"])
        for name, entity in entities.items()
        for relationship in entity["relationships"]
    }
    assert {
        ("video", "project_id", "project", True),
        ("video", "account_id", "account", False),
        ("account", "org_id", "organization", True),
        ("account", "deactivated_by", "member", False),
        ("api_key", "acts_as.user_id", "member", True),
    } <= refers


def test_nothing_secret_is_described(entities: dict[str, Any]) -> None:
    names = {field["name"] for entity in entities.values() for field in entity["fields"]}
    assert not {name for name in names if "hash" in name.split("_") or "password" in name}
