"""The vocabulary of tags over HTTP: listing, creating, changing, deleting and merging."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from serving_api.kit.principals import Principal
from serving_api.kit.request_context import WriteContext
from serving_api.resources.programs.tags import vocabulary
from serving_api.resources.programs.tags.schemas import NewTag
from tests.factories.tagging import (
    TYPES,
    add_item,
    fill_vocabulary,
    names,
    put_on,
    remove_item,
    tags_path,
)
from tests.fixtures.api import Tenant
from tests.fixtures.within import services_within
from warehouse.operational.audit import Channel
from warehouse.operational.audit_reading import AuditFilters, read_audit


class TestCreate:
    def test_a_tag_keeps_the_casing_and_maker_of_its_creation(self, tenant: Tenant) -> None:
        body = {"entity_type": "creator", "name": "  Rising   Star "}
        answer = tenant.client.answer("POST", "/tags", json=body)
        tag = answer["data"]
        assert answer["meta"] == {"created": True}
        assert (tag["name"], tag["entity_type"], tag["color"]) == ("Rising Star", "creator", None)
        assert (tag["usage_count"], tag["created_via"]) == (0, "api")
        assert tag["created_by"] == str(tenant.made.user_id)
        assert tag.keys() == {
            "id",
            "entity_type",
            "name",
            "color",
            "usage_count",
            "created_by",
            "created_via",
            "created_at",
            "updated_at",
        }

    def test_an_existing_name_in_any_casing_is_returned_as_stored(self, tenant: Tenant) -> None:
        body = {"entity_type": "video", "name": "Stra\u00dfe", "color": "red"}
        first = tenant.client.data("POST", "/tags", json=body)
        again = {"entity_type": "video", "name": "STRASSE", "color": "blue"}
        answer = tenant.client.answer("POST", "/tags", json=again, status=200)
        assert answer == {"data": first, "error": None, "meta": {"created": False}}

    def test_vocabularies_are_apart(self, tenant: Tenant, other: Tenant) -> None:
        ids = {tenant.tag("Star", entity_type)["id"] for entity_type in TYPES}
        ids.add(other.tag("Star")["id"])
        assert len(ids) == len(TYPES) + 1

    def test_a_full_vocabulary_accepts_no_new_name(self, tenant: Tenant) -> None:
        fill_vocabulary(tenant, "creator", 500)
        body = {"entity_type": "creator", "name": "One more"}
        meta = tenant.client.refusal("POST", "/tags", "tag_vocabulary_full", json=body)
        assert (meta["max"], meta["current"]) == (500, 500)
        known = {"entity_type": "creator", "name": "FILLER 7"}
        assert tenant.client.data("POST", "/tags", json=known, status=200)["name"] == "Filler 7"
        tenant.tag("One more", "account")

    def test_requests_at_once_make_one_tag_of_a_name(self, tenant: Tenant) -> None:
        fill_vocabulary(tenant, "creator", 498)

        def make(name: str) -> tuple[int, str | None]:
            body = {"entity_type": "creator", "name": name}
            response = tenant.client.post("/tags", json=body)
            return response.status_code, (response.json()["data"] or {}).get("id")

        with ThreadPoolExecutor(6) as pool:
            made = list(pool.map(make, ["Star", "STAR", "star", "a", "b", "c"]))
        assert len({tag_id for _, tag_id in made[:3]} - {None}) <= 1
        statuses = sorted(status for status, _ in made)
        assert statuses.count(201) == 2
        assert tenant.client.answer("GET", "/tags")["meta"] == {"total": 500}


@pytest.mark.parametrize(("channel", "via"), [("api", "api"), ("mcp", "mcp"), ("page", "ui")])
def test_a_tag_has_its_creating_interface(tenant: Tenant, channel: Channel, via: str) -> None:
    caller = Principal(
        key_id=uuid4(),
        key_name="Key",
        organization_id=tenant.organization_id,
        organization_name="Acme",
        plan_name="ultra",
        analytics_tz="UTC",
        user_id=tenant.made.user_id,
        maker_id=tenant.made.user_id,
        display_name="Ada",
        role="admin",
        is_platform_admin=False,
        granted=(),
        channel=channel,
    )
    services = services_within(tenant.api.settings, tenant.api.store)
    with tenant.api.store.write_session() as session:
        context = WriteContext(caller, session, services.published, services)
        vocabulary.create(context, NewTag(entity_type="creator", name="Star"))
    assert [tag["created_via"] for tag in tenant.client.data("GET", "/tags")] == [via]


class TestList:
    def test_tags_come_by_type_and_within_one_by_name(self, tenant: Tenant) -> None:
        for entity_type in reversed(TYPES):
            for name in ("beta", "Alpha", "Gamma"):
                tenant.tag(name, entity_type)
        answer = tenant.client.answer("GET", "/tags")
        listed = [(tag["entity_type"], tag["name"]) for tag in answer["data"]]
        assert listed == [(kind, name) for kind in TYPES for name in ("Alpha", "beta", "Gamma")]
        assert answer["meta"] == {"total": 12}

    def test_all_are_listed_at_once(self, tenant: Tenant) -> None:
        fill_vocabulary(tenant, "creator", 120)
        assert len(tenant.client.data("GET", "/tags")) == 120

    @pytest.mark.parametrize(
        ("part", "matches"),
        [
            ("STAR", ["Rising Star", "Starlet"]),
            ("g s", ["Rising Star"]),
            ("100%", ["100% real"]),
            ("%", ["100% real"]),
            ("_", []),
            ("STRASS", ["Stra\u00dfe"]),
            (" let ", ["Starlet"]),
        ],
    )
    def test_search_by_a_part(self, tenant: Tenant, part: str, matches: list[str]) -> None:
        for name in ("Rising Star", "Starlet", "100% real", "Stra\u00dfe"):
            tenant.tag(name)
        answer = tenant.client.answer("GET", "/tags", params={"q": part})
        assert names(answer["data"]) == matches
        assert answer["meta"] == {"total": len(matches)}

    @pytest.mark.parametrize("entity_type", TYPES)
    def test_removed_items_are_no_usage(self, tenant: Tenant, entity_type: str) -> None:
        items = [add_item(tenant, entity_type, number) for number in (1, 2, 3)]
        for item_id in items:
            put_on(tenant, entity_type, item_id, "Star")
        assert [tag["usage_count"] for tag in tenant.client.data("GET", "/tags")] == [3]
        remove_item(tenant, entity_type, items[0])
        assert [tag["usage_count"] for tag in tenant.client.data("GET", "/tags")] == [2]

    def test_tags_count_once_a_video_is_included(self, tenant: Tenant) -> None:
        first, second = (add_item(tenant, "video", number) for number in (1, 2))
        put_on(tenant, "video", first, "Star")
        remove_item(tenant, "video", second)
        put_on(tenant, "video", second, "Star")
        assert [tag["usage_count"] for tag in tenant.client.data("GET", "/tags")] == [1]
        included = {"tracking_status": "included"}
        tenant.client.data("PATCH", f"/videos/{second}", json=included)
        assert [tag["usage_count"] for tag in tenant.client.data("GET", "/tags")] == [2]

    @pytest.mark.slow
    def test_usage_is_exact_under_concurrency(self, tenant: Tenant) -> None:
        videos = [add_item(tenant, "video", number) for number in range(4)]

        def act(step: int) -> int:
            path = f"/videos/{videos[step % 4]}"
            if step % 3:
                status = "excluded" if step % 2 else "included"
                body = {"tracking_status": status}
                return tenant.client.patch(path, json=body).status_code
            method = "DELETE" if step % 5 == 0 else "POST"
            body = {"tags": ["Star", "Sun"]}
            return tenant.client.request(method, f"{path}/tags", json=body).status_code

        with ThreadPoolExecutor(8) as pool:
            assert set(pool.map(act, range(60))) == {200}
        carried = [
            tag["name"]
            for video in videos
            if tenant.client.data("GET", f"/videos/{video}")["tracking_status"] != "excluded"
            for tag in tenant.client.data("GET", f"/videos/{video}/tags")
        ]
        for tag in tenant.client.data("GET", "/tags"):
            assert tag["usage_count"] == carried.count(tag["name"])

    def test_removed_accounts_do_not_count_as_usage(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        put_on(tenant, "account", creator["accounts"][0]["id"], "Star")
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        assert [tag["usage_count"] for tag in tenant.client.data("GET", "/tags")] == [0]


class TestChange:
    def test_name_and_color_change_and_the_items_show_it(self, tenant: Tenant) -> None:
        campaign = add_item(tenant, "campaign")
        put_on(tenant, "campaign", campaign, "Star")
        (tag,) = tenant.client.data("GET", "/tags")
        path = f"/tags/{tag['id']}"
        changed = tenant.client.data("PATCH", path, json={"name": " Sun ", "color": "pink"})
        assert (changed["name"], changed["color"], changed["usage_count"]) == ("Sun", "pink", 1)
        tags = tenant.client.data("GET", f"/campaigns/{campaign}")["tags"]
        assert tags == [{"id": tag["id"], "name": "Sun", "color": "pink"}]
        put_on(tenant, "campaign", campaign, "SUN")
        assert len(tenant.client.data("GET", "/tags")) == 1
        assert tenant.client.data("PATCH", path, json={"color": None})["color"] is None

    def test_a_tag_may_change_the_casing_of_its_name(self, tenant: Tenant) -> None:
        tag = tenant.tag("star")
        changed = tenant.client.data("PATCH", f"/tags/{tag['id']}", json={"name": "STAR"})
        assert changed["name"] == "STAR"

    def test_a_name_of_another_tag_is_refused_in_any_casing(self, tenant: Tenant) -> None:
        star, sun = tenant.tag("Star"), tenant.tag("Sun")
        tenant.tag("Moon", "video")
        path = f"/tags/{sun['id']}"
        meta = tenant.client.refusal("PATCH", path, "tag_name_taken", json={"name": "sTAR"})
        assert meta["existing_tag_id"] == star["id"]
        assert tenant.client.data("PATCH", path, json={"name": "Moon"})["name"] == "Moon"


class TestDelete:
    def test_a_deleted_tag_leaves_all_that_carried_it(self, tenant: Tenant) -> None:
        items = [add_item(tenant, "video", number) for number in (1, 2)]
        for item_id in items:
            put_on(tenant, "video", item_id, "Star", "Sun")
        star = tenant.client.data("GET", "/tags", params={"q": "star"})[0]["id"]
        path = f"/tags/{star}"
        deleted = tenant.client.data("DELETE", path)
        assert deleted == {"id": star, "deleted": True, "removed_from": 2}
        for item_id in items:
            assert names(tenant.client.data("GET", tags_path("video", item_id))) == ["Sun"]
        tenant.client.refusal("DELETE", path, "not_found")
        assert names(tenant.client.data("GET", "/tags")) == ["Sun"]

    def test_its_name_is_free_again(self, tenant: Tenant) -> None:
        tenant.client.data("DELETE", f"/tags/{tenant.tag('Star')['id']}")
        tenant.tag("star")


class TestMerge:
    def test_items_of_the_sources_get_the_target_once(self, tenant: Tenant) -> None:
        single, both, all_three, none = (add_item(tenant, "campaign", n) for n in range(4))
        put_on(tenant, "campaign", single, "Sun")
        put_on(tenant, "campaign", both, "Sun", "Moon")
        put_on(tenant, "campaign", all_three, "Sun", "Moon", "Star")
        put_on(tenant, "campaign", none, "Other")
        tags = {tag["name"]: tag["id"] for tag in tenant.client.data("GET", "/tags")}
        body = {
            "target_tag_id": tags["Star"],
            "source_tag_ids": [tags["Sun"], tags["Moon"], tags["Star"], tags["Sun"]],
        }
        merged = tenant.client.data("POST", "/tags/merge", json=body)
        assert (merged["tag"]["name"], merged["tag"]["usage_count"]) == ("Star", 3)
        assert merged["moved"] == 2
        assert sorted(names(merged["deleted_tags"])) == ["Moon", "Sun"]
        for item_id in (single, both, all_three):
            assert names(tenant.client.data("GET", tags_path("campaign", item_id))) == ["Star"]
        assert names(tenant.client.data("GET", "/tags")) == ["Other", "Star"]

    def test_tags_of_different_types_stay_apart(self, tenant: Tenant) -> None:
        body = {
            "target_tag_id": tenant.tag("Star")["id"],
            "source_tag_ids": [tenant.tag("Sun")["id"], tenant.tag("Sun", "video")["id"]],
        }
        tenant.client.refusal("POST", "/tags/merge", "tag_type_mismatch", json=body)
        assert len(tenant.client.data("GET", "/tags")) == 3


Write = Callable[[Tenant, str, str], object]

WRITES: dict[str, tuple[Write, list[tuple[str, str]]]] = {
    "create_tag": (lambda tenant, _item, _tag: tenant.tag("New"), [("tag", "created")]),
    "change_tag": (
        lambda tenant, _item, tag: tenant.client.data("PATCH", f"/tags/{tag}", json={"name": "B"}),
        [("tag", "changed")],
    ),
    "delete_tag": (
        lambda tenant, _item, tag: tenant.client.data("DELETE", f"/tags/{tag}"),
        [("tag_item", "deleted"), ("tag", "deleted")],
    ),
    "merge_tags": (
        lambda tenant, _item, tag: tenant.client.data(
            "POST",
            "/tags/merge",
            json={"target_tag_id": tenant.tag("New", "campaign")["id"], "source_tag_ids": [tag]},
        ),
        [("tag_item", "deleted"), ("tag_item", "created"), ("tag", "deleted")],
    ),
    "add_campaign_tags": (
        lambda tenant, item, _tag: put_on(tenant, "campaign", item, "New"),
        [("tag", "created"), ("tag_item", "created")],
    ),
    "replace_campaign_tags": (
        lambda tenant, item, _tag: tenant.client.data(
            "PUT", tags_path("campaign", item), json={"tags": []}
        ),
        [("tag_item", "deleted")],
    ),
    "remove_campaign_tags": (
        lambda tenant, item, tag: tenant.client.request(
            "DELETE", tags_path("campaign", item), json={"tags": [tag]}
        ),
        [("tag_item", "deleted")],
    ),
    "apply_tags": (
        lambda tenant, item, _tag: tenant.client.data(
            "POST",
            "/tags/apply",
            json={"entity_type": "campaign", "entity_ids": [item], "tags": ["New"]},
        ),
        [("tag", "created"), ("tag_item", "created")],
    ),
}


@pytest.mark.parametrize("action", WRITES)
def test_every_write_is_on_record(tenant: Tenant, action: str) -> None:
    item = add_item(tenant, "campaign")
    tag = put_on(tenant, "campaign", item, "Star")["data"][0]["id"]
    write, expected = WRITES[action]
    write(tenant, item, tag)
    with tenant.api.store.read_session() as session:
        filters = AuditFilters(organization_id=tenant.organization_id)
        record = read_audit(session, filters, limit=1)[0]
    assert (record.action, record.user_id) == (action, tenant.made.user_id)
    assert [(change.entity_type, change.kind) for change in record.changes] == expected
