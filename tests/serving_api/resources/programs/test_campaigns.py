"""Campaigns and their items over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any
from uuid import uuid4

from tests.fixtures.api import Tenant


def join(tenant: Tenant, campaign: Any, kind: str, member: Any) -> Any:
    body = {"item_type": kind, "item_id": member["id"]}
    path = f"/campaigns/{campaign['id']}/items"
    return tenant.client.data("POST", path, json=body)


def refused(tenant: Tenant, campaign: Any, kind: str, member_id: str, code: str) -> Any:
    body = {"item_type": kind, "item_id": member_id}
    path = f"/campaigns/{campaign['id']}/items"
    return tenant.client.refusal("POST", path, code, json=body)


def second_project(tenant: Tenant) -> str:
    path = f"/organizations/{tenant.organization_id}/projects"
    return str(tenant.client.data("POST", path, json={"name": "Second"})["id"])


FIELDS = {
    "id",
    "project_id",
    "name",
    "readme",
    "metadata",
    "target_views",
    "target_at",
    "tags",
    "created_at",
    "updated_at",
}


def ask_to_join(tenant: Tenant, campaign: Any, kind: str, member: Any) -> int:
    body = {"item_type": kind, "item_id": member["id"]}
    return tenant.client.post(f"/campaigns/{campaign['id']}/items", json=body).status_code


def items_of(tenant: Tenant, campaign: Any) -> Any:
    return tenant.client.data("GET", f"/campaigns/{campaign['id']}/items")


class TestCreate:
    def test_a_campaign_has_the_contracts_fields_and_defaults(self, tenant: Tenant) -> None:
        made = tenant.campaign(" Spring ")
        assert made.keys() == FIELDS
        assert (made["name"], made["project_id"]) == ("Spring", str(tenant.project_id))
        assert (made["metadata"], made["target_views"], made["target_at"]) == ({}, None, None)
        assert (made["readme"], made["tags"]) == (None, [])
        alone = tenant.client.data("GET", f"/campaigns/{made['id']}")
        assert alone.keys() == FIELDS | {"readme_version", "view_coverage"}
        assert tenant.client.data("GET", "/campaigns") == [made]


class TestCampaigns:
    def test_a_campaign_is_changed_and_deleted(self, tenant: Tenant) -> None:
        path = f"/campaigns/{tenant.campaign()['id']}"
        body = {"name": "Summer", "target_views": 2**53, "target_at": "2026-06-01T02:00:00+02:00"}
        changed = tenant.client.data("PATCH", path, json=body)
        assert (changed["name"], changed["target_views"]) == ("Summer", 2**53)
        assert changed["target_at"] == "2026-06-01T00:00:00Z"
        assert tenant.client.data("GET", path) == changed
        cleared = tenant.client.data("PATCH", path, json={"target_views": None, "target_at": None})
        assert (cleared["target_views"], cleared["target_at"]) == (None, None)
        assert cleared["name"] == "Summer"
        assert tenant.client.data("DELETE", path) == {"deleted": True}
        tenant.client.refusal("GET", path, "not_found")

    def test_lists_are_newest_first_and_filter(self, tenant: Tenant) -> None:
        names = [tenant.campaign(name)["name"] for name in ("a", "b", "c")]
        path = f"/projects/{second_project(tenant)}/campaigns"
        elsewhere = tenant.client.data("POST", path, json={"name": "d"})
        listed = tenant.client.data("GET", "/campaigns")
        assert [campaign["name"] for campaign in listed] == ["d", *names[::-1]]
        for project, expected in (
            (str(tenant.project_id), names[::-1]),
            (elsewhere["project_id"], ["d"]),
            (str(uuid4()), []),
        ):
            listed = tenant.client.data("GET", "/campaigns", params={"project_id": project})
            assert [campaign["name"] for campaign in listed] == expected

    def test_a_refused_change_changes_nothing(self, tenant: Tenant) -> None:
        path = f"/campaigns/{tenant.campaign()['id']}"
        before = tenant.client.data("GET", path)
        stale = {"name": "B", "readme": "New", "expected_readme_version": "0" * 16}
        tenant.client.refusal("PATCH", path, "notes_conflict", json=stale)
        long = {"name": "B", "readme": "x" * 50_001}
        tenant.client.refusal("PATCH", path, "notes_too_long", json=long)
        assert tenant.client.data("GET", path) == before


class TestItems:
    def test_creators_videos_and_campaigns_join_and_leave(self, tenant: Tenant) -> None:
        campaign = tenant.campaign()
        members = {
            "creator": tenant.creator(),
            "video": tenant.video(),
            "campaign": tenant.campaign("Sub"),
        }
        path = f"/campaigns/{campaign['id']}/items"
        for kind, member in members.items():
            assert join(tenant, campaign, kind, member)["item_id"] == member["id"]
        listed = tenant.client.data("GET", path)
        assert [(item["item_type"], item["item_id"]) for item in listed] == [
            (kind, member["id"]) for kind, member in reversed(members.items())
        ]
        for kind, member in members.items():
            body = {"item_type": kind, "item_id": member["id"]}
            assert tenant.client.data("DELETE", path, json=body) == {"deleted": True}
            assert tenant.client.data("DELETE", path, json=body) == {"deleted": False}
        assert tenant.client.data("GET", path) == []

    def test_a_member_joins_once(self, tenant: Tenant) -> None:
        campaign, creator = tenant.campaign(), tenant.creator()
        join(tenant, campaign, "creator", creator)
        meta = refused(tenant, campaign, "creator", creator["id"], "conflict")
        assert meta["reason"] == "already_member"

    def test_a_circle_of_any_length_is_refused(self, tenant: Tenant) -> None:
        chain = [tenant.campaign(name) for name in "abcdef"]
        for outer, inner in pairwise(chain):
            join(tenant, outer, "campaign", inner)
        for inner in chain:
            meta = refused(tenant, chain[-1], "campaign", inner["id"], "conflict")
            assert meta["reason"] == "circular_reference"

    def test_requests_at_once_close_no_circle_however_deep(self, tenant: Tenant) -> None:
        for _ in range(2):
            a, b, c, d = chain = [tenant.campaign(name) for name in "abcd"]
            join(tenant, a, "campaign", b)
            join(tenant, c, "campaign", d)

            def put_into(pair: tuple[Any, Any]) -> int:
                return ask_to_join(tenant, pair[0], "campaign", pair[1])

            with ThreadPoolExecutor(2) as pool:
                statuses = list(pool.map(put_into, [(b, c), (d, a)]))
            assert sorted(statuses) == [201, 409]
            assert sum(len(items_of(tenant, campaign)) for campaign in chain) == 3

    def test_requests_at_once_join_once(self, tenant: Tenant) -> None:
        campaign, creator = tenant.campaign(), tenant.creator()
        with ThreadPoolExecutor(3) as pool:
            futures = [
                pool.submit(ask_to_join, tenant, campaign, "creator", creator) for _ in range(3)
            ]
        assert sorted(future.result() for future in futures) == [201, 409, 409]
        assert len(items_of(tenant, campaign)) == 1

    def test_deleting_while_others_join_leaves_nothing(self, tenant: Tenant) -> None:
        creator = tenant.creator()
        for _ in range(3):
            outer, inner = tenant.campaign("outer"), tenant.campaign("inner")

            def delete(campaign: Any) -> int:
                return tenant.client.delete(f"/campaigns/{campaign['id']}").status_code

            with ThreadPoolExecutor(3) as pool:
                joins = [
                    pool.submit(ask_to_join, tenant, inner, "creator", creator),
                    pool.submit(ask_to_join, tenant, outer, "campaign", inner),
                ]
                assert pool.submit(delete, inner).result() == 200
            assert {join.result() for join in joins} <= {201, 404}
            assert items_of(tenant, outer) == []

    def test_the_same_sub_campaign_may_be_reached_twice(self, tenant: Tenant) -> None:
        a, b, c = (tenant.campaign(name) for name in "abc")
        join(tenant, a, "campaign", b)
        join(tenant, a, "campaign", c)
        join(tenant, b, "campaign", c)

    def test_items_of_other_projects_are_not_found(self, tenant: Tenant, other: Tenant) -> None:
        campaign, video, project = tenant.campaign(), tenant.video(), second_project(tenant)
        path = f"/projects/{project}/campaigns"
        for kind, member in (
            ("creator", tenant.creator("elsewhere", project_id=project)["id"]),
            ("campaign", tenant.client.data("POST", path, json={"name": "B"})["id"]),
            ("creator", other.creator()["id"]),
            ("video", other.video()["id"]),
            ("campaign", other.campaign()["id"]),
            ("creator", video["id"]),
            ("video", str(uuid4())),
        ):
            refused(tenant, campaign, kind, member, "not_found")
        assert items_of(tenant, campaign) == []

    def test_an_excluded_video_can_join(self, tenant: Tenant) -> None:
        campaign, video = tenant.campaign(), tenant.video()
        tenant.client.data("DELETE", f"/videos/{video['id']}")
        join(tenant, campaign, "video", video)

    def test_a_creator_that_is_removed_later_stays_a_member(self, tenant: Tenant) -> None:
        campaign, creator = tenant.campaign(), tenant.creator()
        join(tenant, campaign, "creator", creator)
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        assert [item["item_id"] for item in items_of(tenant, campaign)] == [creator["id"]]
        refused(tenant, campaign, "creator", creator["id"], "creator_inactive")

    def test_a_deleted_campaign_leaves_the_campaigns_it_was_in(self, tenant: Tenant) -> None:
        outer, inner, creator = tenant.campaign("outer"), tenant.campaign("inner"), tenant.creator()
        join(tenant, outer, "campaign", inner)
        join(tenant, inner, "creator", creator)
        tenant.client.data("DELETE", f"/campaigns/{inner['id']}")
        assert items_of(tenant, outer) == []
        assert tenant.client.data("GET", f"/creators/{creator['id']}")["is_active"] is True
