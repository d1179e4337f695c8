"""Instagram's responses parse into readings, or into the outcome of their refusal."""

import functools
import json
from base64 import urlsafe_b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import pytest

from scrapers.discovery import TimelinePage
from scrapers.instagram.carrier import posts_in_description, query_ids_in, token_in
from scrapers.instagram.comments import parse_first_comments
from scrapers.instagram.parse import (
    parse_post_answer,
    parse_post_page,
    parse_profile_page,
    parse_reels_tab,
    parse_timeline,
)
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from tests.scrapers.conftest import outcome_of

AT = datetime(2026, 9, 8, 12, tzinfo=UTC)
PK = "3981064899117325116"
POST_QUERY_NAME = "PolarisLoggedOutDesktopWWWPostRootContentQuery"
DESCRIPTION = (
    "51K Followers, 310 Following, 428 Posts - See Instagram photos and videos "
    "from Demo Creator (@demo.creator)"
)


def encoded(content: Any) -> str:
    """Encode a version's details as its URL does: base64 without padding."""
    return urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


EFG = encoded({"vencode_tag": "xpv_progressive.INSTAGRAM.CLIPS", "duration_s": 14, "bitrate": 9})
Payload = Callable[[str], Any]
Page = Callable[..., str]


@pytest.fixture
def profile(payload: Payload) -> Any:
    return payload("instagram/profile.json")


@pytest.fixture
def timeline(payload: Payload) -> Any:
    return payload("instagram/timeline.json")


@pytest.fixture
def account(profile: Any, relay_page: Page) -> AccountSnapshot:
    page = relay_page(profile, description=DESCRIPTION)
    return parse_profile_page(page, handle="demo.creator", captured_at=AT).account


SHELLS = [
    ("error_page", Outcome.NOT_FOUND, Outcome.POST_UNAVAILABLE),
    ("login_page", Outcome.LOGIN_REQUIRED, Outcome.LOGIN_REQUIRED),
    ("throttled_profile", Outcome.RATE_LIMITED, Outcome.RATE_LIMITED),
    ("throttled_post", Outcome.RATE_LIMITED, Outcome.RATE_LIMITED),
]


