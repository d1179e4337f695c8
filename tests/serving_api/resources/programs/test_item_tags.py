"""Tags of one item over HTTP: read, added, replaced, removed; the same for all four types."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

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

every_type = pytest.mark.parametrize("entity_type", TYPES)
METHODS = ("POST", "PUT", "DELETE")


def tags_of(tenant: Tenant, entity_type: str, item_id: str) -> Any:
    return tenant.client.data("GET", tags_path(entity_type, item_id))


@every_type
class TestEachType:
    def test_tags_are_added_replaced_and_removed(self, tenant: Tenant, entity_type: str) -> None:
        item = add_item(tenant, entity_type)
        path = tags_path(entity_type, item)
        assert tags_of(tenant, entity_type, item) == []

        added = put_on(tenant, entity_type, item, "beta", " Alpha ", "ALPHA")
        assert names(added["data"]) == ["Alpha", "beta"]
        assert added["meta"]["added"] == 2
        assert added["meta"]["removed"] == 0
        assert sorted(names(added["meta"]["created_tags"])) == ["Alpha", "beta"]

        put = put_on(tenant, entity_type, item, "ALPHA", "Gamma")
        assert names(put["data"]) == ["Alpha", "beta", "Gamma"]
        assert (put["meta"]["added"], put["meta"]["removed"]) == (1, 0)

        replaced = tenant.client.answer("PUT", path, json={"tags": ["gamma", "Delta"]})
        assert names(replaced["data"]) == ["Delta", "Gamma"]
        assert (replaced["meta"]["added"], replaced["meta"]["removed"]) == (1, 2)
        assert names(replaced["meta"]["created_tags"]) == ["Delta"]

        taken = tenant.client.answer("DELETE", path, json={"tags": ["delta", "alpha", "Never"]})
        assert names(taken["data"]) == ["Gamma"]
        assert taken["meta"] == {
            "added": 0,
            "removed": 1,
            "created_tags": [],
            "not_found": ["Never"],
        }
        cleared = tenant.client.answer("PUT", path, json={"tags": []})
        assert cleared["data"] == tags_of(tenant, entity_type, item) == []
        assert cleared["meta"] == {"added": 0, "removed": 1, "created_tags": []}
        assert names(tenant.client.data("GET", "/tags")) == ["Alpha", "beta", "Delta", "Gamma"]

    def test_items_show_their_tags(self, tenant: Tenant, entity_type: str) -> None:
        first, second = (add_item(tenant, entity_type, number) for number in (1, 2))
        body = {"entity_type": entity_type, "name": "beta", "color": "red"}
        beta = tenant.client.data("POST", "/tags", json=body)
        tags = put_on(tenant, entity_type, first, "beta", "Alpha")["data"]
        assert tags[1] == {"id": beta["id"], "name": "beta", "color": "red"}
        assert tags_of(tenant, entity_type, first) == tags
        assert tenant.client.data("GET", f"/{entity_type}s/{first}")["tags"] == tags
        listed = {
            item["id"]: item["tags"] for item in tenant.client.data("GET", f"/{entity_type}s")
        }
        assert listed == {first: tags, second: []}

    def test_an_item_that_is_removed_absent_or_elsewhere_is_not_found(
        self, tenant: Tenant, other: Tenant, entity_type: str
    ) -> None:
        removed = add_item(tenant, entity_type)
        put_on(tenant, entity_type, removed, "Star")
        remove_item(tenant, entity_type, removed)
        there_still = entity_type == "video"
        refused = [NOBODY, add_item(other, entity_type), *([] if there_still else [removed])]
        for item in refused:
            path = tags_path(entity_type, item)
            tenant.client.refusal("GET", path, "not_found")
            for method in METHODS:
                body = {"tags": ["New"]}
                tenant.client.refusal(method, path, "not_found", json=body)
        if there_still:
            assert names(tags_of(tenant, entity_type, removed)) == ["Star"]
        assert names(tenant.client.data("GET", "/tags")) == ["Star"]

    def test_ids_name_tags_of_the_same_type_alone(self, tenant: Tenant, entity_type: str) -> None:
        item = add_item(tenant, entity_type)
        others = [tenant.tag("Star", kind)["id"] for kind in TYPES if kind != entity_type]
        star = tenant.tag("Star", entity_type)["id"]
        put_on(tenant, entity_type, item, star.upper(), "STAR", star)
        assert tags_of(tenant, entity_type, item) == [{"id": star, "name": "Star", "color": None}]
        path = tags_path(entity_type, item)
        for method in ("POST", "PUT"):
            body = {"tags": ["New", star, NOBODY, others[0]]}
            meta = tenant.client.refusal(method, path, "unknown_tag_ids", json=body)
            assert meta["unknown_tag_ids"] == sorted([NOBODY, others[0]])
        taken = tenant.client.answer("DELETE", path, json={"tags": [NOBODY, star]})
        assert taken["meta"]["not_found"] == [NOBODY]
        assert taken["data"] == []
        assert len(tenant.client.data("GET", "/tags")) == len(TYPES)


class TestBodies:
    @pytest.mark.parametrize("method", METHODS)
    def test_every_bad_name_is_listed_with_its_problem(self, tenant: Tenant, method: str) -> None:
        path = tags_path("campaign", add_item(tenant, "campaign"))
        body = {"tags": ["Fine", " ", "\u200b", "a, b", "x" * 41]}
        meta = tenant.client.refusal(method, path, "invalid_tag_name", json=body)
        assert [(issue["input"], issue["problem"]) for issue in meta["invalid"]] == [
            (" ", "must not be empty"),
            ("\u200b", "must not be empty"),
            ("a, b", "must not contain a comma"),
            ("x" * 41, "must be at most 40 characters"),
        ]
        assert tenant.client.data("GET", "/tags") == []

    def test_twenty_tags_can_be_named(self, tenant: Tenant) -> None:
        item = add_item(tenant, "campaign")
        tags = [f"Tag {number}" for number in range(20)]
        assert put_on(tenant, "campaign", item, *tags)["meta"]["added"] == 20


class TestLimits:
    def test_an_item_has_at_most_twenty_tags(self, tenant: Tenant) -> None:
        item = add_item(tenant, "campaign")
        path = tags_path("campaign", item)
        put_on(tenant, "campaign", item, *(f"Tag {number}" for number in range(19)))
        body = {"tags": ["New", "Newer"]}
        meta = tenant.client.refusal("POST", path, "too_many_tags", json=body)
        assert (meta["max"], meta["entity_ids"]) == (20, [item])
        assert len(tenant.client.data("GET", "/tags")) == 19
        put_on(tenant, "campaign", item, "Tag 3", "New")
        tenant.client.answer("PUT", path, json={"tags": [f"Other {n}" for n in range(20)]})

    @pytest.mark.slow
    def test_a_full_vocabulary_accepts_no_new_name(self, tenant: Tenant) -> None:
        item = add_item(tenant, "campaign")
        path = tags_path("campaign", item)
        fill_vocabulary(tenant, "campaign", 499)
        for method in ("POST", "PUT"):
            body = {"tags": ["New", "Newer", "Filler 1"]}
            meta = tenant.client.refusal(method, path, "tag_vocabulary_full", json=body)
            assert (meta["current"], meta["max"], meta["entity_type"]) == (499, 500, "campaign")
        assert tags_of(tenant, "campaign", item) == []
        put_on(tenant, "campaign", item, "New", "Filler 1")

    def test_requests_at_once_stay_within_the_limit_of_an_item(self, tenant: Tenant) -> None:
        item = add_item(tenant, "campaign")
        path = tags_path("campaign", item)
        put_on(tenant, "campaign", item, *(f"Tag {number}" for number in range(16)))

        def add(number: int) -> int:
            body = {"tags": [f"New {number}", f"Newer {number}"]}
            return tenant.client.post(path, json=body).status_code

        with ThreadPoolExecutor(5) as pool:
            assert sorted(pool.map(add, range(5))) == [200, 200, 422, 422, 422]
        assert len(tags_of(tenant, "campaign", item)) == 20

    def test_a_tag_deleted_meanwhile_leaves_nothing(self, tenant: Tenant) -> None:
        items = [add_item(tenant, "campaign", number) for number in range(3)]
        tag = tenant.tag("Star", "campaign")["id"]

        def act(item: str | None) -> int:
            if item is None:
                return tenant.client.delete(f"/tags/{tag}").status_code
            body = {"tags": [tag]}
            return tenant.client.post(tags_path("campaign", item), json=body).status_code

        with ThreadPoolExecutor(4) as pool:
            statuses = list(pool.map(act, [items[0], None, *items[1:]]))
        assert set(statuses) <= {200, 400}
        assert statuses[1] == 200
        for item in items:
            assert tags_of(tenant, "campaign", item) == []

    def test_a_campaign_deleted_meanwhile_has_no_tags(self, tenant: Tenant) -> None:
        for number in range(3):
            item = add_item(tenant, "campaign", number)

            def act(method: str, item: str = item) -> int:
                if method == "DELETE":
                    return tenant.client.delete(f"/campaigns/{item}").status_code
                body = {"tags": ["Star"]}
                return tenant.client.post(tags_path("campaign", item), json=body).status_code

            with ThreadPoolExecutor(2) as pool:
                statuses = list(pool.map(act, ["POST", "DELETE"]))
            assert statuses[0] in (200, 404)
            assert statuses[1] == 200
        listed = tenant.client.data("GET", "/tags")
        assert [tag["usage_count"] for tag in listed] in ([], [0])


def test_a_handle_that_is_tracked_again_starts_without_tags(tenant: Tenant) -> None:
    creator = tenant.creator("again")
    account = creator["accounts"][0]["id"]
    put_on(tenant, "account", account, "Star")
    tenant.client.data("DELETE", f"/accounts/{account}")
    path = f"/creators/{creator['id']}/accounts"
    body = {"platform": "tiktok", "handle": "again"}
    added = tenant.client.data("POST", path, json=body)
    assert added["tags"] == []
    tenant.client.refusal("GET", tags_path("account", account), "not_found")


def test_answers_to_writes_show_the_tags_too(tenant: Tenant) -> None:
    changes: dict[str, dict[str, Any]] = {
        "creator": {"display_name": "B"},
        "campaign": {"name": "B"},
        "account": {"tracking_mode": "selective"},
        "video": {"title": "B"},
    }
    for entity_type, body in changes.items():
        item = add_item(tenant, entity_type)
        tags = put_on(tenant, entity_type, item, "Star")["data"]
        changed = tenant.client.data("PATCH", f"/{entity_type}s/{item}", json=body)
        assert changed["tags"] == tags


def test_a_creators_accounts_carry_their_own_tags(tenant: Tenant) -> None:
    creator = tenant.creator()
    account = creator["accounts"][0]["id"]
    put_on(tenant, "creator", creator["id"], "Of the creator")
    tags = put_on(tenant, "account", account, "Of the account")["data"]
    for path in ("/creators", f"/creators/{creator['id']}/accounts"):
        (listed,) = tenant.client.data("GET", path)
        accounts = listed.get("accounts", [listed])
        assert [account["tags"] for account in accounts] == [tags]
