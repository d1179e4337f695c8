"""Instagram's routes show the documented shapes, and the numbers of the world."""

import json
from collections.abc import Iterator
from typing import Any

import httpx

from scrapers.simulator import AccountType, Kind, TruePost, TrueProfile, World

from .conftest import NOON, scripts, shape

PROFILE_QUERY = "27981003384861049"
POSTS_QUERY = "27553725110923321"
POSTS_PAGING_QUERY = "27389614800735091"
REELS_QUERY = "27838951732404191"
POST_QUERY = "28309390568695038"
OLDER_POST_QUERY = "27130156389949648"

PROFILE = json.loads("""
{"pk":"67000000001","id":"17841460000000001","username":"demo.creator","full_name":"Demo Creator","biography":"Invented bio","bio_links":[{"title":"Site","url":"https://example.org/demo","lynx_url":"https://l.instagram.com/?u=https%3A%2F%2Fexample.org%2Fdemo","link_type":"external","is_pinned":false}],"profile_pic_url":"https://scontent.example/p.jpg","is_private":false,"is_verified":false,"follower_count":51234,"following_count":310,"all_media_count":null}
""")  # noqa: E501 - one document a line, as it is sent
NODE = json.loads("""
{"__typename":"XIGPolarisVideoMedia","pk":"3981064899117325116","id":"18000000000000001","code":"Dc_lW7jqhs8","caption":{"text":"Invented caption #demo"},"display_uri":"https://scontent.example/d.jpg","media_type":2,"product_type":"clips","user":{"pk":"67000000001","username":"demo.creator"},"timeline_pinned_user_ids":[]}
""")  # noqa: E501
REEL = json.loads("""
{"pk":"3981064899117325116","code":"Dc_lW7jqhs8","play_count":12840,"like_count":950,"comment_count":17,"display_uri":"https://scontent.example/d.jpg","clips_tab_pinned_user_ids":[]}
""")
POST = json.loads("""
{"pk":"3981064899117325116","code":"Dc_lW7jqhs8","gating_ruling":null,"if_not_gated_logged_out":{"pk":"3981064899117325116","code":"Dc_lW7jqhs8","media_type":2,"product_type":"clips","taken_at":1788800000,"caption":{"text":"Invented caption #demo"},"like_count":950,"comment_count":17,"view_count":null,"display_uri":"https://scontent.example/d.jpg","video_versions":[{"type":101,"url":"https://scontent.example/v.mp4","width":720,"height":1280}],"image_versions2":{"candidates":[{"url":"https://scontent.example/d.jpg"}]},"user":{"pk":"67000000001","username":"demo.creator"}},"comments_connection":{"edges":[{"node":{"pk":"18010000000000001","text":"Nice one","created_at":1788803600,"comment_like_count":3,"child_comment_count":1,"parent_comment_id":null,"user":{"pk":"67000000777","id":"17841460000000777","username":"viewer_one","is_verified":false,"profile_pic_url":"https://scontent.example/v1.jpg"}},"cursor":"c1"}],"page_info":{"has_next_page":true,"end_cursor":"{\\"server_cursor\\":\\"abc\\",\\"is_server_cursor_inverse\\":true}"}}}
""")  # noqa: E501
OLD_PROFILE = json.loads("""
{"id":"67000000001","username":"demo.creator","full_name":"Demo Creator","biography":"Invented bio","external_url":"https://example.org/demo","bio_links":[],"profile_pic_url":"https://scontent.example/p.jpg","profile_pic_url_hd":"https://scontent.example/phd.jpg","is_private":false,"is_verified":false,"is_business_account":false,"category_name":null,"edge_followed_by":{"count":51234},"edge_follow":{"count":310}}
""")
OLD_NODE = json.loads("""
{"__typename":"GraphVideo","id":"3981064899117325116","shortcode":"Dc_lW7jqhs8","is_video":true,"product_type":"clips","taken_at_timestamp":1788800000,"video_view_count":4100,"video_play_count":null,"edge_media_to_comment":{"count":17},"edge_liked_by":{"count":950},"edge_media_to_caption":{"edges":[{"node":{"text":"Invented caption #demo"}}]},"display_url":"https://scontent.example/d.jpg","thumbnail_src":"https://scontent.example/t.jpg","owner":{"id":"67000000001","username":"demo.creator"}}
""")  # noqa: E501


def profiles(world: World) -> list[TrueProfile]:
    handles = world.handles("instagram", at=NOON)
    return [p for handle in handles if (p := world.profile("instagram", handle, NOON))]


def posts_of(world: World, profile: TrueProfile) -> list[TruePost]:
    return world.posts("instagram", profile.handle, NOON)


def all_posts(world: World) -> Iterator[TruePost]:
    for profile in profiles(world):
        yield from posts_of(world, profile)


def plain(world: World) -> TrueProfile:
    return next(p for p in profiles(world) if p.bio_link and p.kind is Kind.PLAIN)


def relay(page: str) -> list[Any]:
    """`result.data` of every RelayPrefetchedStreamCache entry of a page."""
    return [
        entry[3][1]["__bbox"]["result"]["data"]
        for document in scripts(page, "data-sjs")
        for call in document["require"]
        for handled in call[3]
        for entry in handled["__bbox"]["require"]
        if entry[0] == "RelayPrefetchedStreamCache"
    ]


async def page_data(http: httpx.AsyncClient, path: str) -> list[Any]:
    return relay((await http.get(f"/instagram{path}")).raise_for_status().text)


async def query(http: httpx.AsyncClient, doc_id: str, **variables: object) -> httpx.Response:
    form = {
        "lsd": "x",
        "fb_api_caller_class": "RelayModern",
        "server_timestamps": "true",
        "variables": json.dumps(variables),
        "doc_id": doc_id,
    }
    return await http.post("/instagram/api/graphql", data=form)


async def asked(http: httpx.AsyncClient, doc_id: str, **variables: object) -> Any:
    answer = (await query(http, doc_id, **variables)).raise_for_status().json()
    assert "errors" not in answer
    return answer["data"]


async def comment_crawl(http: httpx.AsyncClient, profile: TrueProfile) -> list[Any]:
    """Every node of the timeline: the posts tab, then its paging query."""
    data = await asked(http, POSTS_QUERY, username=profile.handle, first=12, after=None)
    timeline = data["xig_user_by_username"]["polaris_ordered_timeline_connection"]
    nodes = [edge["node"] for edge in timeline["edges"]]
    while timeline["page_info"]["has_next_page"]:
        after = timeline["page_info"]["end_cursor"]
        paged = await asked(
            http, POSTS_PAGING_QUERY, id=profile.platform_alt_id, after=after, first=12
        )
        timeline = paged["node"]["polaris_ordered_timeline_connection"]
        nodes += [edge["node"] for edge in timeline["edges"]]
    return nodes


class TestProfile:
    async def test_page_and_query_show_the_documented_shape(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = plain(world)
        root, _timeline = await page_data(http, f"/{true.handle}/")
        answer = await asked(http, PROFILE_QUERY, username=true.handle)
        assert root == answer
        expected = shape(PROFILE)
        expected["bio_links"][0].pop("lynx_url")
        assert shape(answer["xig_user_by_username"]) == expected
        assert answer["xig_user_by_username"]["follower_count"] == true.follower_count
        assert answer["xig_user_by_username"]["pk"] == true.platform_user_id

    async def test_the_page_names_the_query_ids(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        page = (await http.get(f"/instagram/{plain(world).handle}/")).text
        assert f'"queryID":"{PROFILE_QUERY}"' in page
        assert f'"queryID":"{POSTS_QUERY}"' in page


class TestWebProfileInfo:
    APP_ID = "936619743392459"

    async def info(self, http: httpx.AsyncClient, handle: str) -> httpx.Response:
        path = f"/instagram/api/v1/users/web_profile_info/?username={handle}"
        return await http.get(path, headers={"X-IG-App-ID": self.APP_ID})

    async def test_shape_is_the_documented_one(self, http: httpx.AsyncClient, world: World) -> None:
        true = next(
            p for p in profiles(world) if p.account_type is AccountType.PERSONAL and p.bio_link
        )
        user = (await self.info(http, true.handle)).json()["data"]["user"]
        media = user.pop("edge_owner_to_timeline_media")
        assert shape(user) == shape(OLD_PROFILE)
        assert media["count"] == true.video_count
        assert len(media["edges"]) == 12
        hidden = {p.platform_video_id: p.likes_hidden for p in posts_of(world, true)}
        for edge in media["edges"]:
            node = edge["node"]
            assert (node["edge_liked_by"]["count"] == -1) == hidden[node["id"]]
            if node["is_video"] and node["edge_media_to_caption"]["edges"]:
                assert shape(node) == shape(OLD_NODE)


class TestTimeline:
    async def test_nodes_are_thin_and_of_the_documented_shape(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        nodes = [node for true in profiles(world)[:10] for node in await comment_crawl(http, true)]
        full = [n for n in nodes if n["caption"] and "coauthor_producers" not in n]
        videos = [n for n in full if n["product_type"] == "clips"]
        assert videos
        unpinned = next(n for n in videos if not n["timeline_pinned_user_ids"])
        assert shape(unpinned) == shape(NODE)
        assert {type(n.get("media_type")).__name__ for n in nodes} == {"int", "str", "NoneType"}
        assert any(n["caption"] is None for n in nodes)
        assert any("coauthor_producers" in n for n in nodes)
        assert not any("taken_at" in n or "like_count" in n for n in nodes)


class TestReels:
    async def test_page_and_query_show_plays(self, http: httpx.AsyncClient, world: World) -> None:
        true = next(p for p in profiles(world) if posts_of(world, p))
        [from_page] = await page_data(http, f"/{true.handle}/reels/")
        data = await asked(http, REELS_QUERY, username=true.handle)
        assert from_page == data
        reels = data["xig_user_by_username"]["polaris_clips_connection"]
        assert reels["page_info"] == {"has_next_page": False, "end_cursor": None}
        posts = {post.platform_video_id: post for post in posts_of(world, true)}
        assert 0 < len(reels["edges"]) <= 12
        for edge in reels["edges"]:
            post, node = posts[edge["node"]["pk"]], edge["node"]
            assert post.media_type == "video"
            assert node["play_count"] == (None if post.plays_hidden else post.view_count)
            assert node["comment_count"] == post.comment_count
            if not post.plays_hidden and not post.likes_hidden and not post.is_pinned:
                assert shape(node) == shape(REEL)


class TestPost:
    async def test_page_and_both_query_ids_show_the_documented_shape(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(
            p
            for p in all_posts(world)
            if p.media_type == "video" and p.caption and not (p.is_restricted or p.likes_hidden)
            if p.comment_count > 50
        )
        [from_page] = await page_data(http, f"/p/{post.shortcode}/")
        for path in (f"/reel/{post.shortcode}/", f"/{post.handle}/reel/{post.shortcode}/"):
            assert await page_data(http, path) == [from_page]
        for doc_id in (POST_QUERY, OLDER_POST_QUERY):
            assert await asked(http, doc_id, media_id=post.platform_video_id) == from_page
        media = from_page["xig_polaris_media"]
        assert shape(media) == shape(POST)
        fields = media["if_not_gated_logged_out"]
        assert (fields["like_count"], fields["comment_count"]) == (
            post.like_count,
            post.comment_count,
        )
        assert fields["taken_at"] == post.posted_at.timestamp()

    async def test_carousel_image_null_caption_and_hidden_likes(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        free = [p for true in profiles(world)[:60] for p in posts_of(world, true)]
        free = [post for post in free if not post.is_restricted]
        carousel = next(p for p in free if p.media_type == "carousel")
        photo = next(p for p in free if p.media_type == "photo")
        silent = next(p for p in free if p.caption is None)
        hidden = next(p for p in free if p.likes_hidden and p.like_count > 100)
        nodes = [
            (await page_data(http, f"/p/{post.shortcode}/"))[0]["xig_polaris_media"][
                "if_not_gated_logged_out"
            ]
            for post in (carousel, photo, silent, hidden)
        ]
        assert nodes[0]["media_type"] == 8
        assert nodes[0]["product_type"] == "carousel_container"
        assert nodes[0]["carousel_media"]
        assert nodes[1]["media_type"] == 1
        assert nodes[2]["caption"] is None
        assert nodes[3]["like_and_view_counts_disabled"] is True
        assert nodes[3]["like_count"] != hidden.like_count

    async def test_gated_post_has_a_ruling_and_no_media(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        gated = next(p for p in all_posts(world) if p.is_restricted)
        free = next(p for p in all_posts(world) if not p.is_restricted)
        [data] = await page_data(http, f"/p/{gated.shortcode}/")
        assert data["xig_polaris_media"]["if_not_gated_logged_out"] is None
        assert data["xig_polaris_media"]["gating_ruling"]["gating_type"] == 2
        rulings = [
            (
                await http.get(
                    "/instagram/api/v1/web/get_ruling_for_content/",
                    params={"content_type": "MEDIA", "target_id": post.platform_video_id},
                )
            ).json()
            for post in (gated, free)
        ]
        assert {"title", "description"} < rulings[0].keys()
        assert rulings[1] == {"status": "ok"}

    async def test_oembed_names_media_and_author(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        post = next(all_posts(world))
        answer = (await http.get("/instagram/api/v1/oembed/", params={"url": post.url})).json()
        assert answer["author_name"] == post.handle
        assert answer["media_id"] == f"{post.platform_video_id}_{post.platform_user_id}"
        dead = {"url": "https://www.instagram.com/p/Dc_lW7jqhs8/"}
        assert (await http.get("/instagram/api/v1/oembed/", params=dead)).status_code == 404


class TestQueries:
    async def test_unknown_query_missing_variable_and_bad_cursor_are_execution_errors(
        self, http: httpx.AsyncClient, world: World
    ) -> None:
        true = plain(world)
        answers = [
            await query(http, "1", username=true.handle),
            await query(http, PROFILE_QUERY),
            await query(http, POST_QUERY, media_id=None),
            await query(http, POSTS_QUERY, username=true.handle, after="nonsense"),
            await query(http, POSTS_PAGING_QUERY, id=true.platform_alt_id, after=None),
            await http.post("/instagram/api/graphql", data={"doc_id": PROFILE_QUERY}),
        ]
        for answer in answers:
            assert answer.status_code == 200
            assert answer.json()["data"] is None
            assert "execution error" in answer.json()["errors"][0]["message"]


class TestShareLinks:
    async def test_dead_link(self, http: httpx.AsyncClient) -> None:
        assert (await http.get("/instagram/share/BAdead1")).status_code == 404
