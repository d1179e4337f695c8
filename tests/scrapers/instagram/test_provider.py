"""Instagram fetches always return a report, with everything read before a failure."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from scrapers.instagram.provider import InstagramProvider
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.transport.pacing import Pace
from tests.scrapers.conftest import FakeSite

pytestmark = pytest.mark.usefixtures("without_backoff")

NOW = datetime(2026, 9, 8, 12, tzinfo=UTC)
SINCE = NOW - timedelta(days=900)
PK = "3981064899117325116"
NEW = AccountTarget(platform="instagram", handle="demo.creator")
KNOWN = replace(NEW, platform_user_id="67000000001", platform_alt_id="17841460000000001")
PROFILE, REELS, QUERY = "/demo.creator/", "/demo.creator/reels/", "/api/graphql"
POST = "/p/Dc_lW7jqhs8/"
FAILED = {"data": None, "errors": [{"message": "execution error", "path": ["any_root"]}]}
POSTS_QUERY = "PolarisLoggedOutDesktopWWWProfilePostsTabContentQuery"

Payload = Callable[[str], Any]
Page = Callable[..., str]


@pytest.fixture
def site(closing: Callable[[Any], Any], fake_time: Any) -> FakeSite:
    site = FakeSite("instagram")
    site.provider = closing(
        InstagramProvider(
            base_url="http://127.0.0.1:9000/instagram",
            pace=Pace(4, 1000.0),
            clock=lambda: NOW,
            transport=httpx.MockTransport(site),
            sleep=fake_time.sleep,
        )
    )
    return site


@pytest.fixture
def profile(payload: Payload) -> Any:
    return payload("instagram/profile.json")


@pytest.fixture
def timeline(payload: Payload) -> Any:
    return payload("instagram/timeline.json")


@pytest.fixture
def reels_page(payload: Payload, relay_page: Page) -> str:
    return relay_page(payload("instagram/reels.json"))


@pytest.fixture
def full_page(profile: Any, timeline: Any, relay_page: Page) -> str:
    return relay_page(profile, timeline)


@pytest.fixture
def more(payload: Payload) -> Any:
    return payload("instagram/more_timeline.json")


def user_of(profile: Any) -> Any:
    return profile["data"]["xig_user_by_username"]


def described(page: str, description: str) -> str:
    meta = f'<meta property="og:description" content="{description}" />'
    return page.replace("<head>", f"<head>{meta}", 1)


class TestProfile:
    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (
                httpx.Response(
                    401, json={"message": "Please wait a few minutes", "require_login": True}
                ),
                "login_required",
            ),
            (httpx.Response(403), "blocked_silent"),
            (httpx.Response(403, json={"message": "login_required"}), "login_required"),
            (httpx.Response(400, json={"message": "checkpoint_required"}), "challenged"),
            (httpx.Response(400, json={"message": "feedback_required"}), "challenged"),
            (
                httpx.Response(400, json={"message": "ig_business_category_subvertical"}),
                "schema_changed",
            ),
            (httpx.Response(400, json={"message": "useragent mismatch"}), "schema_changed"),
        ],
    )
    async def test_a_refusal_is_reported_without_a_reading(
        self, site: FakeSite, answer: Any, outcome: str
    ) -> None:
        site.routes[PROFILE] = answer
        report = await site.provider.profile(NEW)
        assert (report.outcome, report.account) == (Outcome(outcome), None)
        assert report.detail

    async def test_a_private_profile_is_a_reading(
        self, site: FakeSite, profile: Any, relay_page: Page
    ) -> None:
        user_of(profile)["is_private"] = True
        site.routes[PROFILE] = relay_page(profile)
        report = await site.provider.profile(NEW)
        assert report.outcome is Outcome.OK
        assert report.account.is_private


class TestRenamedAccounts:
    @pytest.fixture
    def renamed(self, site: FakeSite, profile: Any, payload: Payload, relay_page: Page) -> Any:
        post = payload("instagram/post.json")
        owner = post["data"]["xig_polaris_media"]["if_not_gated_logged_out"]["user"]
        owner["username"] = user_of(profile)["username"] = "new.name"
        site.routes = {POST: relay_page(post), "/new.name/": relay_page(profile)}
        return owner

    async def test_they_are_found_by_their_newest_known_post(
        self, site: FakeSite, renamed: Any
    ) -> None:
        report = await site.provider.discover(KNOWN, since=SINCE, known=["9", PK, "3979"])
        assert report.account.handle == "demo.creator"
        assert report.account.observed_handle == "new.name"
        assert site.paths[:3] == [PROFILE, POST, "/new.name/"]

    async def test_a_profile_fetch_finds_them_by_the_targets_post(
        self, site: FakeSite, renamed: Any
    ) -> None:
        target = replace(KNOWN, known_post=PK)
        report = await site.provider.profile(target)
        assert (report.outcome, report.account and report.account.observed_handle) == (
            Outcome.OK,
            "new.name",
        )
        listed = await site.provider.discover(target, since=SINCE, known=[PK])
        assert listed.outcome is not Outcome.NOT_FOUND
        assert site.paths[:3] == [PROFILE, POST, "/new.name/"]
        assert site.paths.count("/new.name/") == 1

    async def test_without_a_known_post_the_account_is_missing(
        self, site: FakeSite, renamed: Any
    ) -> None:
        assert (await site.provider.profile(KNOWN)).outcome is Outcome.NOT_FOUND
        assert site.paths == [PROFILE]

    async def test_a_known_post_of_another_account_leads_nowhere(
        self, site: FakeSite, relay_page: Page, payload: Payload
    ) -> None:
        post = payload("instagram/post.json")
        post["data"]["xig_polaris_media"]["if_not_gated_logged_out"]["user"]["pk"] = "5"
        site.routes[POST] = relay_page(post)
        report = await site.provider.discover(KNOWN, since=SINCE, known=[PK])
        assert report.outcome is Outcome.NOT_FOUND
        assert site.paths == [PROFILE, POST]

    async def test_a_handle_passed_on_to_another_account_is_not_read_as_the_old_one(
        self, site: FakeSite, profile: Any, relay_page: Page
    ) -> None:
        user_of(profile)["pk"] = "5"
        site.routes[PROFILE] = relay_page(profile)
        report = await site.provider.profile(KNOWN)
        assert (report.outcome, report.account) == (Outcome.NOT_FOUND, None)

    async def test_without_ids_a_missing_account_is_only_missing(self, site: FakeSite) -> None:
        assert (await site.provider.profile(NEW)).outcome is Outcome.NOT_FOUND
        assert site.paths == [PROFILE]


class TestDiscover:
    async def discover(self, provider: InstagramProvider, **changes: Any) -> Any:
        arguments = {"since": SINCE, "known": (), **changes}
        return await provider.discover(KNOWN, **arguments)

    async def test_it_pages_on_from_the_profile_and_puts_the_plays_in(
        self, site: FakeSite, full_page: str, more: Any, reels_page: str
    ) -> None:
        site.routes = {
            PROFILE: described(full_page, "5 Followers, 3 Posts"),
            QUERY: json.dumps(more),
            REELS: reels_page,
        }
        report = await self.discover(site.provider)
        assert (report.outcome, report.reached_known, report.detail) == (Outcome.OK, True, None)
        videos = {video.platform_video_id: video for video in report.videos}
        assert list(videos) == [PK, "3979000000000000000", "3950000000000000000"]
        assert (videos[PK].view_count, videos[PK].like_count) == (12840, 950)
        assert videos[PK].caption == "Invented caption #demo"
        assert videos[PK].source == "instagram.reels_tab"
        assert videos["3979000000000000000"].view_count is None
        assert site.paths == [PROFILE, QUERY, REELS]
        assert report.account is not None

    @pytest.mark.parametrize("description", ["", "5 Followers, 12K Posts - See"])
    async def test_a_list_that_ends_is_not_whole_if_the_number_of_posts_is_unknown(
        self, site: FakeSite, full_page: str, more: Any, description: str
    ) -> None:
        site.routes = {PROFILE: described(full_page, description), QUERY: json.dumps(more)}
        report = await self.discover(site.provider)
        assert (report.outcome, report.reached_known) == (Outcome.OK, False)
        assert "ended after 3 posts; how many the profile has was not read" in str(report.detail)

    async def test_a_query_has_the_documented_fields(self, site: FakeSite, full_page: str) -> None:
        cookie = {"Set-Cookie": "csrftoken=abc; Path=/"}
        site.routes[PROFILE] = httpx.Response(200, text=full_page, headers=cookie)
        await self.discover(site.provider)
        form, sent = site.forms[0], site.requests[1]
        assert form["doc_id"] == "27389614800735091"
        assert json.loads(form["variables"]) == {
            "after": "3979000000000000000_67000000001",
            "first": 12,
            "id": "17841460000000001",
        }
        assert form["lsd"] == sent.headers["X-FB-LSD"] == "AVqTokenOne"
        assert sent.headers["X-IG-App-ID"] == "936619743392459"
        assert sent.headers["X-CSRFToken"] == "abc"
        assert sent.headers["User-Agent"].startswith("creator-tracker/")

    async def test_a_querys_id_comes_from_the_page(
        self, site: FakeSite, profile: Any, relay_page: Page
    ) -> None:
        named = {
            "preloaderID": f"adp_{POSTS_QUERY}RelayPreloader_6a1b2c",
            "queryID": "31000000000000001",
            "variables": {"first": 12},
        }
        script = f"<script data-sjs>{json.dumps({'require': [named]})}</script></body>"
        site.routes = {
            PROFILE: [relay_page(profile).replace("</body>", script), relay_page(profile)],
            QUERY: httpx.Response(403),
        }
        for _ in range(2):
            await self.discover(site.provider)
        assert [form["doc_id"] for form in site.forms] == ["31000000000000001"] * 2

    async def test_without_a_timeline_in_the_page_the_first_one_is_queried(
        self, site: FakeSite, profile: Any, timeline: Any, relay_page: Page
    ) -> None:
        site.routes = {
            PROFILE: relay_page(profile),
            QUERY: [json.dumps(timeline), httpx.Response(200)],
        }
        report = await self.discover(site.provider)
        assert json.loads(site.forms[0]["variables"]) == {
            "first": 12,
            "username": "demo.creator",
            "after": None,
        }
        assert report.outcome is Outcome.BLOCKED_SILENT
        assert len(report.videos) == 2
        assert not report.reached_known

    async def test_it_stops_at_known_posts(self, site: FakeSite, full_page: str) -> None:
        site.routes[PROFILE] = full_page
        report = await self.discover(site.provider, known=[PK, "3979000000000000000"])
        assert (report.reached_known, len(report.videos)) == (True, 2)
        assert site.paths == [PROFILE, REELS]

    async def test_it_stops_at_the_start_of_tracking(self, site: FakeSite, full_page: str) -> None:
        site.routes[PROFILE] = full_page
        report = await self.discover(site.provider, since=NOW)
        assert (report.reached_known, report.videos) == (True, ())

    async def test_a_post_just_before_the_start_by_its_estimated_time_is_kept(
        self, site: FakeSite, full_page: str
    ) -> None:
        site.routes[PROFILE] = full_page
        published = datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC)
        report = await self.discover(site.provider, since=published)
        assert [video.platform_video_id for video in report.videos] == [PK]

    async def test_without_the_reels_tab_the_fetch_counts_and_reports_it(
        self, site: FakeSite, full_page: str, more: Any
    ) -> None:
        site.routes = {
            PROFILE: full_page,
            QUERY: json.dumps(more),
            REELS: httpx.Response(302, headers={"Location": "/instagram/accounts/login/"}),
        }
        report = await self.discover(site.provider)
        assert (report.outcome, len(report.videos)) == (Outcome.OK, 3)
        assert all(video.view_count is None for video in report.videos)
        assert "login_required" in str(report.detail)

    @pytest.mark.parametrize(
        ("wall", "outcome"),
        [
            (httpx.Response(401, json={"require_login": True}), "login_required"),
            (httpx.Response(403), "schema_changed"),
            (httpx.Response(200), "blocked_silent"),
        ],
    )
    async def test_a_wall_on_the_second_page_does_not_hide_the_plays(
        self, site: FakeSite, full_page: str, reels_page: str, *, wall: httpx.Response, outcome: str
    ) -> None:
        site.routes = {PROFILE: full_page, QUERY: wall, REELS: reels_page}
        report = await self.discover(site.provider)
        assert (report.outcome, report.reached_known) == (Outcome(outcome), False)
        videos = {video.platform_video_id: video for video in report.videos}
        assert list(videos) == [PK, "3979000000000000000"]
        assert (videos[PK].view_count, videos[PK].like_count) == (12840, 950)
        assert report.account is not None
        assert site.paths == [PROFILE, QUERY, REELS]

    async def test_a_wall_on_both_names_both(self, site: FakeSite, full_page: str) -> None:
        login = httpx.Response(302, headers={"Location": "/instagram/accounts/login/"})
        site.routes = {PROFILE: full_page, QUERY: httpx.Response(401), REELS: login}
        report = await self.discover(site.provider)
        assert (report.outcome, report.http_status) == (Outcome.LOGIN_REQUIRED, 401)
        assert "HTTP 401" in str(report.detail)
        assert "reels tab" in str(report.detail)
        assert len(report.videos) == 2

    async def test_without_a_profile_the_tab_is_not_requested(
        self, site: FakeSite, payload: Payload
    ) -> None:
        site.routes[PROFILE] = payload("instagram/login_page.html")
        report = await self.discover(site.provider)
        assert report.outcome is Outcome.LOGIN_REQUIRED
        assert site.paths == [PROFILE]

    async def test_a_post_with_two_authors_is_found_for_both(
        self, site: FakeSite, profile: Any, timeline: Any, relay_page: Page, *, reels_page: str
    ) -> None:
        tab = user_of(timeline)["polaris_ordered_timeline_connection"]
        node = tab["edges"][0]["node"]
        node["coauthor_producers"] = [{"pk": "67000000001", "username": "demo.creator"}]
        node["user"] = {"pk": "9", "username": "first.author"}
        tab["page_info"]["has_next_page"] = False
        site.routes = {PROFILE: relay_page(profile, timeline), REELS: reels_page}
        report = await self.discover(site.provider)
        shared = [video for video in report.videos if video.platform_video_id == PK]
        assert [(video.platform_user_id, video.handle) for video in shared] == [
            ("67000000001", "demo.creator"),
            ("9", "first.author"),
        ]
        assert {video.view_count for video in shared} == {12840}

    async def test_a_private_accounts_posts_are_not_requested(
        self, site: FakeSite, profile: Any, relay_page: Page
    ) -> None:
        user_of(profile)["is_private"] = True
        site.routes[PROFILE] = relay_page(profile)
        report = await self.discover(site.provider)
        assert report.outcome is Outcome.PRIVATE
        assert report.account is not None
        assert site.paths == [PROFILE]

    async def test_an_empty_timeline_of_an_account_with_posts_is_a_refusal(
        self, site: FakeSite, profile: Any, relay_page: Page
    ) -> None:
        empty = {"edges": [], "page_info": {"has_next_page": False, "end_cursor": None}}
        user_of(profile)["polaris_ordered_timeline_connection"] = empty
        site.routes[PROFILE] = relay_page(profile, description="5 Followers, 428 Posts")
        report = await self.discover(site.provider)
        assert (report.outcome, report.videos) == (Outcome.BLOCKED_SILENT, ())

    async def test_a_repeating_page_is_a_refusal(
        self, site: FakeSite, full_page: str, more: Any
    ) -> None:
        tab = more["data"]["node"]["polaris_ordered_timeline_connection"]
        tab["page_info"] = {"has_next_page": True, "end_cursor": "same"}
        site.routes = {PROFILE: full_page, QUERY: json.dumps(more)}
        report = await self.discover(site.provider)
        assert (report.outcome, len(report.videos)) == (Outcome.BLOCKED_SILENT, 3)
        assert not report.reached_known
        assert site.paths == [PROFILE, *4 * [QUERY], REELS]

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            (httpx.Response(403), "schema_changed"),
            (httpx.Response(403, json={"message": "login_required"}), "login_required"),
            (httpx.Response(404), "schema_changed"),
            ('{"error": 1675004}', "rate_limited"),
            ("<html></html>", "blocked_silent"),
            ('{"data": null, "errors": [{"message": "execution error"}]}', "schema_changed"),
            (json.dumps(FAILED), "unreachable"),
        ],
    )
    async def test_refused_queries(
        self, site: FakeSite, profile: Any, relay_page: Page, *, answer: Any, outcome: str
    ) -> None:
        site.routes = {PROFILE: relay_page(profile), QUERY: answer}
        report = await self.discover(site.provider)
        assert report.outcome is Outcome(outcome)
        assert report.account is not None

    async def test_a_query_that_the_platform_fails_to_execute_is_sent_once_more(
        self, site: FakeSite, full_page: str, more: Any, *, reels_page: str
    ) -> None:
        site.routes = {
            PROFILE: described(full_page, "5 Followers, 3 Posts"),
            QUERY: [json.dumps(FAILED), json.dumps(more)],
            REELS: reels_page,
        }
        report = await self.discover(site.provider)
        assert (report.outcome, report.detail, len(report.videos)) == (Outcome.OK, None, 3)
        assert site.paths == [PROFILE, QUERY, QUERY, REELS]


class TestProfilePageOfAFetch:
    """A discovery starts with the profile page of the preceding profile fetch."""

    @pytest.fixture
    def fetched(self, site: FakeSite, full_page: str, more: Any, reels_page: str) -> FakeSite:
        site.routes = {PROFILE: full_page, QUERY: json.dumps(more), REELS: reels_page}
        return site

    async def test_it_is_requested_once(self, site: FakeSite, fetched: FakeSite) -> None:
        profile = await site.provider.profile(KNOWN)
        report = await site.provider.discover(KNOWN, since=SINCE, known=())
        assert fetched.paths == [PROFILE, QUERY, REELS]
        assert profile.account is not None
        assert report.account is None
        assert (report.outcome, len(report.videos)) == (Outcome.OK, 3)

    async def test_it_serves_one_discovery(self, site: FakeSite, fetched: FakeSite) -> None:
        await site.provider.profile(KNOWN)
        for _ in range(2):
            report = await site.provider.discover(KNOWN, since=SINCE, known=())
        assert fetched.paths.count(PROFILE) == 2
        assert report.account is not None

    async def test_it_expires(
        self, fetched: FakeSite, closing: Callable[[Any], Any], fake_time: Any
    ) -> None:
        now = [NOW]
        later = closing(
            InstagramProvider(
                base_url="http://127.0.0.1:9000/instagram",
                pace=Pace(4, 1000.0),
                clock=lambda: now[0],
                transport=httpx.MockTransport(fetched),
                sleep=fake_time.sleep,
            )
        )
        await later.profile(KNOWN)
        now[0] += timedelta(minutes=6)
        await later.discover(KNOWN, since=SINCE, known=())
        assert fetched.paths.count(PROFILE) == 2

    async def test_it_serves_only_its_account(self, site: FakeSite, fetched: FakeSite) -> None:
        await site.provider.profile(NEW)
        other = replace(KNOWN, platform_user_id="5")
        report = await site.provider.discover(other, since=SINCE, known=())
        assert report.outcome is Outcome.NOT_FOUND
        another = replace(KNOWN, handle="somebody.else")
        assert (await site.provider.discover(another, since=SINCE, known=())).videos == ()

    async def test_a_refused_one_is_requested_again(
        self, site: FakeSite, fetched: FakeSite, full_page: str
    ) -> None:
        fetched.routes[PROFILE] = [httpx.Response(200), full_page]
        await site.provider.profile(KNOWN)
        report = await site.provider.discover(KNOWN, since=SINCE, known=())
        assert report.outcome is Outcome.OK
        assert report.account is not None


class TestPost:
    TARGET = PostTarget(platform="instagram", platform_video_id=PK)

    async def test_a_reading_from_the_page(
        self, site: FakeSite, payload: Payload, relay_page: Page
    ) -> None:
        site.routes[POST] = relay_page(payload("instagram/post.json"))
        report = await site.provider.post(self.TARGET)
        assert (report.outcome, report.source) == (Outcome.OK, "instagram.post_page")
        assert [video.like_count for video in report.videos] == [950]
        assert site.paths == [POST]

    async def test_a_query_replaces_a_page_of_unknown_shape(
        self, site: FakeSite, payload: Payload, relay_page: Page
    ) -> None:
        site.routes = {
            POST: relay_page({"data": {"something": "else"}}),
            QUERY: json.dumps(payload("instagram/post.json")),
        }
        report = await site.provider.post(self.TARGET)
        assert (report.outcome, report.source) == (Outcome.OK, "instagram.post_query")
        assert json.loads(site.forms[0]["variables"]) == {"media_id": PK}

    async def test_a_refusal_is_not_worked_around(self, site: FakeSite) -> None:
        site.routes[POST] = httpx.Response(302, headers={"Location": "/instagram/challenge/"})
        report = await site.provider.post(self.TARGET)
        assert (report.outcome, report.videos) == (Outcome.CHALLENGED, ())
        assert site.paths == [POST]

    async def test_a_missing_post_is_a_sighting(self, site: FakeSite, relay_page: Page) -> None:
        site.routes[POST] = relay_page({"data": {"xig_polaris_media": None}})
        assert (await site.provider.post(self.TARGET)).outcome is Outcome.POST_UNAVAILABLE
