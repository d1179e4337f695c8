"""Campaigns and their items over HTTP."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from tests.fixtures.api import Tenant


def join(tenant: Tenant, campaign: Any, kind: str, member: Any) -> Any:
    body = {"item_type": kind, "item_id": member["id"]}
    path = f"/campaigns/{campaign['id']}/items"
    return tenant.client.data("POST", path, json=body, status=201)


def refused(tenant: Tenant, campaign: Any, kind: str, member_id: str, **refusal: Any) -> Any:
    body = {"item_type": kind, "item_id": member_id}
    path = f"/campaigns/{campaign['id']}/items"
    return tenant.client.refusal("POST", path, json=body, **refusal)


class TestCampaigns:
    def test_a_campaign_is_made_read_changed_and_deleted(self, tenant: Tenant) -> None:
        made = tenant.campaign(" Spring ")
        assert (made["name"], made["project_id"]) == ("Spring", str(tenant.project_id))
        assert (made["metadata"], made["target_views"], made["target_at"]) == ({}, None, None)
        path = f"/campaigns/{made['id']}"
        body = {"name": "Summer", "target_views": 2**53, "target_at": "2026-06-01T02:00:00+02:00"}
        changed = tenant.client.data("PATCH", path, json=body)
        assert (changed["name"], changed["target_views"]) == ("Summer", 2**53)
        assert changed["target_at"] == "2026-06-01T00:00:00Z"
        assert tenant.client.data("GET", path) == changed
        assert tenant.client.data("DELETE", path) == {"deleted": True}
        tenant.client.refusal("GET", path, status=404, code="not_found")

    def test_lists_are_newest_first_and_filter(self, tenant: Tenant) -> None:
        names = [tenant.campaign(name)["name"] for name in ("a", "b", "c")]
        listed = tenant.client.data("GET", "/campaigns")
        assert [one["name"] for one in listed] == names[::-1]
        params = {"project_id": str(uuid4())}
        assert tenant.client.data("GET", "/campaigns", params=params) == []

    def test_notes_are_replaced_only_where_they_are_what_was_read(self, tenant: Tenant) -> None:
        path = f"/campaigns/{tenant.campaign()['id']}"
        version = tenant.client.data("GET", path)["readme_version"]
        body = {"readme": "First", "expected_readme_version": version}
        changed = tenant.client.data("PATCH", path, json=body)
        assert (changed["readme"], changed["readme_version"] != version) == ("First", True)
        meta = tenant.client.refusal("PATCH", path, json=body, status=409, code="notes_conflict")
        assert meta["current_readme_version"] == changed["readme_version"]
        assert tenant.client.data("PATCH", path, json={"readme": None})["readme"] is None

    @pytest.mark.parametrize(
        "body",
        [
            {},
            {"name": ""},
            {"name": "x" * 201},
            {"target_views": -1},
            {"target_views": 2**63},
            {"target_views": "5"},
            {"target_at": "2026-06-01"},
            {"target_at": "0001-01-01T00:00:00+14:00"},
            {"target_at": "2026-06-01T00:00:00"},
            {"expected_readme_version": "x"},
            {"metadata": {}},
        ],
    )
    def test_a_bad_change_is_refused(self, tenant: Tenant, body: dict[str, Any]) -> None:
        path = f"/campaigns/{tenant.campaign()['id']}"
        tenant.client.refusal("PATCH", path, json=body, status=400, code="invalid_body")


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
        assert [(one["item_type"], one["item_id"]) for one in listed] == [
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
        meta = refused(tenant, campaign, "creator", creator["id"], status=409, code="conflict")
        assert meta["reason"] == "already_member"

    def test_a_circle_of_any_length_is_refused(self, tenant: Tenant) -> None:
        a, b, c = (tenant.campaign(name) for name in "abc")
        join(tenant, a, "campaign", b)
        join(tenant, b, "campaign", c)
        for inner in (a, b, c):
            meta = refused(tenant, c, "campaign", inner["id"], status=409, code="conflict")
            assert meta["reason"] == "circular_reference"

    def test_two_requests_at_once_close_no_circle(self, tenant: Tenant) -> None:
        for _ in range(3):
            a, b = tenant.campaign("a"), tenant.campaign("b")

            def put_into(pair: tuple[Any, Any]) -> int:
                outer, inner = pair
                body = {"item_type": "campaign", "item_id": inner["id"]}
                path = f"/campaigns/{outer['id']}/items"
                return tenant.client.post(path, json=body).status_code

            with ThreadPoolExecutor(2) as pool:
                statuses = list(pool.map(put_into, [(a, b), (b, a)]))
            assert sorted(statuses) == [201, 409]

    def test_the_same_sub_campaign_may_be_reached_twice(self, tenant: Tenant) -> None:
        a, b, c = (tenant.campaign(name) for name in "abc")
        join(tenant, a, "campaign", b)
        join(tenant, a, "campaign", c)
        join(tenant, b, "campaign", c)

    def test_what_is_not_in_the_project_is_not_found(self, tenant: Tenant) -> None:
        campaign, video = tenant.campaign(), tenant.video()
        path = f"/organizations/{tenant.organization_id}/projects"
        second = tenant.client.data("POST", path, json={"name": "Second"}, status=201)
        elsewhere = tenant.creator("elsewhere", project_id=second["id"])
        for kind, member in (
            ("creator", elsewhere["id"]),
            ("creator", video["id"]),
            ("video", str(uuid4())),
        ):
            refused(tenant, campaign, kind, member, status=404, code="not_found")

    def test_a_removed_creator_does_not_join(self, tenant: Tenant) -> None:
        campaign, creator = tenant.campaign(), tenant.creator()
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        refused(tenant, campaign, "creator", creator["id"], status=409, code="creator_inactive")

    def test_a_deleted_campaign_leaves_the_campaigns_it_was_in(self, tenant: Tenant) -> None:
        outer, inner = tenant.campaign("outer"), tenant.campaign("inner")
        join(tenant, outer, "campaign", inner)
        join(tenant, inner, "creator", tenant.creator())
        tenant.client.data("DELETE", f"/campaigns/{inner['id']}")
        assert tenant.client.data("GET", f"/campaigns/{outer['id']}/items") == []

    @pytest.mark.parametrize(
        "body",
        [
            {"item_type": "tag", "item_id": str(uuid4())},
            {"item_type": "video"},
            {"item_type": "video", "item_id": "x"},
            {"item_type": "video", "item_id": str(uuid4()), "note": "x"},
        ],
    )
    def test_a_bad_body_is_refused(self, tenant: Tenant, body: dict[str, Any]) -> None:
        path = f"/campaigns/{tenant.campaign()['id']}/items"
        for method in ("POST", "DELETE"):
            tenant.client.refusal(method, path, json=body, status=400, code="invalid_body")
