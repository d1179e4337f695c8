"""Content groups: created, changed, their videos, and their totals (contract, Content groups)."""

from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories import marts
from tests.factories.tracking import add_video, change
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from warehouse.operational.models import Video


def videos(tenant: Tenant, count: int) -> list[str]:
    return [str(add_video(tenant.api.store, tenant.made, str(n))) for n in range(count)]


def members(tenant: Tenant, group: Any) -> list[str]:
    ids: list[str] = tenant.client.data("GET", f"/content-groups/{group['id']}")["video_ids"]
    return ids


def patch(tenant: Tenant, group: Any, **changes: Any) -> Any:
    return tenant.client.data("PATCH", f"/content-groups/{group['id']}", json=changes)


class TestCreate:
    def test_an_empty_one_has_only_a_title(self, tenant: Tenant) -> None:
        group = tenant.content_group(title="  Spring  ")
        assert group == {
            "id": group["id"],
            "project_id": str(tenant.project_id),
            "org_id": str(tenant.organization_id),
            "title": "Spring",
            "notes": None,
            "created_by": str(tenant.made.user_id),
            "video_ids": [],
            "created_at": "2026-05-20T12:00:00Z",
            "updated_at": "2026-05-20T12:00:00Z",
        }
        assert tenant.client.data("GET", f"/content-groups/{group['id']}") == group

    def test_videos_in_another_group_are_skipped(self, tenant: Tenant) -> None:
        ids = videos(tenant, 3)
        first = tenant.content_group(video_ids=ids[:2], notes="Two")
        assert (first["video_ids"], first["notes"]) == (ids[:2], "Two")
        second = tenant.content_group(video_ids=[ids[2], ids[1], ids[2]])
        assert second["video_ids"] == ids[2:]
        assert members(tenant, first) == ids[:2]

    def test_an_unknown_video_makes_nothing(self, tenant: Tenant, other: Tenant) -> None:
        [mine, excluded] = videos(tenant, 2)
        change(tenant.api.store, Video, UUID(excluded), tracking_status="excluded")
        absent = [excluded, *videos(other, 1), str(uuid4())]
        meta = tenant.client.refusal(
            "POST",
            "/content-groups",
            "not_found",
            json={
                "project_id": str(tenant.project_id),
                "title": "Spring",
                "video_ids": [mine, *absent],
            },
        )
        assert meta["not_found_ids"] == sorted(absent)
        assert tenant.client.data("GET", "/content-groups") == []

    def test_the_longest_title_and_most_videos_fit(self, tenant: Tenant) -> None:
        group = tenant.content_group(title="x" * 200, video_ids=videos(tenant, 200))
        assert len(group["video_ids"]) == 200


class TestList:
    def test_newest_first_by_project_and_page(self, tenant: Tenant) -> None:
        titles = ["One", "Two", "Three"]
        for title in titles:
            tenant.content_group(title=title)
        listed = tenant.client.answer("GET", "/content-groups", params={"limit": 2})
        assert [group["title"] for group in listed["data"]] == ["Three", "Two"]
        rest = {"cursor": listed["meta"]["nextCursor"]}
        assert [
            group["title"] for group in tenant.client.data("GET", "/content-groups", params=rest)
        ]
        there = {"project_id": str(tenant.project_id)}
        assert len(tenant.client.data("GET", "/content-groups", params=there)) == 3
        elsewhere = {"project_id": str(uuid4())}
        assert tenant.client.data("GET", "/content-groups", params=elsewhere) == []

    def test_videos_are_filtered_by_their_group(self, tenant: Tenant, other: Tenant) -> None:
        ids = videos(tenant, 3)
        group = tenant.content_group(video_ids=ids[:2])

        def listed(by: Tenant, group_id: str) -> list[str]:
            videos = by.client.data("GET", "/videos", params={"content_group_id": group_id})
            return [video["id"] for video in videos]

        assert listed(tenant, group["id"]) == ids[1::-1]
        assert listed(tenant, str(uuid4())) == listed(other, group["id"]) == []

    def test_an_excluded_video_comes_back_with_its_inclusion(self, tenant: Tenant) -> None:
        ids = videos(tenant, 2)
        group = tenant.content_group(video_ids=ids)
        tenant.client.data("DELETE", f"/videos/{ids[0]}")
        assert members(tenant, group) == ids[1:]
        tenant.client.data("PATCH", f"/videos/{ids[0]}", json={"tracking_status": "included"})
        assert members(tenant, group) == ids


