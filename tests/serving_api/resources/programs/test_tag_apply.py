"""`POST /tags/apply`: tags on many items at once."""

from typing import Any
from uuid import uuid4

import pytest

from tests.factories.tagging import (
    NOBODY,
    TYPES,
    add_item,
    fill_vocabulary,
    names,
    put_on,
    remove_item,
    tags_path,
)
from tests.fixtures.api import Tenant


def body_of(items: list[str], tags: list[str], **more: Any) -> dict[str, Any]:
    return {"entity_type": "campaign", "entity_ids": items, "tags": tags, **more}


def apply(tenant: Tenant, *args: Any, **more: Any) -> Any:
    return tenant.client.data("POST", "/tags/apply", json=body_of(*args, **more))


def refused(tenant: Tenant, body: Any, code: str) -> Any:
    return tenant.client.refusal("POST", "/tags/apply", code, json=body)


@pytest.fixture
def items(tenant: Tenant) -> list[str]:
    return [add_item(tenant, "campaign", number) for number in range(3)]


def test_tags_are_added_where_they_are_missing(tenant: Tenant, items: list[str]) -> None:
    sun = tenant.tag("Sun", "campaign")
    put_on(tenant, "campaign", items[0], "Sun")
    done = apply(tenant, [*items, NOBODY, items[0]], ["Star", sun["id"], "STAR"])
    (star,) = done["created_tags"]
    assert star["name"] == "Star"
    assert done == {
        "entity_type": "campaign",
        "entity_ids": items,
        "not_found_ids": [NOBODY],
        "tags": [star, {"id": sun["id"], "name": "Sun", "color": None}],
        "added": 5,
        "removed": 0,
        "created_tags": [star],
        "not_found_tags": [],
    }
    for item in items:
        assert names(tenant.client.data("GET", tags_path("campaign", item))) == ["Star", "Sun"]


def test_doing_it_again_changes_nothing(tenant: Tenant, items: list[str]) -> None:
    apply(tenant, items, ["Star"])
    done = apply(tenant, items, ["star"])
    assert (done["added"], done["created_tags"], names(done["tags"])) == (0, [], ["Star"])


def test_tags_are_removed_where_they_are(tenant: Tenant, items: list[str]) -> None:
    apply(tenant, items[:2], ["Star", "Sun"])
    done = apply(tenant, items, ["STAR", "Never", NOBODY], mode="remove")
    assert (done["added"], done["removed"], done["created_tags"]) == (0, 2, [])
    assert names(done["tags"]) == ["Star"]
    assert done["not_found_tags"] == ["Never", NOBODY]
    assert done["entity_ids"] == items
    assert names(tenant.client.data("GET", tags_path("campaign", items[0]))) == ["Sun"]
    assert names(tenant.client.data("GET", "/tags")) == ["Star", "Sun"]


@pytest.mark.parametrize("entity_type", TYPES)
def test_removed_items_and_other_types_and_organizations_are_not_found(
    tenant: Tenant, other: Tenant, entity_type: str
) -> None:
    taggable, removed = (add_item(tenant, entity_type, number) for number in (1, 2))
    remove_item(tenant, entity_type, removed)
    elsewhere = add_item(other, entity_type)
    wrong_type = str(tenant.project_id)
    body = {
        "entity_type": entity_type,
        "entity_ids": [taggable, removed, elsewhere, wrong_type],
        "tags": ["Star"],
    }
    done = tenant.client.data("POST", "/tags/apply", json=body)
    gone = [] if entity_type == "video" else [removed]
    assert done["not_found_ids"] == [*gone, elsewhere, wrong_type]
    assert done["added"] == len(done["entity_ids"]) == 2 - len(gone)


def test_an_empty_selection_is_an_error(tenant: Tenant) -> None:
    ids = [NOBODY, str(uuid4())]
    meta = refused(tenant, body_of(ids, ["Star"]), "not_found")
    assert meta["not_found_ids"] == ids
    assert tenant.client.data("GET", "/tags") == []


@pytest.mark.parametrize("mode", ["add", "remove"])
def test_bad_names_are_listed(tenant: Tenant, items: list[str], mode: str) -> None:
    body = body_of(items, ["Fine", "a,b"], mode=mode)
    meta = refused(tenant, body, "invalid_tag_name")
    assert meta["invalid"] == [{"input": "a,b", "problem": "must not contain a comma"}]


def test_unknown_ids_are_listed_and_nothing_is_written(tenant: Tenant, items: list[str]) -> None:
    of_creators = tenant.tag("Star", "creator")["id"]
    meta = refused(tenant, body_of(items, ["New", of_creators, NOBODY]), "unknown_tag_ids")
    assert meta["unknown_tag_ids"] == sorted([of_creators, NOBODY])
    assert len(tenant.client.data("GET", "/tags")) == 1


def test_one_item_with_too_many_stops_it_all(tenant: Tenant, items: list[str]) -> None:
    put_on(tenant, "campaign", items[1], *(f"Tag {number}" for number in range(20)))
    meta = refused(tenant, body_of(items, ["New"]), "too_many_tags")
    assert meta["entity_ids"] == [items[1]]
    assert tenant.client.data("GET", tags_path("campaign", items[0])) == []
    assert len(tenant.client.data("GET", "/tags")) == 20


@pytest.mark.slow
def test_a_full_vocabulary_stops_it_all(tenant: Tenant, items: list[str]) -> None:
    fill_vocabulary(tenant, "campaign", 500)
    refused(tenant, body_of(items, ["Filler 1", "New"]), "tag_vocabulary_full")
    assert tenant.client.data("GET", tags_path("campaign", items[0])) == []
    assert apply(tenant, items, ["Filler 1"])["added"] == 3
