"""TikTok's responses parse into readings, or into the outcome of their refusal."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.tiktok.parse import ItemPage, parse_item_page, parse_post, parse_profile
from tests.scrapers.conftest import outcome_of

AT = datetime(2026, 9, 8, 12, tzinfo=UTC)
VIDEO_ID = "7682837474828885294"
Payload = Callable[[str], Any]
Page = Callable[[Any], str]


class TestProfile:
    @pytest.fixture
    def data(self, payload: Payload) -> Any:
        return payload("tiktok/profile.json")

    @pytest.fixture
    def detail(self, data: Any) -> Any:
        return data["__DEFAULT_SCOPE__"]["webapp.user-detail"]

    @pytest.fixture
    def read(self, data: Any, tiktok_page: Page) -> Callable[[], AccountSnapshot]:
        return lambda: parse_profile(tiktok_page(data), handle="demo.creator", captured_at=AT)

    def test_every_field(self, read: Callable[[], AccountSnapshot]) -> None:
        assert read() == AccountSnapshot(
            platform="tiktok",
            handle="demo.creator",
            observed_handle="demo.creator",
            platform_user_id="6871947673887454020",
            platform_alt_id="MS4wLjABAAAAexample0example1example2example3example4example5",
            display_name="Demo Creator",
            biography="Invented bio",
            bio_link="https://example.org/demo",
            avatar_url="https://p16.example/a_1080.jpeg",
            is_private=False,
            is_verified=False,
            follower_count=1203417,
            following_count=85,
            total_likes_count=34512876,
            video_count=412,
            is_exact=True,
            source="tiktok.profile_page",
            captured_at=AT,
        )

    def test_only_rounded_counts_are_marked_as_such(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        del detail["userInfo"]["statsV2"]
        account = read()
        assert (account.follower_count, account.is_exact) == (1200000, False)

    @pytest.mark.parametrize("heart", [-2147483648, "-5"])
    def test_an_overflowed_heart_count_is_unknown(
        self, detail: Any, read: Callable[[], AccountSnapshot], heart: Any
    ) -> None:
        detail["userInfo"]["statsV2"].update(heartCount=heart, heart=heart)
        account = read()
        assert account.total_likes_count is None
        assert account.follower_count == 1203417

    def test_a_valid_heart_count_replaces_an_overflowed_one(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        detail["userInfo"]["statsV2"].update(heartCount="-1", heart="34512876")
        assert read().total_likes_count == 34512876

    def test_zero_is_a_count_and_a_missing_one_is_unknown(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        stats = detail["userInfo"]["statsV2"]
        stats["followerCount"] = "0"
        del stats["videoCount"]
        account = read()
        assert (account.follower_count, account.video_count) == (0, None)

    def test_a_private_profile_still_shows_its_counts(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        detail["statusCode"] = 10222
        detail["userInfo"]["user"]["privateAccount"] = True
        account = read()
        assert (account.is_private, account.follower_count) == (True, 1203417)

    def test_decoration_of_another_type_is_left_out(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        detail["userInfo"]["user"].update(
            nickname=7,
            signature=["x"],
            bioLink="x",
            avatarLarger="javascript:alert(1)",
            avatarMedium=None,
            verified="yes",
        )
        account = read()
        assert (account.display_name, account.biography, account.bio_link) == (None, None, None)
        assert account.avatar_url == "https://p16.example/a_100.jpeg"
        assert account.is_verified is None

    def test_unstorable_characters_are_replaced(
        self, detail: Any, read: Callable[[], AccountSnapshot]
    ) -> None:
        detail["userInfo"]["user"]["nickname"] = "a\x00b\ud800c"
        assert read().display_name == "a\ufffdb\ufffdc"

    @pytest.mark.parametrize(
        ("code", "outcome"),
        [
            (10221, Outcome.NOT_FOUND),
            (10202, Outcome.NOT_FOUND),
            (100002, Outcome.NOT_FOUND),
            (10222, Outcome.PRIVATE),
            (10231, Outcome.REGION_BLOCKED),
            (10101, Outcome.LOGIN_REQUIRED),
            (209002, Outcome.LOGIN_REQUIRED),
            (10000, Outcome.CHALLENGED),
            (99999, Outcome.SCHEMA_CHANGED),
        ],
    )
    def test_status_codes(self, code: int, outcome: Outcome, tiktok_page: Page) -> None:
        data = {"__DEFAULT_SCOPE__": {"webapp.user-detail": {"statusCode": code, "userInfo": {}}}}
        html = tiktok_page(data)
        assert outcome_of(lambda: parse_profile(html, handle="x", captured_at=AT)) is outcome

    @pytest.mark.parametrize(
        "damage",
        [
            lambda detail: detail["userInfo"].pop("user"),
            lambda detail: detail["userInfo"].update(user=[]),
            lambda detail: detail["userInfo"].update(statsV2=None, stats=None),
            lambda detail: detail["userInfo"].update(statsV2=7),
            lambda detail: detail["userInfo"].update(statsV2={"fans": "1"}),
            lambda detail: detail["userInfo"]["statsV2"].update(followerCount="many"),
            lambda detail: detail["userInfo"]["statsV2"].update(followerCount=1.5),
            lambda detail: detail["userInfo"]["statsV2"].update(followerCount=True),
            lambda detail: detail["userInfo"]["statsV2"].update(followerCount=["1"]),
            lambda detail: detail["userInfo"]["user"].update(id={"x": 1}),
            lambda detail: detail["userInfo"]["user"].pop("uniqueId"),
            lambda detail: detail.update(statusCode="ok"),
            lambda detail: detail.clear(),
        ],
    )
    def test_an_unknown_shape_is_reported_with_a_sample(
        self,
        detail: Any,
        read: Callable[[], AccountSnapshot],
        damage: Callable[[Any], object],
    ) -> None:
        damage(detail)
        with pytest.raises(ScrapeError) as error:
            read()
        assert error.value.outcome is Outcome.SCHEMA_CHANGED
        assert error.value.raw_sample


class TestPagesWithoutData:
    def test_a_script_cut_off_carries_no_data(self, tiktok_page: Page) -> None:
        html = tiktok_page({})
        cut = html[: html.index("</script><script>later")]
        outcome = outcome_of(lambda: parse_profile(cut, handle="x", captured_at=AT))
        assert outcome is Outcome.BLOCKED_SILENT

    def test_data_of_another_page_is_an_unknown_shape(
        self, payload: Payload, tiktok_page: Page
    ) -> None:
        html = tiktok_page(payload("tiktok/post.json"))
        outcome = outcome_of(lambda: parse_profile(html, handle="x", captured_at=AT))
        assert outcome is Outcome.SCHEMA_CHANGED


class TestItemPage:
    @pytest.fixture
    def data(self, payload: Payload) -> Any:
        return payload("tiktok/creator_list.json")

    @pytest.fixture
    def read(self, data: Any) -> Callable[[], ItemPage]:
        return lambda: parse_item_page(json.dumps(data), captured_at=AT)

    def test_a_video_with_exact_counts(self, read: Callable[[], ItemPage]) -> None:
        assert read().items[0].video == VideoSnapshot(
            platform="tiktok",
            platform_video_id=VIDEO_ID,
            platform_user_id="6871947673887454020",
            handle="demo.creator",
            url=f"https://www.tiktok.com/@demo.creator/video/{VIDEO_ID}",
            caption="Invented caption #demo #cats",
            media_type="video",
            duration_seconds=23,
            thumbnail_url="https://p16.example/c.jpeg",
            posted_at=datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC),
            posted_at_is_estimate=False,
            view_count=88041,
            like_count=9102,
            comment_count=214,
            share_count=77,
            save_count=350,
            is_exact=True,
            source="tiktok.creator_list",
            captured_at=AT,
        )

    def test_a_photo_post_with_rounded_counts(self, read: Callable[[], ItemPage]) -> None:
        photo = read().items[1].video
        assert photo.url == "https://www.tiktok.com/@demo.creator/photo/7681978481369685294"
        assert (photo.media_type, photo.duration_seconds) == ("photo", None)
        assert photo.thumbnail_url == "https://p16.example/i1.jpeg"
        assert (photo.view_count, photo.comment_count, photo.is_exact) == (500, 0, False)

    @pytest.mark.parametrize("missing", [None, 0, 99999999999999])
    def test_without_a_time_it_is_read_off_the_id(
        self, data: Any, read: Callable[[], ItemPage], missing: int | None
    ) -> None:
        data["itemList"][0]["createTime"] = missing
        video = read().items[0].video
        assert video.posted_at == datetime.fromtimestamp(int(VIDEO_ID) >> 32, UTC)
        assert video.posted_at_is_estimate

    def test_an_author_as_bare_text_is_the_handle(
        self, data: Any, read: Callable[[], ItemPage]
    ) -> None:
        data["itemList"][0]["author"] = "Demo.Creator"
        video = read().items[0].video
        assert (video.handle, video.platform_user_id) == ("demo.creator", None)

    def test_a_missing_author_and_caption_are_unknown(
        self, data: Any, read: Callable[[], ItemPage]
    ) -> None:
        del data["itemList"][0]["author"]
        data["itemList"][0]["desc"] = None
        video = read().items[0].video
        assert (video.handle, video.caption) == (None, None)
        assert video.url == f"https://www.tiktok.com/@/video/{VIDEO_ID}"

    def test_pinned_posts_are_marked(self, data: Any, read: Callable[[], ItemPage]) -> None:
        data["itemList"][1]["isPinnedItem"] = True
        assert [item.is_pinned for item in read().items] == [False, True]

    def test_an_item_without_counters_among_others_is_kept_as_unknown(
        self, data: Any, read: Callable[[], ItemPage]
    ) -> None:
        del data["itemList"][1]["stats"]
        assert read().items[1].video.view_count is None

    @pytest.mark.parametrize(
        "answer",
        [
            {"statusCode": 0, "hasMorePrevious": False},
            {"status_code": 0, "hasMorePrevious": False, "itemList": None},
            {"itemList": [], "hasMorePrevious": False},
        ],
    )
    def test_a_last_page_without_items(self, answer: Any) -> None:
        assert parse_item_page(json.dumps(answer), captured_at=AT) == ItemPage((), has_more=False)

    @pytest.mark.parametrize(
        ("answer", "outcome"),
        [
            ('{"code": 10000}', Outcome.CHALLENGED),
            ('{"type": "verify"}', Outcome.CHALLENGED),
            ('{"status_code": 2483}', Outcome.LOGIN_REQUIRED),
            ('{"statusCode": 10222}', Outcome.PRIVATE),
            ('{"statusCode": 10201}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": []}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "hasMore": true, "itemList": []}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": {}}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": [7]}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": [{"desc": "no id"}]}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": [{"id": "1"}]}', Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 0, "itemList": [{"id": "x1"}]}', Outcome.SCHEMA_CHANGED),
            ("[]", Outcome.SCHEMA_CHANGED),
            ("null", Outcome.SCHEMA_CHANGED),
            ("oops", Outcome.SCHEMA_CHANGED),
            ("[" * 100_000, Outcome.SCHEMA_CHANGED),
            ('{"statusCode": 1' + "0" * 5000 + "}", Outcome.SCHEMA_CHANGED),
        ],
    )
    def test_refusals_and_unknown_shapes(self, answer: str, outcome: Outcome) -> None:
        assert outcome_of(lambda: parse_item_page(answer, captured_at=AT)) is outcome


class TestPost:
    @pytest.fixture
    def data(self, payload: Payload) -> Any:
        return payload("tiktok/post.json")

    @pytest.fixture
    def item(self, data: Any) -> Any:
        return data["__DEFAULT_SCOPE__"]["webapp.video-detail"]["itemInfo"]["itemStruct"]

    @pytest.fixture
    def read(self, data: Any, tiktok_page: Page) -> Callable[[], VideoSnapshot]:
        return lambda: parse_post(tiktok_page(data), item_id=VIDEO_ID, captured_at=AT)

    def test_its_counters(self, read: Callable[[], VideoSnapshot]) -> None:
        video = read()
        counts = (video.view_count, video.like_count, video.comment_count)
        assert counts == (88041, 9102, 214)
        assert (video.share_count, video.save_count, video.is_exact) == (77, 350, True)
        assert (video.source, video.captured_at) == ("tiktok.post_page", AT)

    def test_rounded_counters_with_saves_as_text(
        self, item: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        del item["statsV2"]
        video = read()
        assert (video.view_count, video.save_count, video.is_exact) == (88000, 350, False)

    def test_another_posts_counters_are_never_taken(
        self, item: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        item["id"] = "7682837474828885295"
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED

    def test_classified_content_needs_a_login(
        self, item: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        item["isContentClassified"] = True
        del item["video"]
        assert outcome_of(read) is Outcome.LOGIN_REQUIRED

    def test_a_post_without_counters_is_an_unknown_shape(
        self, item: Any, read: Callable[[], VideoSnapshot]
    ) -> None:
        del item["stats"], item["statsV2"]
        assert outcome_of(read) is Outcome.SCHEMA_CHANGED