class TestOtherPages:
    """All have status 200; the route name identifies the page."""

    @pytest.mark.parametrize(("name", "of_account", "of_post"), SHELLS)
    def test_every_page_is_read_by_its_route(
        self,
        payload: Payload,
        account: AccountSnapshot,
        *,
        name: str,
        of_account: Outcome,
        of_post: Outcome,
    ) -> None:
        page = payload(f"instagram/{name}.html")
        for read, outcome in (
            (lambda: parse_profile_page(page, handle="x", captured_at=AT), of_account),
            (lambda: parse_reels_tab(page, account=account, captured_at=AT), of_account),
            (lambda: parse_post_page(page, pk=PK, captured_at=AT), of_post),
            (lambda: parse_first_comments(page, pk=PK, captured_at=AT), of_post),
        ):
            assert outcome_of(read) is outcome

    @pytest.mark.parametrize(
        ("route", "outcome"),
        [
            ("comet.igweb.PolarisErrorRoute", Outcome.NOT_FOUND),
            ("comet.igweb.PolarisCAAIGLoginHomepageRoute", Outcome.LOGIN_REQUIRED),
            ("comet.igweb.PolarisLoggedOutDesktopWWWProfileRoute", Outcome.RATE_LIMITED),
            ("comet.igweb.PolarisLoggedOutDesktopWWWPostRoute", Outcome.RATE_LIMITED),
            ("comet.igweb.PolarisSomethingNewRoute", Outcome.SCHEMA_CHANGED),
            ("", Outcome.SCHEMA_CHANGED),
        ],
    )
    @pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")], ids=["tight", "loose"])
    def test_the_first_route_name_counts_at_any_depth(
        self, route: str, outcome: Outcome, separators: tuple[str, str]
    ) -> None:
        named = {"a": [{"canonicalRouteName": route}], "later": [{"canonicalRouteName": "Other"}]}
        text = json.dumps(named, separators=separators)
        page = f"<html><script type=application/json data-sjs>{text}</script></html>"
        read = functools.partial(parse_profile_page, page, handle="x", captured_at=AT)
        assert outcome_of(read) is outcome

    def test_a_route_name_in_user_text_is_ignored(self, relay_page: Page) -> None:
        caption = 'look: "canonicalRouteName":"comet.igweb.PolarisErrorRoute"'
        page = relay_page({"data": {"viewer": caption}})
        read = functools.partial(parse_profile_page, page, handle="x", captured_at=AT)
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED

    def test_the_usual_page_with_data_under_another_name_is_an_unknown_shape(
        self, payload: Payload, relay_page: Page
    ) -> None:
        query = "PolarisLoggedOutDesktopWWWProfileRootContentQueryRelayPreloader_1"
        renamed = relay_page({"data": {"xig_user_v9": {}}}).replace("Query0", query)
        page = payload("instagram/throttled_profile.html").replace("</body>", renamed)
        read = functools.partial(parse_profile_page, page, handle="x", captured_at=AT)
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED

    def test_the_usual_page_with_only_other_data_is_a_throttled_guests(
        self, payload: Payload, relay_page: Page
    ) -> None:
        page = payload("instagram/throttled_profile.html")
        page = page.replace("</body>", relay_page({"data": {"viewer": None}}))
        read = functools.partial(parse_profile_page, page, handle="x", captured_at=AT)
        assert outcome_of(read) is Outcome.RATE_LIMITED

    def test_a_throttled_guest_is_to_stay_away_for_long(self, payload: Payload) -> None:
        with pytest.raises(ScrapeError) as error:
            parse_post_page(payload("instagram/throttled_post.html"), pk=PK, captured_at=AT)
        assert error.value.pause_seconds == 900

    @pytest.mark.parametrize(
        ("name", "outcome"),
        [
            ("error_page", Outcome.BLOCKED_SILENT),
            ("login_page", Outcome.LOGIN_REQUIRED),
            ("throttled_profile", Outcome.BLOCKED_SILENT),
        ],
    )
    def test_a_page_in_place_of_a_querys_answer(
        self, payload: Payload, name: str, outcome: Outcome
    ) -> None:
        page = payload(f"instagram/{name}.html")
        read = functools.partial(parse_post_answer, page, pk=PK, captured_at=AT)
        assert outcome_of(read) is outcome


