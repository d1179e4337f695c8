"""Business discovery responses parse into readings; missing counts are unknown."""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.discovery import TimelinePage
from scrapers.instagram_graph.parse import parse_page, parse_profile
from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from tests.scrapers.conftest import outcome_of

AT = datetime(2026, 9, 8, 12, tzinfo=UTC)

Payload = Callable[[str], Any]


@pytest.fixture
def answer(payload: Payload) -> Any:
    return payload("instagram_graph/page.json")


@pytest.fixture
def user(answer: Any) -> Any:
    return answer["business_discovery"]


@pytest.fixture
def reel(user: Any) -> Any:
    return user["media"]["data"][0]


@pytest.fixture
def account_of(answer: Any) -> Callable[[], AccountSnapshot]:
    return lambda: parse_profile(answer, handle="demo.creator", captured_at=AT)


@pytest.fixture
def page_of(answer: Any) -> Callable[[], TimelinePage]:
    return lambda: parse_page(answer, handle="demo.creator", captured_at=AT).timeline


PageOf = Callable[[], TimelinePage]


def videos(page_of: PageOf) -> list[VideoSnapshot]:
    return [post.video for post in page_of().posts]


class TestAccount:
    def test_every_field(self, account_of: Callable[[], AccountSnapshot]) -> None:
        assert account_of() == AccountSnapshot(
            platform="instagram",
            handle="demo.creator",
            observed_handle="demo.creator",
            platform_user_id="67000000001",
            platform_alt_id="17841460000000001",
            display_name="Demo Creator",
            biography="Invented bio",
            bio_link="https://example.org/demo",
            avatar_url="https://scontent.example/p.jpg",
            is_private=None,
            is_verified=None,
            follower_count=51234,
            following_count=310,
            total_likes_count=None,
            video_count=428,
            is_exact=True,
            source="instagram.business_discovery",
            captured_at=AT,
        )

    def test_fields_without_a_value_are_left_out_by_the_api(
        self, user: Any, account_of: Callable[[], AccountSnapshot]
    ) -> None:
        for name in ("biography", "website", "follows_count", "ig_id", "name"):
            del user[name]
        account = account_of()
        assert (account.biography, account.bio_link, account.following_count) == (None, None, None)
        assert (account.platform_user_id, account.display_name) == (None, None)

    @pytest.mark.parametrize(
        "missing", [{"username"}, {"followers_count", "media_count"}], ids=["name", "counters"]
    )
    def test_an_account_without_required_fields_is_a_changed_schema(
        self, user: Any, account_of: Callable[[], AccountSnapshot], missing: set[str]
    ) -> None:
        for name in missing:
            del user[name]
        assert outcome_of(account_of) is Outcome.SCHEMA_CHANGED

    def test_an_answer_about_something_else_is_a_changed_schema(
        self, answer: Any, account_of: Callable[[], AccountSnapshot]
    ) -> None:
        del answer["business_discovery"]
        assert outcome_of(account_of) is Outcome.SCHEMA_CHANGED


class TestPosts:
    def test_every_field_of_a_reel(self, page_of: PageOf) -> None:
        assert videos(page_of)[0] == VideoSnapshot(
            platform="instagram",
            platform_video_id="3981064899117325116",
            platform_user_id="67000000001",
            handle="demo.creator",
            url="https://www.instagram.com/reel/Dc_lW7jqhs8/",
            caption="Invented caption #demo",
            media_type="video",
            duration_seconds=None,
            thumbnail_url="https://scontent.example/d.jpg",
            posted_at=datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC),
            posted_at_is_estimate=False,
            view_count=12840,
            like_count=950,
            comment_count=17,
            share_count=None,
            save_count=None,
            is_exact=True,
            source="instagram.business_discovery",
            captured_at=AT,
        )

    def test_hidden_likes_and_missing_views_are_unknown_and_zero_is_zero(
        self, page_of: PageOf
    ) -> None:
        carousel = videos(page_of)[1]
        assert carousel.media_type == "carousel"
        assert carousel.url == "https://www.instagram.com/p/Dc4RByTgeJB/"
        assert (carousel.view_count, carousel.like_count, carousel.comment_count) == (None, None, 0)

    def test_a_picture_comes_only_from_image_media(self, reel: Any, page_of: PageOf) -> None:
        del reel["thumbnail_url"]
        assert [video.thumbnail_url for video in videos(page_of)] == [
            None,
            "https://scontent.example/c.jpg",
        ]

    def test_the_shortcode_and_not_the_apis_own_id_names_the_post(
        self, reel: Any, page_of: PageOf
    ) -> None:
        reel["id"] = "1"
        assert videos(page_of)[0].platform_video_id == "3981064899117325116"

    def test_without_a_timestamp_the_time_is_read_off_the_id(
        self, reel: Any, page_of: PageOf
    ) -> None:
        del reel["timestamp"]
        video = videos(page_of)[0]
        assert video.posted_at == datetime(2026, 9, 7, 16, 52, 20, tzinfo=UTC)
        assert video.posted_at_is_estimate

    def test_a_timestamp_of_another_zone_is_the_same_instant(
        self, reel: Any, page_of: PageOf
    ) -> None:
        reel["timestamp"] = "2026-09-07T09:53:20-0700"
        assert videos(page_of)[0].posted_at == datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC)

    def test_a_post_shared_by_another_account_is_left_out(self, reel: Any, page_of: PageOf) -> None:
        reel["username"] = "someone.else"
        assert [video.platform_video_id for video in videos(page_of)] == ["3979005160306369089"]

    @pytest.mark.parametrize(
        ("field", "value"),
        [
            ("permalink", None),
            ("permalink", "https://www.instagram.com/demo.creator/"),
            ("permalink", "https://www.tiktok.com/@demo.creator/video/7682837474828885294"),
            ("timestamp", "yesterday"),
            ("timestamp", "2026-09-07T16:53:20"),
            ("like_count", "many"),
        ],
    )
    def test_an_invalid_field_drops_only_its_post(
        self, reel: Any, page_of: PageOf, field: str, value: object
    ) -> None:
        reel[field] = value
        assert [video.platform_video_id for video in videos(page_of)] == ["3979005160306369089"]
        assert page_of().unread == 1

    def test_posts_without_any_known_counter_are_a_changed_schema(
        self, user: Any, page_of: PageOf
    ) -> None:
        for item in user["media"]["data"]:
            for name in ("view_count", "like_count", "comments_count"):
                item.pop(name, None)
        assert outcome_of(page_of) is Outcome.SCHEMA_CHANGED


class TestCursor:
    def test_the_next_page_uses_the_after_cursor(self, page_of: PageOf) -> None:
        assert page_of().cursor == "QVFb"

    @pytest.mark.parametrize("missing", ["cursors", "paging", "media"])
    def test_without_one_this_is_the_last_page(
        self, user: Any, page_of: PageOf, missing: str
    ) -> None:
        holder = {"cursors": user["media"]["paging"], "paging": user["media"], "media": user}
        del holder[missing][missing]
        assert page_of().cursor is None

    @pytest.mark.parametrize("cursor", ["a){id},media", "", "a b", 7, "x" * 5000])
    def test_an_unsafe_cursor_is_a_changed_schema(
        self, user: Any, page_of: PageOf, cursor: object
    ) -> None:
        user["media"]["paging"]["cursors"]["after"] = cursor
        assert outcome_of(page_of) is Outcome.SCHEMA_CHANGED
