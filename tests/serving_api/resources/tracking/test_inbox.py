"""The inbox: posts that await review, approved or excluded (decisions.md, Inbox)."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_video, change
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Account


def pending(tenant: Tenant, *names: str, **columns: Any) -> list[str]:
    columns = {"tracking_status": "pending_review", **columns}
    return [str(add_video(tenant.api.store, tenant.made, name, **columns)) for name in names]


def inbox(tenant: Tenant, **params: Any) -> list[str]:
    path = f"/projects/{tenant.project_id}/inbox"
    return [post["id"] for post in tenant.client.data("GET", path, params=params)]


def review(tenant: Tenant, action: str, ids: list[str]) -> Any:
    path = f"/projects/{tenant.project_id}/inbox"
    return tenant.client.data("PATCH", path, json={"video_ids": ids, "action": action})


def status_of(tenant: Tenant, video: str) -> str:
    status: str = tenant.client.data("GET", f"/videos/{video}")["tracking_status"]
    return status


class TestList:
    def test_it_has_posts_to_review_the_latest_found_first(self, tenant: Tenant) -> None:
        ids = pending(tenant, "1", "2", "3")
        pending(tenant, "4", tracking_status="included")
        pending(tenant, "5", tracking_status="excluded")
        assert inbox(tenant) == ids[::-1]
        first = tenant.client.answer(
            "GET", f"/projects/{tenant.project_id}/inbox", params={"limit": 2}
        )
        assert [post["id"] for post in first["data"]] == ids[:0:-1]
        assert inbox(tenant, cursor=first["meta"]["nextCursor"]) == ids[:1]

    def test_it_is_filtered_and_sorted_by_posting_time(self, tenant: Tenant) -> None:
        ada, eve = (tenant.creator(handle)["id"] for handle in ("ada", "eve"))
        [late] = pending(tenant, "1", creator_id=UUID(ada), posted_at=NOW.replace(day=9))
        [early] = pending(tenant, "2", creator_id=UUID(eve), posted_at=NOW.replace(day=2))
        [rejected] = pending(tenant, "3", tracking_status="excluded")
        assert inbox(tenant) == [early, late]
        assert inbox(tenant, sort="posted_at") == [late, early]
        assert inbox(tenant, creator_id=eve) == [early]
        assert inbox(tenant, tracking_status="excluded") == [rejected]
        assert inbox(tenant, campaign_id=str(uuid4())) == []

    def test_posts_of_a_removed_account_are_left_out(self, tenant: Tenant) -> None:
        account = add_account(tenant.api.store, tenant.made, "demo")
        ids = pending(tenant, "1", account=account)
        assert inbox(tenant) == ids
        change(tenant.api.store, Account, account, is_active=False)
        assert inbox(tenant) == []
        assert review(tenant, "approve", ids)["not_found_ids"] == ids


class TestReview:
    @pytest.mark.parametrize(
        ("action", "status"), [("approve", "included"), ("exclude", "excluded")]
    )
    def test_posts_leave_the_inbox(self, tenant: Tenant, action: str, status: str) -> None:
        ids = pending(tenant, "1", "2")
        assert review(tenant, action, [ids[0]]) == {
            "updated": 1,
            "not_found_ids": [],
            "paused_count": 0,
        }
        assert [status_of(tenant, post_id) for post_id in ids] == [status, "pending_review"]
        assert inbox(tenant) == ids[1:]

    def test_a_review_is_undone(self, tenant: Tenant) -> None:
        ids = pending(tenant, "1", "2")
        [tracked] = pending(tenant, "3", tracking_status="auto_tracked")
        review(tenant, "approve", ids[:1])
        review(tenant, "exclude", ids[1:])
        answer = review(tenant, "return", [*ids, tracked])
        assert answer == {"updated": 2, "not_found_ids": [tracked], "paused_count": 0}
        assert {status_of(tenant, post_id) for post_id in ids} == {"pending_review"}

    def test_other_posts_are_named_and_unchanged(self, tenant: Tenant, other: Tenant) -> None:
        [mine] = pending(tenant, "1")
        [excluded] = pending(tenant, "2", tracking_status="excluded")
        [foreign] = pending(other, "1")
        absent = [excluded, foreign, str(uuid4())]
        answer = review(tenant, "approve", [mine, *absent, mine])
        assert answer == {"updated": 1, "not_found_ids": absent, "paused_count": 0}
        assert status_of(tenant, excluded) == "excluded"
        assert status_of(other, foreign) == "pending_review"

    def test_approving_makes_room_among_counted_videos(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        days = {"1": 5, "2": 6}
        counted = [
            add_video(tenant.api.store, tenant.made, name, posted_at=NOW.replace(day=day))
            for name, day in days.items()
        ]
        ids = pending(tenant, "3", posted_at=NOW.replace(day=1))
        assert review(tenant, "approve", ids)["paused_count"] == 1
        paused = [video_id for video_id in [*counted, UUID(ids[0])] if is_paused(tenant, video_id)]
        assert paused == counted[:1]

    def test_without_room_none_is_approved_and_all_can_be_excluded(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        ids = pending(tenant, "1", "2")
        meta = tenant.client.refusal(
            "PATCH",
            f"/projects/{tenant.project_id}/inbox",
            "limit_reached",
            json={"video_ids": ids, "action": "approve"},
        )
        assert meta["limitKey"] == "max_tracked_videos_per_org"
        assert inbox(tenant) == ids[::-1]
        assert review(tenant, "exclude", ids)["updated"] == 2


def is_paused(tenant: Tenant, video: UUID) -> bool:
    post = tenant.client.data("GET", f"/videos/{video}")
    return post["plan_limit_paused_at"] is not None