class TestProfile:
    @pytest.fixture
    def user(self, profile: Any) -> Any:
        return profile["data"]["xig_user_by_username"]

    @pytest.fixture
    def read(self, profile: Any, relay_page: Page) -> Callable[[], AccountSnapshot]:
        def reading() -> AccountSnapshot:
            page = relay_page(profile, description=DESCRIPTION)
            return parse_profile_page(page, handle="demo.creator", captured_at=AT).account

        return reading

    def test_every_field(self, read: Callable[[], AccountSnapshot]) -> None:
        assert read() == AccountSnapshot(
            platform="instagram",
            handle="demo.creator",
            observed_handle="demo.creator",
            platform_user_id="67000000001",
            platform_alt_id="17841460000000001",
            display_name="Demo Creator",
            biography="Invented bio",
            bio_link="https://example.org/demo",
            avatar_url="https://scontent.example/p.jpg",
            is_private=False,
            is_verified=False,
            follower_count=51234,
            following_count=310,
            total_likes_count=None,
            video_count=428,
            is_exact=True,
            source="instagram.profile_page",
            captured_at=AT,
        )

    def test_post_counts_in_the_data_come_first(
        self, user: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        user["all_media_count"] = 431
        assert read().video_count == 431

    def test_a_link_through_the_platforms_redirect_is_unwrapped(
        self, user: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        user["bio_links"][0]["url"] = user["bio_links"][0]["lynx_url"]
        assert read().bio_link == "https://example.org/demo"

    def test_zero_is_a_count_and_a_negative_one_is_unknown(
        self, user: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        user.update(follower_count=0, following_count=-1)
        account = read()
        assert (account.follower_count, account.following_count) == (0, None)

    def test_the_timeline_may_be_in_a_separate_result(
        self, profile: Any, timeline: Any, relay_page: Page
    ) -> None:
        page = relay_page(timeline, profile)
        read = parse_profile_page(page, handle="demo.creator", captured_at=AT)
        assert read.account.follower_count == 51234
        assert len(read.timeline.posts) == 2

    def test_no_user_with_an_error_is_an_unknown_shape(self, relay_page: Page) -> None:
        page = relay_page(
            {"data": {"xig_user_by_username": None}, "errors": [{"message": "execution error"}]}
        )
        assert (
            outcome_of(lambda: parse_profile_page(page, handle="x", captured_at=AT))
            is Outcome.SCHEMA_CHANGED
        )

    @pytest.mark.parametrize(
        "damage",
        [
            lambda user: user.pop("username"),
            lambda user: user.pop("pk"),
            lambda user: user.update(pk="abc"),
            lambda user: user.update(follower_count="51K"),
            lambda user: user.update(follower_count=[1]),
            lambda user: user.update(follower_count=None, following_count=None),
            lambda user: user.update(polaris_ordered_timeline_connection=3),
            lambda user: user.update(polaris_ordered_timeline_connection={"edges": 3}),
            lambda user: user.update(polaris_ordered_timeline_connection={"edges": [3]}),
        ],
    )
    def test_an_unknown_shape(
        self,
        user: Any,
        read: Callable[[], AccountSnapshot],
        damage: Callable[[Any], object],
    ) -> None:
        damage(user)
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED


@pytest.mark.parametrize(
    ("description", "posts"),
    [
        (DESCRIPTION, 428),
        ("1M Followers, 12 Following, 1,428 Posts - See", 1428),
        ("5 Followers, 0 Following, 0 Posts - See", 0),
        ("5 Followers, 0 Following, 1 Post - See", 1),
        ("51K Followers, 310 Following, 12K Posts - See", None),
        ("51K Followers, 310 Following, 1.2K Posts - See", None),
        ("51K abonnés, 310 suivi(e)s, 428 publications", None),
        ("9" * 40 + " Posts", None),
        ("", None),
    ],
)
def test_the_number_of_posts_in_a_description(
    relay_page: Page, description: str, posts: int | None
) -> None:
    assert posts_in_description(relay_page(description=description)) == posts


def test_the_token_for_queries(relay_page: Page) -> None:
    assert token_in(relay_page()) == "AVqTokenOne"
    assert token_in("<html></html>") is None


NAMED = "adp_PolarisLoggedOutDesktopWWWPostRootContentQueryRelayPreloader_1"


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f'{{"preloaderID":"{NAMED}","queryID":"123456"}}', {POST_QUERY_NAME: "123456"}),
        (f'{{"preloaderID": "{NAMED}", "queryID": "123456"}}', {POST_QUERY_NAME: "123456"}),
        (f'{{"preloaderID":"{NAMED}","queryID":"12x"}}', {}),
        (f'{{"preloaderID":"{NAMED}","queryID":123456}}', {}),
        ('{"preloaderID":"adp_SomeOtherQueryRelayPreloader_1","queryID":"123456"}', {}),
        (json.dumps({"caption": f'"preloaderID":"{NAMED}","queryID":"666666"'}), {}),
        ('"preloaderID":"adp_' * 100_000, {}),
        ("", {}),
    ],
    ids=range(8),
)
def test_the_ids_of_queries_that_a_page_names(text: str, ids: dict[str, str]) -> None:
    assert query_ids_in(text) == ids


