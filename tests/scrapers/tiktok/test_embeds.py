"""TikTok's embeds: fields that they do not show are unknown."""

import json
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.outcomes import Outcome
from scrapers.snapshots import AccountSnapshot, VideoSnapshot
from scrapers.tiktok.embeds import parse_creator_embed, parse_post_embed
from tests.scrapers.conftest import outcome_of

ITEM = "7682837474828885294"
CREATOR, POST = "/embed/@demo.creator", f"/embed/v2/{ITEM}"
NOON = datetime(2026, 9, 10, 12, tzinfo=UTC)


def page(data: Any) -> str:
    return (
        '<html><script id="__FRONTITY_CONNECT_STATE__" type="application/json">'
        f"{json.dumps(data)}</script></html>"
    )


@pytest.fixture
def creator(payload: Callable[[str], Any]) -> Any:
    return payload("tiktok/creator_embed.json")


@pytest.fixture
def post(payload: Callable[[str], Any]) -> Any:
    return payload("tiktok/post_embed.json")


class TestCreator:
    def read(self, data: Any) -> Any:
        text = data if isinstance(data, str) else page(data)
        return parse_creator_embed(text, handle="demo.creator", captured_at=NOON)

    def test_every_field(self, creator: Any) -> None:
        embed = self.read(creator)
        assert embed.post_ids == (ITEM, "7681978481369685294")
        assert embed.account == AccountSnapshot(
            platform="tiktok",
            handle="demo.creator",
            observed_handle="demo.creator",
            platform_user_id="6871947673887454020",
            platform_alt_id=None,
            display_name="Demo Creator",
            biography="Invented bio",
            bio_link=None,
            avatar_url="https://p16.example/a_100.jpeg",
            is_private=None,
            is_verified=False,
            follower_count=1200000,
            following_count=85,
            total_likes_count=34500000,
            video_count=None,
            is_exact=False,
            source="tiktok.creator_embed",
            captured_at=NOON,
        )

    def test_its_entry_may_have_another_case_and_a_query(self, creator: Any) -> None:
        data = creator["source"]["data"]
        data["/embed/@Demo.Creator?lang=en"] = data.pop(CREATOR)
        assert self.read(creator).account.follower_count == 1200000

    def test_likes_that_overflowed_are_unknown(self, creator: Any) -> None:
        creator["source"]["data"][CREATOR]["userInfo"]["heartCount"] = -5
        assert self.read(creator).account.total_likes_count is None

    @pytest.mark.parametrize(
        ("damage", "outcome"),
        [
            (lambda data: data.update({CREATOR: {"code": 404}}), Outcome.NOT_FOUND),
            (lambda data: data.pop(CREATOR), Outcome.SCHEMA_CHANGED),
            (lambda data: data.update({CREATOR: [1]}), Outcome.SCHEMA_CHANGED),
            (lambda data: data[CREATOR].pop("userInfo"), Outcome.SCHEMA_CHANGED),
            (lambda data: data[CREATOR]["userInfo"].pop("uniqueId"), Outcome.SCHEMA_CHANGED),
            (
                lambda data: data[CREATOR].update(userInfo={"uniqueId": "demo.creator"}),
                Outcome.SCHEMA_CHANGED,
            ),
            (lambda data: data[CREATOR].update(videoList=3), Outcome.SCHEMA_CHANGED),
        ],
    )
    def test_another_response_is_refused(self, creator: Any, damage: Any, outcome: Outcome) -> None:
        damage(creator["source"]["data"])
        assert outcome_of(lambda: self.read(creator)) is outcome

    def test_a_challenge_or_an_empty_page(self, payload: Callable[[str], Any]) -> None:
        for name, outcome in (
            ("challenge", Outcome.CHALLENGED),
            ("no_data", Outcome.BLOCKED_SILENT),
        ):
            text = payload(f"tiktok/{name}.html")
            assert outcome_of(lambda: self.read(text)) is outcome  # noqa: B023


class TestPost:
    def read(self, data: Any) -> Any:
        return parse_post_embed(page(data), item_id=ITEM, captured_at=NOON)

    def test_every_field(self, post: Any) -> None:
        embed = self.read(post)
        assert embed.sec_uid == "MS4wLjABAAAAexample0example1example2example3example4example5"
        assert embed.video == VideoSnapshot(
            platform="tiktok",
            platform_video_id=ITEM,
            platform_user_id="6871947673887454020",
            handle="demo.creator",
            url=f"https://www.tiktok.com/@demo.creator/video/{ITEM}",
            caption="Invented caption",
            media_type="video",
            duration_seconds=23,
            thumbnail_url="https://p16.example/c.jpeg",
            posted_at=datetime(2026, 9, 7, 16, 53, 20, tzinfo=UTC),
            posted_at_is_estimate=False,
            view_count=88041,
            like_count=9102,
            comment_count=214,
            share_count=77,
            save_count=None,
            is_exact=True,
            source="tiktok.post_embed",
            captured_at=NOON,
        )

    def test_a_photo_post_has_pictures(self, post: Any) -> None:
        post["source"]["data"][POST]["videoData"]["imagePostInfo"] = {"displayImages": []}
        video = self.read(post).video
        assert (video.media_type, "/photo/" in video.url) == ("photo", True)

    def test_zero_is_a_count_and_a_missing_one_is_unknown(self, post: Any) -> None:
        item = post["source"]["data"][POST]["videoData"]["itemInfos"]
        item["playCount"] = 0
        del item["shareCount"]
        video = self.read(post).video
        assert (video.view_count, video.share_count) == (0, None)

    @pytest.mark.parametrize(
        ("damage", "outcome"),
        [
            (lambda content: (content.clear(), content.update(code=404)), Outcome.POST_UNAVAILABLE),
            (lambda content: content.pop("videoData"), Outcome.SCHEMA_CHANGED),
            (
                lambda content: content["videoData"]["itemInfos"].update(id="1"),
                Outcome.SCHEMA_CHANGED,
            ),
            (
                lambda content: content["videoData"].update(itemInfos={"id": ITEM}),
                Outcome.SCHEMA_CHANGED,
            ),
            (
                lambda content: content["videoData"]["itemInfos"].update(playCount="88K"),
                Outcome.SCHEMA_CHANGED,
            ),
        ],
    )
    def test_another_response_is_refused(self, post: Any, damage: Any, outcome: Outcome) -> None:
        damage(post["source"]["data"][POST])
        assert outcome_of(lambda: self.read(post)) is outcome
