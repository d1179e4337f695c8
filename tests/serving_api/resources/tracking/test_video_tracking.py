"""Tracking switched off and on, one video or many, and exemptions (contract, Videos)."""

from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories.limits import leave_room
from tests.factories.tracking import add_account, add_video, change
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Video

ON = {
    "tracking_disabled": False,
    "tracking_disabled_at": None,
    "tracking_disabled_reason": None,
    "tracking_exempted": False,
    "plan_limit_paused_at": None,
}
OFF = {
    **ON,
    "tracking_disabled": True,
    "tracking_disabled_at": "2026-05-20T12:00:00Z",
    "tracking_disabled_reason": "manual",
}
STANDING_STILL: dict[str, dict[str, Any]] = {
    "disabled": {"tracking_disabled": True, "tracking_disabled_at": NOW},
    "paused": {"plan_limit_paused_at": NOW},
    "frozen": {"frozen_at": NOW},
    "stopped": {"stopped_at": NOW},
}


def switch(tenant: Tenant, video: UUID | str, to: str, **request: Any) -> Any:
    return tenant.client.data("POST", f"/videos/{video}/tracking-{to}", **request)


def bulk(tenant: Tenant, to: str, videos: list[Any], **body: Any) -> Any:
    path = f"/projects/{tenant.project_id}/videos/bulk-tracking-{to}"
    ids = [str(video) for video in videos]
    return tenant.client.data("POST", path, json={"video_ids": ids, **body})


def read_video(tenant: Tenant, video: UUID) -> Any:
    return tenant.client.data("GET", f"/videos/{video}")


@pytest.fixture
def video(tenant: Tenant) -> UUID:
    return add_video(tenant.api.store, tenant.made, "1")


class TestOne:
    def test_disabled_and_enabled_again(self, tenant: Tenant, video: UUID) -> None:
        for _ in range(2):
            assert switch(tenant, video, "disable") == {"id": str(video), **OFF}
        detail = read_video(tenant, video)
        assert (detail["tracking_disabled"], detail["tracking_disabled_reason"]) == (True, "manual")
        assert detail["tracking_status"] == "direct_add"
        on = {"id": str(video), **ON, "paused_count": 0}
        assert switch(tenant, video, "enable") == on
        assert switch(tenant, video, "enable", json={}) == on

    @pytest.mark.parametrize("state", STANDING_STILL)
    def test_enabling_ends_all_reasons(self, tenant: Tenant, video: UUID, state: str) -> None:
        change(tenant.api.store, Video, video, **STANDING_STILL[state])
        assert switch(tenant, video, "enable") == {"id": str(video), **ON, "paused_count": 0}

    @pytest.mark.parametrize(
        ("state", "reason"),
        [("disabled", "manual"), ("frozen", "account_frozen"), ("stopped", "account_stopped")],
    )
    def test_the_reason_shows_who_switched_it_off(
        self, tenant: Tenant, video: UUID, state: str, reason: str
    ) -> None:
        change(tenant.api.store, Video, video, **STANDING_STILL[state])
        detail = read_video(tenant, video)
        assert (detail["tracking_disabled"], detail["tracking_disabled_reason"]) == (True, reason)

    def test_a_pause_for_the_plan_is_no_disabling(self, tenant: Tenant, video: UUID) -> None:
        change(tenant.api.store, Video, video, plan_limit_paused_at=NOW)
        detail = read_video(tenant, video)
        assert (detail["tracking_disabled"], detail["tracking_disabled_reason"]) == (False, None)
        assert detail["plan_limit_paused_at"] == "2026-05-20T12:00:00Z"

    def test_exempted_and_unexempted(self, tenant: Tenant, video: UUID) -> None:
        exempt = switch(tenant, video, "enable", json={"exempt": True})
        assert exempt["tracking_exempted"] is True
        assert switch(tenant, video, "enable", json={"exempt": False})["tracking_exempted"] is True
        for _ in range(2):
            assert switch(tenant, video, "unexempt") == {"id": str(video), **ON}


class TestMany:
    def test_all_that_the_project_has_are_switched(self, tenant: Tenant, other: Tenant) -> None:
        mine = [add_video(tenant.api.store, tenant.made, str(n)) for n in range(3)]
        absent = [uuid4(), add_video(other.api.store, other.made, "1")]
        answer = bulk(tenant, "disable", [*mine, absent[0], mine[0], absent[1]])
        missing = [str(video_id) for video_id in absent]
        assert answer == {"updated": 3, "not_found_ids": missing, "paused_count": 0}
        assert all(read_video(tenant, video_id)["tracking_disabled"] for video_id in mine)
        assert bulk(tenant, "enable", mine) == {
            "updated": 3,
            "not_found_ids": [],
            "paused_count": 0,
        }
        assert not any(read_video(tenant, video_id)["tracking_disabled"] for video_id in mine)
        assert read_video(other, absent[1])["tracking_disabled"] is False

    @pytest.mark.parametrize("to", ["disable", "enable"])
    def test_they_can_be_exempted_at_once(self, tenant: Tenant, video: UUID, to: str) -> None:
        bulk(tenant, to, [video], exempt=True)
        assert read_video(tenant, video)["tracking_exempted"] is True
        bulk(tenant, to, [video], exempt=False)
        assert read_video(tenant, video)["tracking_exempted"] is True

    def test_room_is_made_among_the_others(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 2)
        others = [
            add_video(tenant.api.store, tenant.made, str(n), posted_at=NOW.replace(day=10 + n))
            for n in range(2)
        ]
        paused = {"posted_at": NOW.replace(day=1), "plan_limit_paused_at": NOW}
        video_id = add_video(tenant.api.store, tenant.made, "2", **paused)
        assert bulk(tenant, "enable", [video_id])["paused_count"] == 1
        assert [
            read_video(tenant, post_id)["plan_limit_paused_at"] for post_id in (video_id, others[1])
        ] == [
            None,
            None,
        ]
        assert read_video(tenant, others[0])["plan_limit_paused_at"] is not None

    def test_without_room_none_is_enabled(self, tenant: Tenant) -> None:
        leave_room(tenant.api.store, tenant.made, 1)
        off = {"tracking_disabled": True, "tracking_disabled_at": NOW}
        mine = [add_video(tenant.api.store, tenant.made, str(n), **off) for n in range(2)]
        meta = tenant.client.refusal(
            "POST",
            f"/projects/{tenant.project_id}/videos/bulk-tracking-enable",
            "limit_reached",
            json={"video_ids": [str(video_id) for video_id in mine]},
        )
        assert meta == {
            "code": "limit_reached",
            "limitKey": "max_tracked_videos_per_org",
            "current": 499,
            "max": 500,
        }
        assert all(read_video(tenant, video_id)["tracking_disabled"] for video_id in mine)


def test_a_video_of_a_deactivated_account_can_stay_tracked(tenant: Tenant) -> None:
    account = add_account(tenant.api.store, tenant.made, "demo", deactivated_at=NOW)
    video = add_video(tenant.api.store, tenant.made, "1", account=account)
    assert read_video(tenant, video)["tracking_disabled"] is False