class TestTimeline:
    @pytest.fixture
    def read(self, timeline: Any, account: AccountSnapshot) -> Callable[[], TimelinePage]:
        return lambda: parse_timeline(
            "for (;;);" + json.dumps(timeline), account=account, captured_at=AT, is_first=True
        )

    @pytest.fixture
    def node(self, timeline: Any) -> Any:
        user = timeline["data"]["xig_user_by_username"]
        return user["polaris_ordered_timeline_connection"]["edges"][0]["node"]

    @pytest.mark.parametrize(
        "page_info", [{}, {"has_next": True}, {"has_next_page": True, "end_cursor": None}]
    )
    def test_a_page_without_a_more_flag_is_an_unknown_shape(
        self, timeline: Any, read: Callable[[], TimelinePage], page_info: Any
    ) -> None:
        user = timeline["data"]["xig_user_by_username"]
        user["polaris_ordered_timeline_connection"]["page_info"] = page_info
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED

    def test_a_thin_node_gives_the_post_without_counters(
        self, read: Callable[[], TimelinePage]
    ) -> None:
        assert read().posts[0].video == VideoSnapshot(
            platform="instagram",
            platform_video_id=PK,
            platform_user_id="67000000001",
            handle="demo.creator",
            url="https://www.instagram.com/reel/Dc_lW7jqhs8/",
            caption="Invented caption #demo",
            media_type="video",
            duration_seconds=None,
            thumbnail_url="https://scontent.example/d.jpg",
            posted_at=datetime(2026, 9, 7, 16, 52, 20, 0, tzinfo=UTC),
            posted_at_is_estimate=True,
            view_count=None,
            like_count=None,
            comment_count=None,
            share_count=None,
            save_count=None,
            is_exact=True,
            source="instagram.timeline",
            captured_at=AT,
        )

    def test_posts_of_other_accounts_are_left_out(self, read: Callable[[], TimelinePage]) -> None:
        assert [post.video.platform_video_id for post in read().posts] == [
            PK,
            "3979000000000000000",
        ]

    @pytest.mark.parametrize(
        ("media", "media_type"),
        [
            ({"media_type": 1}, "photo"),
            ({"media_type": "2"}, "video"),
            ({"media_type": 8}, "carousel"),
            ({"media_type": 77}, None),
            ({"media_type": None, "__typename": "XIGPolarisImageMedia"}, "photo"),
            ({"media_type": None, "__typename": "XIGPolarisVideoMedia"}, "video"),
            ({"media_type": None, "__typename": "XIGPolarisCarouselMedia"}, "carousel"),
            ({"media_type": None, "__typename": None}, None),
        ],
    )
    def test_media_types(
        self,
        node: Any,
        read: Callable[[], TimelinePage],
        media: Any,
        media_type: str | None,
    ) -> None:
        node.update(media)
        assert read().posts[0].video.media_type == media_type

    def test_a_post_other_than_a_reel_has_the_plain_url(
        self, node: Any, read: Callable[[], TimelinePage]
    ) -> None:
        node["product_type"] = "feed"
        assert read().posts[0].video.url == "https://www.instagram.com/p/Dc_lW7jqhs8/"

    @pytest.mark.parametrize("where", ["timeline_pinned_user_ids", "pinned_for_users"])
    def test_pinned_posts_are_marked(
        self, node: Any, read: Callable[[], TimelinePage], where: str
    ) -> None:
        node[where] = ["67000000001"]
        assert [post.is_pinned for post in read().posts] == [True, False]

    def test_the_cursor_is_none_on_the_last_page(
        self, timeline: Any, read: Callable[[], TimelinePage]
    ) -> None:
        assert read().cursor == "3979000000000000000_67000000001"
        tab = timeline["data"]["xig_user_by_username"]["polaris_ordered_timeline_connection"]
        tab["page_info"]["has_next_page"] = False
        assert read().cursor is None

    def test_a_later_page(self, payload: Payload, account: AccountSnapshot) -> None:
        text = json.dumps(payload("instagram/more_timeline.json"))
        page = parse_timeline(text, account=account, captured_at=AT, is_first=False)
        assert [post.video.media_type for post in page.posts] == ["photo"]
        assert page.cursor is None

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ("<!DOCTYPE html><html></html>", Outcome.BLOCKED_SILENT),
            ("for (;;);<html>", Outcome.BLOCKED_SILENT),
            ('{"error": 1675004, "errorSummary": "Rate limit"}', Outcome.RATE_LIMITED),
            ('{"data": null, "errors": [{"code": 1675004}]}', Outcome.RATE_LIMITED),
            (
                '{"data": null, "errors": [{"message": "execution error"}]}',
                Outcome.SCHEMA_CHANGED,
            ),
            ('{"data": null}', Outcome.SCHEMA_CHANGED),
            ('{"data": {"xig_user_by_username": null}}', Outcome.SCHEMA_CHANGED),
            ('{"message": "Please wait", "require_login": true}', Outcome.LOGIN_REQUIRED),
            ('{"message": "checkpoint_required", "status": "fail"}', Outcome.CHALLENGED),
            ('{"errors": 7}', Outcome.SCHEMA_CHANGED),
            ("[]", Outcome.SCHEMA_CHANGED),
            ("{", Outcome.SCHEMA_CHANGED),
            ("[" * 100_000, Outcome.SCHEMA_CHANGED),
        ],
    )
    def test_refusals_and_unknown_shapes(
        self, account: AccountSnapshot, answer: str, outcome: Outcome
    ) -> None:
        read = functools.partial(
            parse_timeline, answer, account=account, captured_at=AT, is_first=True
        )
        assert outcome_of(read) is outcome


