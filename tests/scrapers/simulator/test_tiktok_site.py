"""TikTok's routes show the documented shapes, and the numbers of the world."""

import itertools
import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import httpx
import pytest

from scrapers.simulator import Kind, TruePost, TrueProfile, World, simulator_app

from .conftest import NOON, scripts, shape

PROFILE = json.loads("""
{"statusCode":0,"statusMsg":"","userInfo":{"user":{"id":"6871947673887454020","uniqueId":"demo.creator","nickname":"Demo Creator","secUid":"MS4wLjABAAAAexample0example1example2example3example4example5","signature":"Invented bio","bioLink":{"link":"https://example.org/demo","risk":0},"avatarLarger":"https://p16.example/a_1080.jpeg","avatarMedium":"https://p16.example/a_720.jpeg","avatarThumb":"https://p16.example/a_100.jpeg","verified":false,"privateAccount":false,"secret":false,"createTime":1600000000,"roomId":""},"stats":{"followerCount":1200000,"followingCount":85,"heart":34500000,"heartCount":34500000,"videoCount":412,"diggCount":0,"friendCount":12},"statsV2":{"followerCount":"1203417","followingCount":"85","heart":"34512876","heartCount":"34512876","videoCount":"412","diggCount":"0","friendCount":"12"},"itemList":[]}}
""")  # noqa: E501 - one document a line, as it is sent
ITEM = json.loads("""
{"id":"7682837474828885294","desc":"Invented caption #demo #cats","createTime":1788800000,"author":{"id":"6871947673887454020","uniqueId":"demo.creator","nickname":"Demo Creator","secUid":"MS4wLjABAAAAexample0example1example2example3example4example5","privateAccount":false,"verified":false},"stats":{"playCount":88000,"diggCount":9100,"commentCount":214,"shareCount":77,"collectCount":350},"statsV2":{"playCount":"88041","diggCount":"9102","commentCount":"214","shareCount":"77","collectCount":"350","repostCount":"0"},"video":{"id":"7682837474828885294","duration":23,"width":576,"height":1024,"cover":"https://p16.example/c.jpeg","originCover":"https://p16.example/o.jpeg"},"music":{"id":"7000000000000000009","title":"original sound","authorName":"Demo Creator","duration":23,"original":true},"challenges":[{"id":"11","title":"demo"}],"textExtra":[{"hashtagName":"demo","hashtagId":"11"}]}
""")  # noqa: E501
PHOTO = json.loads("""
{"id":"7681978481369685294","desc":"Photo post","createTime":1788600000,"author":{"uniqueId":"demo.creator"},"stats":{"playCount":500,"diggCount":20,"commentCount":0,"shareCount":0,"collectCount":1},"video":{"duration":0,"cover":""},"imagePost":{"images":[{"imageURL":{"urlList":["https://p16.example/i1.jpeg"]},"imageWidth":1080,"imageHeight":1440}]}}
""")
EMBED = json.loads("""
{"userInfo":{"id":"6871947673887454020","uniqueId":"demo.creator","nickname":"Demo Creator","signature":"Invented bio","avatarThumbUrl":"https://p16.example/a_100.jpeg","verified":false,"followerCount":1200000,"followingCount":85,"heartCount":34500000},"videoList":[{"id":"7682837474828885294","playCount":88000}]}
""")  # noqa: E501
VIDEO_EMBED = json.loads("""
{"videoData":{"itemInfos":{"id":"7682837474828885294","text":"Invented caption","createTime":"1788800000","playCount":88041,"diggCount":9102,"commentCount":214,"shareCount":77,"covers":["https://p16.example/c.jpeg"],"video":{"videoMeta":{"duration":23}}},"authorInfos":{"userId":"6871947673887454020","secUid":"MS4wLjABAAAAexample0example1example2example3example4example5","uniqueId":"demo.creator","nickName":"Demo Creator","verified":false},"authorStats":{"followerCount":1200000}}}
""")  # noqa: E501
OEMBED = json.loads("""
{"version":"1.0","type":"video","title":"Invented caption #demo #cats","author_url":"https://www.tiktok.com/@demo.creator","author_name":"Demo Creator","author_unique_id":"demo.creator","embed_product_id":"7682837474828885294","html":"<blockquote></blockquote>","thumbnail_url":"https://p16.example/c.jpeg","thumbnail_width":576,"thumbnail_height":1024,"provider_url":"https://www.tiktok.com","provider_name":"TikTok"}
""")  # noqa: E501


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


