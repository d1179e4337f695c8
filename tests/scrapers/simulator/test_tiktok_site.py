"""TikTok's routes end as documented. What they show: tests/scrapers/test_against_simulator."""

import itertools
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from scrapers.simulator import Kind, TruePost, TrueProfile, World, simulator_app

from .conftest import NOON, scripts


def profiles(world: World) -> list[TrueProfile]:
    candidates = (
        world.profile("tiktok", handle, NOON) for handle in world.handles("tiktok", at=NOON)
    )
    return [profile for profile in candidates if profile]


def all_posts(world: World) -> Iterator[TruePost]:
    for handle in world.handles("tiktok", at=NOON):
        yield from world.posts("tiktok", handle, NOON)


def exact(world: World) -> TrueProfile:
    return next(p for p in profiles(world) if p.shows_exact_counts and p.bio_link)


async def data(http: httpx.AsyncClient, path: str) -> Any:
    page = (await http.get(f"/tiktok{path}")).raise_for_status().text
    [document] = scripts(page, 'id="__UNIVERSAL_DATA_FOR_REHYDRATION__"')
    return document["__DEFAULT_SCOPE__"]


async def item_list(http: httpx.AsyncClient, profile: TrueProfile, **query: object) -> Any:
    now = int(NOON.timestamp() * 1000)
    parameters = {"secUid": profile.platform_alt_id, "count": 15, "cursor": now, "type": 1} | query
    answer = await http.get("/tiktok/api/creator/item_list/", params=parameters)  # type: ignore[arg-type]
    return answer.raise_for_status().json()


async def comment_crawl(http: httpx.AsyncClient, profile: TrueProfile) -> list[Any]:
    """Every page, by the rules that a guest follows."""
    cursor, pages = int(NOON.timestamp() * 1000), []
    while True:
        pages.append(page := await item_list(http, profile, cursor=cursor))
        items = page.get("itemList", [])
        following = items[-1]["createTime"] * 1000 if items else cursor
        cursor = following if following != cursor else cursor - 604_800_000
        if not page["hasMorePrevious"]:
            return pages


class TestProfile:
    async def test_hearts_beyond_32_bits_are_negative_in_the_rounded_counts(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = next(
            p for p in profiles(world) if 2**31 < (p.total_likes_count or 0) < 2**32 - 2**27
        )
        info = (await data(http, f"/@{true.handle}"))["webapp.user-detail"]["userInfo"]
        assert info["stats"]["heart"] == info["stats"]["heartCount"] < 0


class TestItemList:
    async def test_a_holiday_brings_empty_pages_although_more_follows(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        for true in profiles(world):
            times = [p.posted_at for p in world.posts("tiktok", true.handle, NOON)]
            gaps = (later - earlier for later, earlier in itertools.pairwise(times))
            if any(gap > timedelta(days=25) for gap in gaps):
                pages = await comment_crawl(http, true)
                assert any(p.get("itemList") == [] and p["hasMorePrevious"] for p in pages)
                return
        pytest.fail("nobody in this world takes a holiday")

    async def test_behind_the_last_post_there_is_no_item_list(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = exact(world)
        answer = await item_list(http, true, cursor=1472706000000)
        assert answer == {"statusCode": 0, "hasMorePrevious": False, "cursor": "1472706000000"}

    async def test_more_than_fifteen_or_no_cursor_is_a_bad_parameter(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = exact(world)
        assert (await item_list(http, true, count=16))["statusCode"] == 10201
        assert (await item_list(http, true, cursor=""))["statusCode"] == 10201
        assert (await item_list(http, true, secUid="MS4wLjABAAAAx"))["statusCode"] == 10202


class TestVideo:
    async def test_sensitive_content_has_no_video(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(p for p in all_posts(world) if p.is_restricted)
        detail = (await data(http, f"/@/video/{post.platform_video_id}"))["webapp.video-detail"]
        assert detail["itemInfo"]["itemStruct"]["isContentClassified"] is True
        assert "video" not in detail["itemInfo"]["itemStruct"]

    @pytest.mark.slow
    async def test_deleted_private_and_unknown_posts(self, world: World) -> None:
        early, late = NOON - timedelta(days=50), NOON
        handles = world.handles("tiktok", kind=Kind.PLAIN)[:60]
        gone = {
            post.platform_video_id
            for handle in handles
            for post in world.posts("tiktok", handle, early)
        } - {
            post.platform_video_id
            for handle in handles
            for post in world.posts("tiktok", handle, late)
        }
        transport = httpx.ASGITransport(simulator_app(world, lambda: late))
        async with httpx.AsyncClient(transport=transport, base_url="http://simulator") as http:
            details = [
                (await data(http, f"/@_/video/{number}"))["webapp.video-detail"]
                for number in [*sorted(gone), "7000000000000000000"]
            ]
        assert all("itemInfo" not in detail for detail in details)
        assert {detail["statusCode"] for detail in details} == {10204, 10216}
        assert details[-1] == {"statusCode": 10204, "statusMsg": "item doesn't exist"}


class TestShortLinks:
    async def test_dead_link_leads_to_the_home_page(self, http: httpx.AsyncClient) -> None:
        answer = await http.get("/tiktok/t/ZTdead1/")
        assert answer.status_code == 301
        assert answer.headers["location"] == "https://www.tiktok.com/?_r=1"