class TestChange:
    def test_title_and_notes(self, tenant: Tenant) -> None:
        group = tenant.content_group(notes="Old")
        assert patch(tenant, group, title="New")["notes"] == "Old"
        assert patch(tenant, group, notes=None)["notes"] is None
        assert tenant.client.data("GET", f"/content-groups/{group['id']}")["title"] == "New"

    def test_videos_come_and_go(self, tenant: Tenant) -> None:
        ids = videos(tenant, 4)
        taken = tenant.content_group(video_ids=ids[3:])
        group = tenant.content_group(video_ids=ids[:2])
        changed = patch(tenant, group, add_video_ids=ids[2:], remove_video_ids=ids[:1])
        assert changed["video_ids"] == ids[1:3]
        assert members(tenant, taken) == ids[3:]
        assert patch(tenant, group, remove_video_ids=[ids[0], ids[3]])["video_ids"] == ids[1:3]
        assert members(tenant, taken) == ids[3:]
        assert patch(tenant, taken, add_video_ids=[ids[0]])["video_ids"] == [ids[0], ids[3]]
        assert patch(tenant, group, add_video_ids=[], remove_video_ids=[])["video_ids"] == ids[1:3]

    def test_an_unknown_video_changes_nothing(self, tenant: Tenant, other: Tenant) -> None:
        group = tenant.content_group()
        meta = tenant.client.refusal(
            "PATCH",
            f"/content-groups/{group['id']}",
            "not_found",
            json={"title": "New", "add_video_ids": [*videos(tenant, 1), *videos(other, 1)]},
        )
        assert len(meta["not_found_ids"]) == 1
        assert tenant.client.data("GET", f"/content-groups/{group['id']}") == group

    def test_a_video_cannot_be_added_and_removed(self, tenant: Tenant) -> None:
        ids = videos(tenant, 1)
        body = {"add_video_ids": ids, "remove_video_ids": ids}
        path = f"/content-groups/{tenant.content_group()['id']}"
        meta = tenant.client.refusal("PATCH", path, "invalid_body", json=body)
        assert [issue["path"] for issue in meta["issues"]] == ["remove_video_ids"]


class TestDelete:
    def test_its_videos_stay_and_are_free_again(self, tenant: Tenant) -> None:
        ids = videos(tenant, 2)
        group = tenant.content_group(video_ids=ids)
        tenant.client.data("DELETE", f"/videos/{ids[0]}")
        path = f"/content-groups/{group['id']}"
        assert tenant.client.data("DELETE", path) == {"deleted": True}
        tenant.client.refusal("DELETE", path, "not_found")
        tenant.client.data("PATCH", f"/videos/{ids[0]}", json={"tracking_status": "included"})
        assert tenant.content_group(video_ids=ids)["video_ids"] == ids


READINGS: dict[str, dict[str, int | None]] = {
    "tiktok-1": {"view": 100, "like": 10, "comment": 1, "share": 2},
    "tiktok-2": {"view": 50, "like": None, "comment": 3, "share": 4},
    "instagram": {"view": 7, "like": 70},
    "pending": {"view": 1000, "like": 1000},
}


@pytest.fixture(scope="module")
def published(apart: Api) -> Iterator[tuple[Tenant, Client]]:
    """A tenant whose videos have the readings above."""
    with new_tenant(apart) as tenant:
        read = [marts.Video(n, readings={NOW: row}) for n, row in READINGS.items()]
        for video in read:
            platform = "instagram" if video.name == "instagram" else "tiktok"
            status = "pending_review" if video.name == "pending" else "included"
            columns = {"id": video.id, "platform": platform, "tracking_status": status}
            add_video(apart.store, tenant.made, video.name, **columns)
        tenant.publish(read)
        yield tenant, tenant.client


class TestStats:
    def test_counted_videos_add_up_by_platform(self, published: tuple[Tenant, Client]) -> None:
        tenant, client = published
        new = str(add_video(tenant.api.store, tenant.made, "new"))
        ids = [new, *(str(marts.named(name)) for name in READINGS)]
        body = {"project_id": str(tenant.project_id), "title": "Spring", "video_ids": ids}
        group = client.data("POST", "/content-groups", json=body)
        assert client.data("GET", f"/content-groups/{group['id']}/stats") == {
            "video_count": 4,
            "totals": {"view_count": 157, "like_count": 80, "comment_count": 4, "share_count": 6},
            "by_platform": {
                "instagram": {
                    "video_count": 1,
                    "view_count": 7,
                    "like_count": 70,
                    "comment_count": None,
                    "share_count": None,
                },
                "tiktok": {
                    "video_count": 3,
                    "view_count": 150,
                    "like_count": 10,
                    "comment_count": 4,
                    "share_count": 6,
                },
            },
        }

    def test_an_empty_group_adds_up_to_zero(self, tenant: Tenant) -> None:
        group = tenant.content_group()
        zeros = {"view_count": 0, "like_count": 0, "comment_count": 0, "share_count": 0}
        assert tenant.client.data("GET", f"/content-groups/{group['id']}/stats") == {
            "video_count": 0,
            "totals": zeros,
            "by_platform": {},
        }

    def test_counters_never_read_are_unknown(self, tenant: Tenant) -> None:
        group = tenant.content_group(video_ids=videos(tenant, 1))
        stats = tenant.client.data("GET", f"/content-groups/{group['id']}/stats")
        assert (stats["video_count"], set(stats["totals"].values())) == (1, {None})
