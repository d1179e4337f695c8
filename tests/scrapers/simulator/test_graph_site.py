"""Business discovery answers with the fields asked for, pages, and refuses as documented."""

import json
from typing import Any

import httpx

from scrapers.simulator import AccountType, Kind, TrueProfile, World

from .conftest import NOON, shape

EXAMPLE = json.loads("""
{"business_discovery":{"id":"17841460000000001","ig_id":67000000001,"username":"demo.creator","name":"Demo Creator","biography":"Invented bio","website":"https://example.org/demo","followers_count":51234,"follows_count":310,"media_count":428,"profile_picture_url":"https://scontent.example/p.jpg","media":{"data":[{"id":"18000000000000001","caption":"Invented caption #demo","media_type":"VIDEO","media_product_type":"REELS","permalink":"https://www.instagram.com/reel/Dc_lW7jqhs8/","timestamp":"2026-09-07T16:53:20+0000","like_count":950,"comments_count":17,"view_count":12840}],"paging":{"cursors":{"before":"QVFa","after":"QVFb"}}}},"id":"17841400000000000"}
""")  # noqa: E501 - one document a line, as it is sent
PROFILE_FIELDS = (
    "id,ig_id,username,name,biography,website,followers_count,follows_count,media_count,"
    "profile_picture_url"
)
MEDIA_FIELDS = (
    "id,caption,media_type,media_product_type,permalink,timestamp,like_count,comments_count,"
    "view_count"
)


def professional(world: World) -> TrueProfile:
    profiles = (world.profile("instagram", h, NOON) for h in world.handles("instagram", at=NOON))
    return next(
        p
        for p in profiles
        if p
        and p.account_type is not AccountType.PERSONAL
        and p.bio_link
        and p.biography
        and p.kind is Kind.PLAIN
        and p.video_count > 60
    )


async def discover(http: httpx.AsyncClient, handle: str, fields: str) -> httpx.Response:
    query = {"fields": f"business_discovery.username({handle}){{{fields}}}", "access_token": "t"}
    return await http.get("/graph/v26.0/17841400000000000", params=query)


async def discovered(http: httpx.AsyncClient, handle: str, fields: str) -> Any:
    return (await discover(http, handle, fields)).raise_for_status().json()


class TestDiscovery:
    async def test_shape_and_numbers(self, http: httpx.AsyncClient, world: World) -> None:
        true = professional(world)
        fields = f"{PROFILE_FIELDS},media.limit(50){{{MEDIA_FIELDS}}}"
        answer = await discovered(http, true.handle, fields)
        business_discovery = answer["business_discovery"]
        posts = {p.url: p for p in world.posts("instagram", true.handle, NOON)}
        clips = [
            item
            for item in business_discovery["media"]["data"]
            if item["media_type"] == "VIDEO" and "caption" in item and "like_count" in item
        ]
        business_discovery["media"]["data"] = clips
        assert shape(answer) == shape(EXAMPLE)
        assert business_discovery["followers_count"] == true.follower_count
        assert business_discovery["media_count"] == true.video_count
        for item in clips:
            post = posts[item["permalink"]]
            assert item["view_count"] == post.view_count
            assert item["like_count"] == post.like_count
            assert item["timestamp"] == post.posted_at.strftime("%Y-%m-%dT%H:%M:%S+0000")

    async def test_only_the_fields_asked_for(self, http: httpx.AsyncClient, world: World) -> None:
        true = professional(world)
        body = await discovered(http, true.handle, "followers_count,media_count")
        assert body["business_discovery"] == {
            "followers_count": true.follower_count,
            "media_count": true.video_count,
            "id": true.platform_alt_id,
        }

    async def test_paging_reaches_every_post_once(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true, links, after = professional(world), [], ""
        while True:
            fields = f"media.limit(25){after}{{permalink,like_count}}"
            media = (await discovered(http, true.handle, fields))["business_discovery"]["media"]
            links += [item["permalink"] for item in media["data"]]
            if "after" not in media["paging"]["cursors"]:
                break
            after = f".after({media['paging']['cursors']['after']})"
        assert links == [p.url for p in world.posts("instagram", true.handle, NOON)]

    async def test_a_token_in_a_header_is_as_good(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handle = professional(world).handle
        query = {"fields": f"business_discovery.username({handle}){{media_count}}"}
        route = "/graph/v26.0/17841400000000000"
        trusted = await http.get(route, params=query, headers={"Authorization": "Bearer t"})
        assert trusted.json() == (await discover(http, handle, "media_count")).json()

    async def test_hidden_likes_are_left_out(self, http: httpx.AsyncClient, world: World) -> None:
        true = professional(world)
        hidden = {p.url: p.likes_hidden for p in world.posts("instagram", true.handle, NOON)}
        fields = "media.limit(50){permalink,like_count}"
        media = (await discovered(http, true.handle, fields))["business_discovery"]["media"]
        assert all(("like_count" not in i) == hidden[i["permalink"]] for i in media["data"])


class TestErrors:
    async def test_personal_private_and_unknown_accounts(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handles = world.handles("instagram", at=NOON)
        profiles = [p for h in handles if (p := world.profile("instagram", h, NOON))]
        personal = next(p for p in profiles if p.account_type is AccountType.PERSONAL)
        private = next(p for p in profiles if p.is_private)
        for handle in (personal.handle, private.handle, "nobody.at.all"):
            answer = await discover(http, handle, "followers_count")
            assert answer.status_code == 400
            error = answer.json()["error"]
            assert (error["code"], error["error_subcode"]) == (110, 2207013)

    async def test_missing_token_bad_fields_and_bad_cursor(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        handle = professional(world).handle
        query = {"fields": f"business_discovery.username({handle}){{id}}"}
        untrusted = await http.get("/graph/v26.0/1", params=query)
        other = await http.get("/graph/v26.0/1", params={"fields": "id", "access_token": "t"})
        lost = await discover(http, handle, "media.after(nonsense){id}")
        assert [a.json()["error"]["code"] for a in (untrusted, other, lost)] == [190, 100, 100]
        assert {a.status_code for a in (untrusted, other, lost)} == {400}