async def embedded(http: httpx.AsyncClient, path: str) -> Any:
    page = (await http.get(f"/tiktok{path}")).raise_for_status().text
    [document] = scripts(page, 'id="__FRONTITY_CONNECT_STATE__"')
    return document["source"]["data"][path]


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
    async def test_shape_is_the_documented_one(self, http: httpx.AsyncClient, world: World) -> None:
        scope = await data(http, f"/@{exact(world).handle}")
        assert shape(scope["webapp.user-detail"]) == shape(PROFILE)
        assert scope["webapp.app-context"]["wid"].isdecimal()

    async def test_hearts_beyond_32_bits_are_negative_in_the_rounded_counts(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = next(
            p for p in profiles(world) if 2**31 < (p.total_likes_count or 0) < 2**32 - 2**27
        )
        info = (await data(http, f"/@{true.handle}"))["webapp.user-detail"]["userInfo"]
        assert info["stats"]["heart"] == info["stats"]["heartCount"] < 0


class TestCreatorEmbed:
    async def test_rounded_counts_and_ten_newest_posts(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = exact(world)
        embed = await embedded(http, f"/embed/@{true.handle}")
        assert shape(embed) == shape(EMBED)
        newest = world.posts("tiktok", true.handle, NOON)[:10]
        assert [v["id"] for v in embed["videoList"]] == [p.platform_video_id for p in newest]


class TestItemList:
    async def test_shapes_of_video_and_photo_are_the_documented_ones(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        seen: list[Any] = []
        for true in profiles(world)[:30]:
            seen += (await item_list(http, true)).get("itemList", [])
        exact_ones = [item for item in seen if "statsV2" in item and not item.get("isPinnedItem")]
        video = next(i for i in exact_ones if "imagePost" not in i and "challenges" in i)
        assert shape(video) == shape(ITEM)
        rounded = [i for i in seen if "statsV2" not in i and not i.get("isPinnedItem")]
        photos = [i for i in rounded if "imagePost" in i and "challenges" not in i]
        assert not photos or shape(photos[0]) == shape(PHOTO)
        photo = next(i for i in exact_ones if "imagePost" in i)
        assert shape(photo["imagePost"]) == shape(PHOTO["imagePost"])
        assert photo["video"] == PHOTO["video"]
        assert shape(photo["author"]) == shape(PHOTO["author"])

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
    async def test_shape_is_the_documented_one_under_any_handle(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(
            p
            for p in world.posts("tiktok", exact(world).handle, NOON)
            if p.media_type == "video" and p.hashtags and not p.is_restricted and not p.is_pinned
        )
        answers = [
            (await data(http, f"/{handle}/video/{post.platform_video_id}"))["webapp.video-detail"]
            for handle in (f"@{post.handle}", "@", "@_", "@somebody")
        ]
        assert answers[0] == answers[1] == answers[2] == answers[3]
        detail = answers[0]
        expected = ITEM | {
            "createTime": "1788800000",
            "privateItem": False,
            "isContentClassified": False,
            "stats": ITEM["stats"] | {"collectCount": "350"},
        }
        assert detail["statusCode"] == 0
        assert shape(detail["itemInfo"]["itemStruct"]) == shape(expected)
        assert detail["itemInfo"]["itemStruct"]["statsV2"]["playCount"] == str(post.view_count)

    async def test_photo_posts_answer_under_video_too(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(p for p in all_posts(world) if p.media_type == "photo" and not p.is_restricted)
        for kind in ("photo", "video"):
            detail = await data(http, f"/@{post.handle}/{kind}/{post.platform_video_id}")
            assert detail["webapp.video-detail"]["itemInfo"]["itemStruct"]["imagePost"]["images"]

    async def test_sensitive_content_has_no_video(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(p for p in all_posts(world) if p.is_restricted)
        detail = (await data(http, f"/@/video/{post.platform_video_id}"))["webapp.video-detail"]
        assert detail["itemInfo"]["itemStruct"]["isContentClassified"] is True
        assert "video" not in detail["itemInfo"]["itemStruct"]

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

    async def test_embed_has_exact_counts_and_no_saves(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = world.posts("tiktok", exact(world).handle, NOON)[0]
        embed = await embedded(http, f"/embed/v2/{post.platform_video_id}")
        assert shape(embed) == shape(VIDEO_EMBED)
        assert embed["videoData"]["itemInfos"]["playCount"] == post.view_count
        assert await embedded(http, "/embed/v2/7000000000000000000") == {"code": 404}

    async def test_embed_of_a_photo_post_has_its_pictures(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        photo = next(post for post in all_posts(world) if post.media_type == "photo")
        embed = await embedded(http, f"/embed/v2/{photo.platform_video_id}")
        assert "imagePostInfo" in embed["videoData"]

    async def test_a_restricted_post_has_no_embed(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        restricted = next(post for post in all_posts(world) if post.is_restricted)
        content = await embedded(http, f"/embed/v2/{restricted.platform_video_id}")
        assert content == {"code": 404}

    async def test_oembed_tells_of_existence(self, http: httpx.AsyncClient, world: World) -> None:
        post = world.posts("tiktok", exact(world).handle, NOON)[0]
        answer = await http.get("/tiktok/oembed", params={"url": post.url})
        assert shape(answer.json()) == shape(OEMBED)
        gone = post.url.replace(post.platform_video_id, "7000000000000000000")
        assert (await http.get("/tiktok/oembed", params={"url": gone})).status_code == 400


class TestShortLinks:
    async def test_dead_link_leads_to_the_home_page(self, http: httpx.AsyncClient) -> None:
        answer = await http.get("/tiktok/t/ZTdead1/")
        assert answer.status_code == 301
        assert answer.headers["location"] == "https://www.tiktok.com/?_r=1"
