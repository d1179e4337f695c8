"""The plan's limit of tracked videos over HTTP: which videos make room.

For the limit itself see warehouse/operational/test_tracked_videos; for bulk and inbox their
modules.
"""

from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

from tests.factories.limits import leave_room
from tests.factories.tracking import add_video
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.tracked_videos import COUNTED

FULL = {"limitKey": "max_tracked_videos_per_org", "current": 500, "max": 500}


def url(number: int) -> str:
    return f"https://www.tiktok.com/@somebody/video/76828374748288{number + 1:05d}"


def add(tenant: Tenant, *numbers: int, **request: Any) -> Any:
    body = {"videos": [{"url": url(number)} for number in numbers]}
    path = f"/projects/{tenant.project_id}/videos"
    return tenant.client.answer("POST", path, json=body, **request)


def video_of_may(tenant: Tenant, day: int, **columns: Any) -> UUID:
    """Add a video of that day of May."""
    posted_at = NOW.replace(day=day)
    return add_video(tenant.api.store, tenant.made, f"9{day}", posted_at=posted_at, **columns)


def is_paused(tenant: Tenant, video: Any) -> bool:
    post = tenant.client.data("GET", f"/videos/{video}")
    return post["plan_limit_paused_at"] is not None


class TestAdd:
    def test_the_oldest_make_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 3)
        videos = [video_of_may(tenant, day) for day in (9, 7, 8)]
        answer = add(tenant, 1, 2)
        assert answer["meta"] == {"existing_ids": [], "paused_count": 2}
        assert [is_paused(tenant, video) for video in videos] == [False, True, True]
        assert not any(is_paused(tenant, post["id"]) for post in answer["data"])

    def test_a_paused_one_still_counts_as_posted_and_stays_listed(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        paused = video_of_may(tenant, 7)
        add(tenant, 1)
        listed = tenant.client.data("GET", "/videos", params={"limit": 2})
        assert [post["tracking_status"] for post in listed] == ["direct_add", "direct_add"]
        assert listed[1]["id"] == str(paused)

    def test_if_all_others_are_exempt_nothing_is_added(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        meta = tenant.client.refusal(
            "POST", f"/projects/{tenant.project_id}/videos", "limit_reached", json={"url": url(1)}
        )
        assert meta == {"code": "limit_reached", **FULL}
        newest = tenant.client.data("GET", "/videos", params={"limit": 1})[0]
        assert newest["url"] != url(1)

    def test_existing_videos_need_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        first = add(tenant, 1)["data"][0]["id"]
        assert add(tenant, 1)["meta"] == {"existing_ids": [first], "paused_count": 0}

    def test_an_excluded_one_that_comes_back_needs_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        back = add(tenant, 1)["data"][0]["id"]
        tenant.client.data("DELETE", f"/videos/{back}")
        other = video_of_may(tenant, 7)
        meta = add(tenant, 1)["meta"]
        assert meta == {"existing_ids": [back], "paused_count": 1}
        assert (is_paused(tenant, back), is_paused(tenant, other)) == (False, True)

    def test_simultaneous_requests_never_pass_the_limit(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        with ThreadPoolExecutor(4) as pool:
            answers = list(pool.map(lambda n: add(tenant, n), range(6)))
        assert sum(answer["meta"]["paused_count"] for answer in answers) == 4
        ids = [answer["data"][0]["id"] for answer in answers]
        assert sum(not is_paused(tenant, video_id) for video_id in ids) == 2


class TestStatus:
    @pytest.mark.parametrize("status", COUNTED)
    @pytest.mark.parametrize("before", ["pending_review", "excluded"])
    def test_newcomers_pause_the_oldest(self, tenant: Tenant, before: str, status: str) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        other, video_id = video_of_may(tenant, 8), video_of_may(tenant, 7, tracking_status=before)
        body = {"tracking_status": status}
        answer = tenant.client.answer("PATCH", f"/videos/{video_id}", json=body)
        assert answer["meta"] == {"paused_count": 1}
        assert answer["data"]["plan_limit_paused_at"] is None
        assert is_paused(tenant, other)

    def test_one_that_counted_before_needs_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        video = video_of_may(tenant, 7)
        for status in ("included", "auto_tracked", "pending_review", "excluded"):
            body = {"tracking_status": status}
            answer = tenant.client.answer("PATCH", f"/videos/{video}", json=body)
            assert answer["meta"] == {"paused_count": 0}

    def test_without_room_the_status_stays(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = video_of_may(tenant, 7, tracking_status="pending_review")
        body = {"tracking_status": "included", "title": "New"}
        meta = tenant.client.refusal("PATCH", f"/videos/{video}", "limit_reached", json=body)
        assert meta == {"code": "limit_reached", **FULL}
        post = tenant.client.data("GET", f"/videos/{video}")
        assert (post["tracking_status"], post["title"]) == ("pending_review", None)


class TestEnable:
    def test_the_oldest_other_makes_room_also_for_an_older_one(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        other, video_id = video_of_may(tenant, 8), video_of_may(tenant, 7, plan_limit_paused_at=NOW)
        enabled = tenant.client.data("POST", f"/videos/{video_id}/tracking-enable")
        assert enabled["paused_count"] == 1
        assert (is_paused(tenant, video_id), is_paused(tenant, other)) == (False, True)

    def test_an_exempt_video_is_skipped_until_its_exemption_ends(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        oldest, newer = video_of_may(tenant, 7), video_of_may(tenant, 8)
        tenant.client.data("POST", f"/videos/{oldest}/tracking-enable", json={"exempt": True})
        add(tenant, 1)
        assert (is_paused(tenant, oldest), is_paused(tenant, newer)) == (False, True)
        tenant.client.data("POST", f"/videos/{oldest}/tracking-unexempt")
        add(tenant, 2)
        assert is_paused(tenant, oldest)

    def test_without_room_it_is_unchanged(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = video_of_may(tenant, 7, plan_limit_paused_at=NOW)
        path = f"/videos/{video}/tracking-enable"
        body = {"exempt": True}
        meta = tenant.client.refusal("POST", path, "limit_reached", json=body)
        assert meta == {"code": "limit_reached", **FULL}
        assert is_paused(tenant, video)

    def test_one_that_does_not_count_needs_no_room(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 0)
        video = video_of_may(tenant, 7, tracking_status="pending_review", tracking_disabled=True)
        enabled = tenant.client.data("POST", f"/videos/{video}/tracking-enable")
        assert (enabled["tracking_disabled"], enabled["paused_count"]) == (False, 0)