class TestReelsTab:
    @pytest.fixture
    def data(self, payload: Payload) -> Any:
        return payload("instagram/reels.json")

    @pytest.fixture
    def node(self, data: Any) -> Any:
        user = data["data"]["xig_user_by_username"]
        return user["polaris_clips_connection"]["edges"][0]["node"]

    @pytest.fixture
    def read(
        self, data: Any, account: AccountSnapshot, relay_page: Page
    ) -> Callable[[], VideoSnapshot]:
        return lambda: (
            parse_reels_tab(relay_page(data), account=account, captured_at=AT).posts[0].video
        )

    def test_it_shows_the_plays(self, read: Callable[[], VideoSnapshot]) -> None:
        reel = read()
        assert (reel.view_count, reel.like_count, reel.comment_count) == (12840, 950, 17)
        assert (reel.handle, reel.platform_user_id) == ("demo.creator", "67000000001")
        assert (reel.share_count, reel.save_count) == (None, None)

    def test_null_plays_are_unknown(self, node: Any, read: Callable[[], VideoSnapshot]) -> None:
        node["play_count"] = None
        assert read().view_count is None

    def test_the_second_name_of_plays(self, node: Any, read: Callable[[], VideoSnapshot]) -> None:
        node["play_count"], node["ig_play_count"] = None, 12000
        assert read().view_count == 12000

    def test_the_older_and_lower_views_are_not_plays(
        self, node: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        node["play_count"], node["view_count"] = None, 4100
        assert read().view_count is None

    def test_hidden_likes_are_unknown(self, node: Any, read: Callable[[], VideoSnapshot]) -> None:
        node.update(like_count=3, like_and_view_counts_disabled=True)
        assert read().like_count is None
        node.update(like_count=-1, like_and_view_counts_disabled=False)
        assert read().like_count is None

    def test_a_page_without_the_tab_is_an_unknown_shape(
        self, profile: Any, account: AccountSnapshot, relay_page: Page
    ) -> None:
        page = relay_page(profile)
        assert (
            outcome_of(lambda: parse_reels_tab(page, account=account, captured_at=AT))
            is Outcome.SCHEMA_CHANGED
        )


class TestPost:
    @pytest.fixture
    def data(self, payload: Payload) -> Any:
        return payload("instagram/post.json")

    @pytest.fixture
    def media(self, data: Any) -> Any:
        return data["data"]["xig_polaris_media"]

    @pytest.fixture
    def read(self, data: Any, relay_page: Page) -> Callable[[], VideoSnapshot]:
        return lambda: parse_post_page(relay_page(data), pk=PK, captured_at=AT)

    def test_its_counters_and_time(self, read: Callable[[], VideoSnapshot]) -> None:
        video = read()
        assert (video.view_count, video.like_count, video.comment_count) == (None, 950, 17)
        assert video.posted_at == datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC)
        assert not video.posted_at_is_estimate
        assert (video.source, video.handle) == ("instagram.post_page", "demo.creator")

    def test_a_querys_answer_reads_the_same(
        self, data: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        answer = parse_post_answer("for (;;);" + json.dumps(data), pk=PK, captured_at=AT)
        assert answer.source == "instagram.post_query"
        assert answer.like_count == read().like_count

    def test_a_null_caption_is_unknown(self, media: Any, read: Callable[[], VideoSnapshot]) -> None:
        media["if_not_gated_logged_out"]["caption"] = None
        assert read().caption is None

    def test_a_length_in_fractions_of_a_second(
        self, media: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        media["if_not_gated_logged_out"]["video_duration"] = 14.2
        assert read().duration_seconds == 14

    @pytest.mark.parametrize(
        ("urls", "seconds"),
        [
            ([f"https://v.example/v.mp4?efg={EFG}&_nc=1"], 14),
            ([f"https://v.example/v.mp4?_nc=1&efg={quote(EFG + '==')}"], 14),
            ([f"https://v.example/v.mp4?efg={encoded({'duration_s': 14.6})}"], 15),
            (["https://v.example/v.mp4", f"https://v.example/w.mp4?efg={EFG}"], 14),
            ([f"https://v.example/v.mp4?efg={encoded({'duration_s': 0})}"], None),
            ([f"https://v.example/v.mp4?efg={encoded({'duration_s': '14'})}"], None),
            ([f"https://v.example/v.mp4?efg={encoded({'length': 3})}"], None),
            ([f"https://v.example/v.mp4?efg={encoded([14])}"], None),
            (["https://v.example/v.mp4?efg=%FF%00!"], None),
            (["https://v.example/v.mp4?efg=/////w"], None),
            (["https://v.example/v.mp4?efg=" + "W" * 3000], None),
            (["https://[v.example/?efg=1", None, 7], None),
            ([], None),
        ],
        ids=range(13),
    )
    def test_the_length_is_in_a_versions_url(
        self, media: Any, read: Callable[[], VideoSnapshot], urls: list[Any], seconds: int | None
    ) -> None:
        versions = [{"type": 101, "url": url} for url in urls]
        media["if_not_gated_logged_out"]["video_versions"] = versions
        assert read().duration_seconds == seconds

    @pytest.mark.parametrize("versions", [None, 3, "x", {"url": "x"}, [3], [None]])
    def test_versions_of_another_shape_have_no_length(
        self, media: Any, read: Callable[[], VideoSnapshot], versions: Any
    ) -> None:
        media["if_not_gated_logged_out"]["video_versions"] = versions
        assert read().duration_seconds is None

    def test_hidden_likes_leave_a_reading(
        self, media: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        media["if_not_gated_logged_out"]["like_and_view_counts_disabled"] = True
        assert (read().like_count, read().comment_count) == (None, 17)

    def test_a_gated_post(self, media: Any, read: Callable[[], VideoSnapshot]) -> None:
        media["if_not_gated_logged_out"] = None
        media["gating_ruling"] = {"gating_type": 2, "title": "Restricted Video"}
        with pytest.raises(ScrapeError, match="Restricted Video") as error:
            read()
        assert error.value.outcome is Outcome.GATED

    @pytest.mark.parametrize(
        "damage",
        [
            lambda media: media.update(if_not_gated_logged_out=None),
            lambda media: media.update(if_not_gated_logged_out=[1]),
            lambda media: media["if_not_gated_logged_out"].update(pk="3981064899117325117"),
            lambda media: media["if_not_gated_logged_out"].update(pk=None),
            lambda media: media["if_not_gated_logged_out"].update(pk=0),
            lambda media: media["if_not_gated_logged_out"].update(like_count="many"),
            lambda media: media["if_not_gated_logged_out"].update(taken_at="today"),
            lambda media: (
                media["if_not_gated_logged_out"].pop("like_count"),
                media["if_not_gated_logged_out"].pop("comment_count"),
            ),
        ],
    )
    def test_an_unknown_shape_or_another_post_is_no_reading(
        self,
        media: Any,
        read: Callable[[], VideoSnapshot],
        damage: Callable[[Any], object],
    ) -> None:
        damage(media)
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED
