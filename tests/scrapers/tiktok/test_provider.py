"""TikTok fetches always return a report, with everything read before a failure."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.tiktok.provider import MET_PLAYER, TikTokProvider
from scrapers.transport.pacing import Pace
from tests.scrapers.conftest import FakeSite

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=60)
USER_ID = "6871947673887454020"
SEC_UID = "MS4wLjABAAAAexample0example1example2example3example4example5"
VIDEO_ID = "7682837474828885294"
OLDEST = "7681978481369685294"
NEW = AccountTarget(platform="tiktok", handle="demo.creator")
KNOWN = replace(NEW, platform_user_id=USER_ID, platform_alt_id=SEC_UID)

Payload = Callable[[str], Any]
Page = Callable[[Any], str]


LIST = "/api/creator/item_list/"
COMMENTS = "/api/comment/list/"
EMPTY_LIST = '{"statusCode": 0, "hasMorePrevious": false, "itemList": []}'
GONE = {"statusCode": 10204, "statusMsg": "item doesn't exist"}
PLAYER = "/player/api/v1/items"
PROFILE, EMBED = "/@demo.creator", "/embed/@demo.creator"
POST_EMBED, OTHER_POST_EMBED = f"/embed/v2/{VIDEO_ID}", f"/embed/v2/{OLDEST}"


@pytest.fixture
def site(closing: Callable[[Any], Any], fake_time: Any) -> FakeSite:
    site = FakeSite("tiktok")
    site.provider = closing(
        TikTokProvider(
            base_url="http://127.0.0.1:9000/tiktok",
            pace=Pace(4, 1000.0),
            clock=lambda: NOW,
            transport=httpx.MockTransport(site),
            sleep=fake_time.sleep,
        )
    )
    return site


@pytest.fixture
def profile(payload: Payload) -> Any:
    return payload("tiktok/profile.json")


@pytest.fixture
def listing(payload: Payload) -> Any:
    return payload("tiktok/creator_list.json")


def user_of(profile: Any) -> Any:
    return profile["__DEFAULT_SCOPE__"]["webapp.user-detail"]["userInfo"]["user"]


def missing(tiktok_page: Page) -> str:
    detail = {"statusCode": 10221, "statusMsg": "", "userInfo": {}}
    return tiktok_page({"__DEFAULT_SCOPE__": {"webapp.user-detail": detail}})


class TestProfile:
    async def test_a_reading(self, site: FakeSite, profile: Any, tiktok_page: Page) -> None:
        site.routes[PROFILE] = tiktok_page(profile)
        report = await site.provider.profile(NEW)
        assert report.outcome is Outcome.OK
        assert (report.account.follower_count, report.account.captured_at) == (1203417, NOW)

    async def test_a_challenge_is_neither_solved_nor_retried(
        self, site: FakeSite, payload: Payload
    ) -> None:
        site.routes[PROFILE] = payload("tiktok/challenge.html")
        report = await site.provider.profile(NEW)
        assert report.outcome is Outcome.CHALLENGED
        assert report.raw_sample
        assert site.paths == [PROFILE, EMBED]
        assert "Cookie" not in site.requests[0].headers

    async def test_a_page_without_data_is_retried_once(
        self, site: FakeSite, payload: Payload, profile: Any, tiktok_page: Page
    ) -> None:
        site.routes[PROFILE] = [payload("tiktok/no_data.html"), tiktok_page(profile)]
        assert (await site.provider.profile(NEW)).outcome is Outcome.OK
        site.routes[PROFILE] = payload("tiktok/no_data.html")
        site.requests.clear()
        assert (await site.provider.profile(NEW)).outcome is Outcome.BLOCKED_SILENT
        assert site.paths == [PROFILE, PROFILE, EMBED]

    async def test_a_redirect_within_the_site_is_followed_once(
        self, site: FakeSite, profile: Any, tiktok_page: Page
    ) -> None:
        away = httpx.Response(301, headers={"Location": "/tiktok/@elsewhere?lang=en"})
        site.routes.update({PROFILE: away, "/@elsewhere": tiktok_page(profile)})
        assert (await site.provider.profile(NEW)).outcome is Outcome.OK
        further = httpx.Response(301, headers={"Location": "/tiktok/@further"})
        site.routes["/@elsewhere"] = further
        assert (await site.provider.profile(NEW)).outcome is Outcome.SCHEMA_CHANGED

    async def test_a_redirect_of_an_unread_handle_names_its_target(
        self, site: FakeSite, profile: Any, tiktok_page: Page
    ) -> None:
        user_of(profile)["uniqueId"] = "elsewhere"
        away = httpx.Response(301, headers={"Location": "/tiktok/@elsewhere"})
        site.routes.update({PROFILE: away, "/@elsewhere": tiktok_page(profile)})
        report = await site.provider.profile(NEW)
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)
        assert report.detail == "the handle leads to @elsewhere: track that one"
        assert (await site.provider.profile(KNOWN)).outcome is Outcome.OK


class TestRenamedAccounts:
    async def test_they_are_found_under_their_new_handle(
        self, site: FakeSite, profile: Any, listing: Any, tiktok_page: Page
    ) -> None:
        user_of(profile)["uniqueId"] = "new.name"
        listing["itemList"][0]["author"]["uniqueId"] = "new.name"
        site.routes = {
            PROFILE: missing(tiktok_page),
            LIST: json.dumps(listing),
            "/@new.name": tiktok_page(profile),
        }
        report = await site.provider.profile(KNOWN)
        assert (report.account.handle, report.account.observed_handle) == (
            "demo.creator",
            "new.name",
        )

    async def test_a_handle_passed_on_to_another_account_is_not_read_as_the_old_one(
        self, site: FakeSite, profile: Any, tiktok_page: Page
    ) -> None:
        user_of(profile)["id"] = "1"
        site.routes = {PROFILE: tiktok_page(profile), LIST: httpx.Response(200)}
        report = await site.provider.profile(KNOWN)
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)
        assert "another account" in str(report.detail)

    async def test_without_any_trace_the_account_is_missing(
        self, site: FakeSite, listing: Any, tiktok_page: Page
    ) -> None:
        site.routes = {PROFILE: missing(tiktok_page), LIST: json.dumps(listing)}
        assert (await site.provider.profile(KNOWN)).outcome is Outcome.NOT_FOUND
        assert (await site.provider.profile(NEW)).outcome is Outcome.NOT_FOUND


class TestDiscover:
    async def discover(self, provider: TikTokProvider, target: AccountTarget = KNOWN) -> Any:
        target = replace(target, video_count=2)
        return await provider.discover(target, since=SINCE, known=())

    async def test_it_pages_to_the_end(self, site: FakeSite, listing: Any) -> None:
        last = {"statusCode": 0, "hasMorePrevious": False, "itemList": listing["itemList"][1:]}
        site.routes[LIST] = [json.dumps(listing), json.dumps(last)]
        report = await self.discover(site.provider)
        assert report.outcome is Outcome.OK
        assert report.reached_known
        assert [v.platform_video_id for v in report.videos] == [VIDEO_ID, "7681978481369685294"]
        cursors = [request.url.params["cursor"] for request in site.requests]
        assert cursors == [str(int(NOW.timestamp() * 1000)), "1788600000000"]

    async def test_the_request_is_the_documented_one(self, site: FakeSite) -> None:
        await self.discover(site.provider)
        sent = dict(site.requests[0].url.params)
        assert (sent["aid"], sent["secUid"], sent["count"], sent["type"]) == (
            "1988",
            SEC_UID,
            "15",
            "1",
        )
        assert len(sent["device_id"]) == 19

    async def test_without_its_id_the_profile_is_read_first_and_reported(
        self, site: FakeSite, profile: Any, listing: Any, tiktok_page: Page
    ) -> None:
        listing["hasMorePrevious"] = False
        site.routes = {PROFILE: tiktok_page(profile), LIST: json.dumps(listing)}
        report = await self.discover(site.provider, NEW)
        assert site.paths == [PROFILE, LIST]
        assert report.account is not None
        assert len(report.videos) == 2

    @pytest.mark.parametrize(
        ("in_profile", "listed_before", "older", "is_whole"),
        [
            (300, 0, 0, False),
            (3, 0, 0, False),
            (2, 0, 0, True),
            (300, 280, 0, True),  # on earlier pages
            (300, 0, 1, True),  # older than the start
        ],
    )
    async def test_a_list_that_ends_early_is_not_complete(
        self,
        site: FakeSite,
        listing: Any,
        in_profile: int,
        listed_before: int,
        *,
        older: int,
        is_whole: bool,
    ) -> None:
        listing["hasMorePrevious"] = False
        since = SINCE if not older else datetime(2026, 9, 7, tzinfo=UTC)
        site.routes = {LIST: json.dumps(listing)}
        target = replace(KNOWN, video_count=in_profile, listed=listed_before)
        report = await site.provider.discover(target, since=since, known=())
        assert (report.outcome, report.reached_known) == (Outcome.OK, is_whole)
        expected_detail = f"the list ended after 2 posts; the profile has {in_profile}"
        assert report.detail == (None if is_whole else expected_detail)

    @pytest.mark.parametrize(
        ("known", "is_pinned", "in_profile", "is_whole"),
        [
            ([], True, 300, False),  # the only post older than the start
            ([], False, None, False),
            (["8001", *map(str, range(9000, 9298))], False, 300, False),
            ([OLDEST], False, None, True),
            ([OLDEST], True, 300, False),
        ],
    )
    async def test_only_a_post_in_order_proves_that_no_post_is_missing(
        self,
        site: FakeSite,
        listing: Any,
        known: list[str],
        in_profile: int | None,
        *,
        is_pinned: bool,
        is_whole: bool,
    ) -> None:
        """Pinned posts come first, and posts known from other lists say nothing about this one."""
        listing["hasMorePrevious"] = False
        oldest = listing["itemList"][-1]
        oldest["isPinnedItem"] = is_pinned
        if is_pinned and not known:
            oldest["createTime"] = int(SINCE.timestamp()) - 1
        site.routes = {LIST: json.dumps(listing)}
        target = replace(KNOWN, video_count=in_profile)
        report = await site.provider.discover(target, since=SINCE, known=known)
        assert (report.outcome, report.reached_known) == (Outcome.OK, is_whole)

    async def test_an_unreadable_post_is_reported(self, site: FakeSite, listing: Any) -> None:
        listing["hasMorePrevious"] = False
        listing["itemList"].append({"desc": "ad"})
        site.routes = {LIST: json.dumps(listing)}
        report = await self.discover(site.provider)
        assert (len(report.videos), report.detail) == (2, "1 items could not be read")

    @pytest.mark.parametrize("author", [None, {}, {"uniqueId": ""}, 7])
    async def test_a_post_without_an_author_is_the_accounts(
        self, site: FakeSite, listing: Any, author: object
    ) -> None:
        listing["hasMorePrevious"] = False
        listing["itemList"][0]["author"] = author
        site.routes = {LIST: json.dumps(listing)}
        for target in (KNOWN, replace(KNOWN, platform_user_id=None)):
            report = await site.provider.discover(target, since=SINCE, known=())
            owners = [(video.handle, video.platform_user_id) for video in report.videos]
            assert owners[0] == (KNOWN.handle, target.platform_user_id)

    async def test_results_before_a_refusal_are_returned(
        self, site: FakeSite, listing: Any
    ) -> None:
        site.routes[LIST] = [json.dumps(listing), httpx.Response(200)]
        report = await self.discover(site.provider)
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert len(report.videos) == 2
        assert not report.reached_known

    async def test_a_list_that_repeats_itself_is_a_refusal_after_a_new_session(
        self, site: FakeSite, listing: Any
    ) -> None:
        site.routes[LIST] = json.dumps(listing)
        report = await self.discover(site.provider)
        assert (report.outcome, len(report.videos)) == (Outcome.BLOCKED_SILENT, 2)
        assert not report.reached_known
        assert len({request.url.params["device_id"] for request in site.requests}) == 2
        assert len(site.requests) == 5

    @pytest.mark.parametrize("is_private", [True, False])
    async def test_an_empty_list_is_compared_with_the_profile(
        self, site: FakeSite, profile: Any, tiktok_page: Page, *, is_private: bool
    ) -> None:
        user_of(profile)["privateAccount"] = is_private
        site.routes = {
            PROFILE: tiktok_page(profile),
            LIST: EMPTY_LIST,
        }
        report = await self.discover(site.provider)
        assert report.outcome is (Outcome.PRIVATE if is_private else Outcome.BLOCKED_SILENT)
        assert report.videos == ()
        assert report.account is not None

    async def test_an_empty_list_of_an_account_without_posts_is_fine(
        self, site: FakeSite, profile: Any, tiktok_page: Page
    ) -> None:
        info = profile["__DEFAULT_SCOPE__"]["webapp.user-detail"]["userInfo"]
        info["statsV2"]["videoCount"] = "0"
        site.routes = {
            PROFILE: tiktok_page(profile),
            LIST: EMPTY_LIST,
        }
        report = await self.discover(site.provider)
        assert (report.outcome, report.reached_known) == (Outcome.OK, True)

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (httpx.Response(404), "schema_changed"),
            (httpx.Response(200), "blocked_silent"),
            ('{"code": 10000}', "challenged"),
            ('{"statusCode": 0, "itemList": [{"id": []}]}', "schema_changed"),
            (httpx.Response(302, headers={"Location": "/tiktok/login"}), "login_required"),
        ],
    )
    async def test_refusals(self, site: FakeSite, answer: Any, outcome: str) -> None:
        site.routes[LIST] = answer
        report = await self.discover(site.provider)
        assert (report.outcome, report.videos) == (Outcome(outcome), ())

    async def test_a_profile_without_the_lists_key_is_an_unknown_shape(
        self, site: FakeSite, profile: Any, tiktok_page: Page
    ) -> None:
        del user_of(profile)["secUid"]
        site.routes[PROFILE] = tiktok_page(profile)
        report = await self.discover(site.provider, NEW)
        assert report.outcome is Outcome.SCHEMA_CHANGED
        assert report.account is not None


class TestComments:
    EMPTY = '{"status_code": 0, "comments": null, "cursor": 0, "has_more": 0}'

    @pytest.mark.parametrize(
        ("count", "outcome", "is_complete"),
        [
            ("0", Outcome.OK, True),
            ("214", Outcome.BLOCKED_SILENT, False),
            (None, Outcome.OK, False),
            ("challenge", Outcome.CHALLENGED, False),
            ("gone", Outcome.POST_UNAVAILABLE, False),
        ],
    )
    async def test_an_empty_list_is_complete_only_under_a_post_that_counts_none(  # noqa: PLR0917  fixtures and the case
        self,
        site: FakeSite,
        payload: Payload,
        tiktok_page: Page,
        count: str | None,
        outcome: Outcome,
        is_complete: bool,
    ) -> None:
        """Comments missing from a complete crawl count as deleted."""
        post = payload("tiktok/post.json")
        item = post["__DEFAULT_SCOPE__"]["webapp.video-detail"]["itemInfo"]["itemStruct"]
        item["stats"]["commentCount"] = item["statsV2"]["commentCount"] = count
        pages = {
            "challenge": payload("tiktok/challenge.html"),
            "gone": tiktok_page({"__DEFAULT_SCOPE__": {"webapp.video-detail": GONE}}),
        }
        page = pages.get(count or "", tiktok_page(post))
        site.routes = {COMMENTS: self.EMPTY, f"/@/video/{VIDEO_ID}": page}
        target = PostTarget(platform="tiktok", platform_video_id=VIDEO_ID)
        report = await site.provider.comments(target)
        assert report.outcome is outcome
        assert (report.comment_crawl.comments, report.comment_crawl.is_complete) == (
            (),
            is_complete,
        )


class TestPastAChallengedPage:
    """Embeds still respond where pages return a challenge; the list needs only the secUid."""

    @pytest.fixture
    def challenged(self, site: FakeSite, payload: Payload) -> FakeSite:
        site.routes = {
            PROFILE: payload("tiktok/challenge.html"),
            f"/@/video/{VIDEO_ID}": payload("tiktok/challenge.html"),
            EMBED: embed_page(payload("tiktok/creator_embed.json")),
            POST_EMBED: embed_page(payload("tiktok/post_embed.json")),
        }
        return site

    async def test_the_embed_is_read_and_a_posts_embed_gives_the_sec_uid(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        report = await site.provider.profile(NEW)
        assert (report.outcome, report.source) == (Outcome.OK, "tiktok.creator_embed")
        assert report.account.platform_alt_id == SEC_UID
        assert not report.account.is_exact
        assert challenged.paths == [PROFILE, EMBED, POST_EMBED]

    async def test_a_known_sec_uid_is_not_requested(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        report = await site.provider.profile(KNOWN)
        assert report.account.platform_alt_id == KNOWN.platform_alt_id
        assert challenged.paths == [PROFILE, EMBED]

    @pytest.mark.parametrize(
        "author",
        [{"uniqueId": "somebody.else"}, {"secUid": None}, {"uniqueId": None}],
        ids=["another_account", "no_sec_uid", "no_handle"],
    )
    async def test_only_the_accounts_own_post_gives_it(
        self, site: FakeSite, challenged: FakeSite, payload: Payload, author: Any
    ) -> None:
        post = payload("tiktok/post_embed.json")
        post["source"]["data"][POST_EMBED]["videoData"]["authorInfos"] |= author
        challenged.routes[POST_EMBED] = embed_page(post)
        report = await site.provider.profile(NEW)
        assert report.account.platform_alt_id is None
        assert challenged.paths == [PROFILE, EMBED, POST_EMBED, OTHER_POST_EMBED]

    async def test_another_accounts_embed_is_not_read_as_the_old_one(
        self, site: FakeSite, challenged: FakeSite, payload: Payload
    ) -> None:
        embed = payload("tiktok/creator_embed.json")
        embed["source"]["data"][EMBED]["userInfo"]["id"] = "5"
        challenged.routes[EMBED] = embed_page(embed)
        assert (await site.provider.profile(KNOWN)).account is None

    async def test_a_missing_embed_does_not_make_an_account_missing(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        challenged.routes[EMBED] = embed_page({"source": {"data": {EMBED: {"code": 404}}}})
        report = await site.provider.profile(NEW)
        assert report.outcome is Outcome.CHALLENGED
        assert "no such embed" in str(report.detail)

    async def test_a_first_discovery_goes_by_the_embeds_to_the_list(
        self, site: FakeSite, challenged: FakeSite, listing: Any
    ) -> None:
        listing["hasMorePrevious"] = False
        challenged.routes[LIST] = json.dumps(listing)
        report = await site.provider.discover(NEW, since=SINCE, known=())
        assert (report.outcome, len(report.videos)) == (Outcome.OK, 2)
        assert challenged.requests[-1].url.params["secUid"] == SEC_UID

    async def test_an_empty_list_without_a_number_of_posts_proves_nothing(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        challenged.routes[LIST] = EMPTY_LIST
        report = await site.provider.discover(NEW, since=SINCE, known=())
        assert (report.outcome, report.reached_known) == (Outcome.BLOCKED_SILENT, False)
        assert report.account.video_count is None

    async def test_without_a_sec_uid_there_is_no_list(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        del challenged.routes[POST_EMBED]
        report = await site.provider.discover(NEW, since=SINCE, known=())
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert report.account is not None

    async def test_the_detail_names_a_redirect_of_the_embed_to_the_player(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        moved = httpx.Response(301, headers={"Location": f"/tiktok/player/v1/{VIDEO_ID}"})
        item = {"id_str": VIDEO_ID, "statistics_info": {"digg_count": 5}}
        challenged.routes |= {POST_EMBED: moved, PLAYER: json.dumps({"items": [item]})}
        report = await site.provider.discover(NEW, since=SINCE, known=())
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert MET_PLAYER in str(report.detail)
        assert report.account is not None

    @pytest.mark.parametrize(("known", "lists"), [(NEW, False), (KNOWN, True)])
    async def test_the_list_needs_only_the_sec_uid(
        self, site: FakeSite, known: AccountTarget, *, lists: bool
    ) -> None:
        assert site.provider.lists_without_profile(known) is lists

    async def test_a_posts_counters_are_in_its_embed(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        target = PostTarget(platform="tiktok", platform_video_id=VIDEO_ID)
        report = await site.provider.post(target)
        assert (report.outcome, report.source) == (Outcome.OK, "tiktok.post_embed")
        [video] = report.videos
        assert (video.view_count, video.save_count) == (88041, None)
        challenged.routes[POST_EMBED] = httpx.Response(200)
        assert (await site.provider.post(target)).outcome is Outcome.CHALLENGED

    async def test_a_player_in_place_of_the_embed_is_read(
        self, site: FakeSite, challenged: FakeSite
    ) -> None:
        """It shows likes, comments and shares; plays are unknown, never 0."""
        moved = httpx.Response(301, headers={"Location": f"/tiktok/player/v1/{VIDEO_ID}"})
        counts = {"digg_count": 9102, "comment_count": 214, "share_count": 77}
        item = {
            "id_str": VIDEO_ID,
            "desc": "Invented caption",
            "author_info": {"unique_id": "Demo.Creator"},
            "statistics_info": counts,
        }
        challenged.routes[POST_EMBED] = moved
        challenged.routes[PLAYER] = json.dumps({"items": [item], "results": [{"code": "ok"}]})
        target = PostTarget(platform="tiktok", platform_video_id=VIDEO_ID)
        report = await site.provider.post(target)
        assert (report.outcome, report.source) == (Outcome.OK, "tiktok.post_player")
        [video] = report.videos
        assert (video.view_count, video.like_count, video.share_count) == (None, 9102, 77)
        assert (video.handle, video.comment_count) == ("demo.creator", 214)
        assert challenged.requests[-1].url.params["item_ids"] == VIDEO_ID


def embed_page(data: Any) -> str:
    return (
        '<!DOCTYPE html><html><body><script id="__FRONTITY_CONNECT_STATE__" '
        f'type="application/json">{json.dumps(data)}</script></body></html>'
    )


class TestPost:
    POST = PostTarget(platform="tiktok", platform_video_id=VIDEO_ID)

    async def test_a_reading(self, site: FakeSite, payload: Payload, tiktok_page: Page) -> None:
        site.routes[f"/@/video/{VIDEO_ID}"] = tiktok_page(payload("tiktok/post.json"))
        report = await site.provider.post(self.POST)
        assert report.outcome is Outcome.OK
        assert [video.view_count for video in report.videos] == [88041]

    async def test_the_handle_is_used_where_it_is_known(self, site: FakeSite) -> None:
        report = await site.provider.post(replace(self.POST, handle="demo.creator"))
        assert site.paths == [f"/@demo.creator/video/{VIDEO_ID}"]
        assert report.outcome is Outcome.NOT_FOUND
