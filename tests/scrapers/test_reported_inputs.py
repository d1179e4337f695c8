"""Payloads and links of public reports, and of each kind more: each is read right, or refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.instagram.comments import parse_comments
from scrapers.instagram.parse import parse_post_answer, parse_timeline
from scrapers.instagram_graph import parse as graph
from scrapers.instagram_login import parse as login
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.ensembledata import EnsembleDataTikTok
from scrapers.paid.scrapecreators import ScrapeCreatorsInstagram, ScrapeCreatorsTikTok
from scrapers.snapshots import AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok.comments import parse_comment_page
from scrapers.tiktok.parse import parse_item_page, parse_post
from scrapers.tiktok_display import parse as display
from scrapers.urls import normalize_handle, parse_post_url
from tests.orchestration.own_provider import NOON, PROFILE
from tests.scrapers.conftest import PAYLOADS

REPORTED = PAYLOADS / "reported"
ITEM, PK = "7642266160544730389", "3983118388705688735"
TIKTOK = replace(PROFILE, handle="some.body", observed_handle="some.body", platform_user_id="7")
INSTAGRAM = replace(
    PROFILE,
    platform="instagram",
    handle="some_body",
    observed_handle="some_body",
    platform_user_id="787000132",
)
LISTED = AccountTarget(platform="tiktok", handle="some.body")
SHARED = AccountTarget(platform="instagram", handle="some_body", platform_user_id="787000132")


def load(name: str) -> Any:
    text = (REPORTED / name).read_text(encoding="utf-8")
    return json.loads(text) if name.endswith(".json") else text


def item_page(*items: Any) -> Any:
    page = {"statusCode": 0, "hasMorePrevious": False, "itemList": items}
    return parse_item_page(json.dumps(page), captured_at=NOON)


def item_of(name: str) -> VideoSnapshot:
    video: VideoSnapshot = item_page(load(name)).items[0].video
    return video


def counts_of(video: VideoSnapshot) -> tuple[Any, ...]:
    return video.view_count, video.like_count, video.comment_count, video.is_exact


def ending(read: Callable[[], object]) -> Outcome:
    with pytest.raises(ScrapeError) as error:
        read()
    return error.value.outcome


def link(name: str) -> tuple[str | None, str | None]:
    url = parse_post_url(load(name)["input"])
    return (url.kind, url.platform_video_id) if url else (None, None)


READ: dict[str, tuple[Callable[[str], Any], Any]] = {
    "u01-vt-hyphen.json": (link, ("short_link", None)),
    "u02-vm-hyphen.json": (link, ("short_link", None)),
    "u05-i18n-share.json": (link, ("video", ITEM)),
    "u06-player.json": (link, ("video", ITEM)),
    "u16-ig-at.json": (
        lambda name: normalize_handle("instagram", load(name)["input"]),
        "some_body",
    ),
    "t01-100004.html": (
        lambda name: ending(lambda: parse_post(load(name), item_id=ITEM, captured_at=NOON)),
        Outcome.POST_UNAVAILABLE,
    ),
    "t02-10201.html": (
        lambda name: ending(lambda: parse_post(load(name), item_id=ITEM, captured_at=NOON)),
        Outcome.POST_UNAVAILABLE,
    ),
    "t10-empty-count.json": (lambda name: counts_of(item_of(name)), (None, 5, 1, True)),
    "t14-no-itemlist.json": (
        lambda name: parse_item_page(json.dumps(load(name)), captured_at=NOON).has_more,
        True,
    ),
    "t16-item-without-id.json": (
        lambda name: parse_item_page(json.dumps(load(name)), captured_at=NOON).unread,
        1,
    ),
    "t19-iso-createtime.json": (
        lambda name: (item_of(name).posted_at, item_of(name).view_count),
        (datetime(2026, 5, 21, 8, 28, 24, tzinfo=UTC), 1_776_621),
    ),
    "i01-4630001.json": (
        lambda name: ending(
            lambda: parse_post_answer(json.dumps(load(name)), pk=PK, captured_at=NOON)
        ),
        Outcome.POST_UNAVAILABLE,
    ),
    "i18-null-node.json": (
        lambda name: len(
            parse_timeline(
                json.dumps(load(name)), account=INSTAGRAM, captured_at=NOON, is_first=False
            ).posts
        ),
        1,
    ),
    "p09-rounded-pk.json": (
        lambda name: [
            post.video.platform_video_id
            for post in ScrapeCreatorsInstagram().page(load(name), SHARED, NOON).posts
        ],
        [PK],
    ),
    "p10-sc-collab.json": (
        lambda name: len(ScrapeCreatorsInstagram().page(load(name), SHARED, NOON).posts),
        1,
    ),
    "p13-null-aweme.json": (
        lambda name: len(ScrapeCreatorsTikTok().page(load(name), LISTED, NOON).posts),
        1,
    ),
    "d05-old-handle-in-share-url.json": (
        lambda name: len(display.read_videos(load(name), TIKTOK, NOON, source="display")[0]),
        1,
    ),
}
"""How a reported input is read, and its right value."""


def test_every_reported_input_has_a_right_value() -> None:
    assert {path.name for path in REPORTED.iterdir()} == READ.keys()


@pytest.mark.parametrize("name", READ)
def test_a_reported_input(name: str) -> None:
    read, right = READ[name]
    assert read(name) == right


AWEME = load("p13-null-aweme.json")["aweme_list"][0]
SHOWN = {
    "permalink": "https://www.instagram.com/reel/DdG4RIxIPyf/",
    "id": "17900000000000001",
    "timestamp": "2026-09-10T12:20:14+0000",
    "like_count": 950,
    "comments_count": 17,
}
DISPLAYED = load("d05-old-handle-in-share-url.json")["videos"][0]
COMMENT = {"cid": "1", "pk": "1", "id": "1", "text": "Lovely"}


def graph_page(*items: Any) -> Any:
    user = {"username": "some_body", "followers_count": 5, "media": {"data": list(items)}}
    answer = {"business_discovery": {**user, "ig_id": "787000132"}}
    return graph.parse_page(answer, handle="some_body", captured_at=NOON).timeline


def login_page(*items: Any) -> Any:
    return login.read_page({"data": list(items)}, INSTAGRAM, NOON).timeline


def display_page(*items: Any) -> Any:
    return display.read_page({"videos": list(items), "has_more": False}, TIKTOK, NOON)


def ensemble_page(*items: Any) -> Any:
    return EnsembleDataTikTok().page({"data": list(items)}, LISTED, NOON)


def tiktok_comments(*items: Any) -> Any:
    text = json.dumps({"status_code": 0, "comments": items, "has_more": 0, "cursor": 9})
    return parse_comment_page(text, item_id=ITEM, captured_at=NOON)


def instagram_comments(*items: Any) -> Any:
    info = {"has_next_page": False, "end_cursor": None}
    connection = {"edges": [{"node": item} for item in items], "page_info": info}
    result = {"data": {"xig_polaris_media": {"pk": PK, "comments_connection": connection}}}
    return parse_comments(json.dumps(result), pk=PK, captured_at=NOON)


def paid_comments(*items: Any) -> Any:
    target = PostTarget(platform="instagram", platform_video_id=PK)
    answer = {"comments": list(items), "cursor": None}
    return ScrapeCreatorsInstagram().comment_page(answer, target, None, NOON)


@pytest.mark.parametrize("odd", [None, 7, "x", [], {}, {"id": "x1", "cid": "x1", "pk": "x1"}])
@pytest.mark.parametrize(
    ("read", "good"),
    [
        (item_page, load("t19-iso-createtime.json")),
        (ensemble_page, AWEME),
        (display_page, DISPLAYED),
        (graph_page, SHOWN),
        (login_page, SHOWN),
        (tiktok_comments, COMMENT),
        (instagram_comments, COMMENT),
        (paid_comments, COMMENT),
    ],
)
def test_an_odd_entry_costs_no_other(read: Callable[..., Any], good: Any, odd: Any) -> None:
    page = read(good, odd, good)
    found = next(
        len(getattr(page, name)) for name in ("items", "posts", "comments") if hasattr(page, name)
    )
    assert (found, page.unread) == (2, 1)
    assert ending(lambda: read(odd, good, odd)) is Outcome.SCHEMA_CHANGED


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("1.2M", 1_200_000),
        ("1.2m", 1_200_000),
        ("12.3K", 12_300),
        ("999.9 K", 999_900),
        ("1,2M", 1_200_000),
        ("3.4B", 3_400_000_000),
    ],
)
class TestRoundedTexts:
    """A text such as "1.2M" is a rounded count, and its reading not exact, on every route."""

    def test_of_tiktoks_pages(self, text: str, count: int) -> None:
        item = load("t19-iso-createtime.json")
        item["statsV2"]["playCount"] = text
        assert counts_of(item_page(item).items[0].video) == (count, 22_609, 15_955, False)

    def test_of_providers(self, text: str, count: int) -> None:
        item = load("p09-rounded-pk.json")
        item["items"][0]["like_count"] = text
        [post] = ScrapeCreatorsInstagram().page(item, SHARED, NOON).posts
        assert (post.video.like_count, post.video.is_exact) == (count, False)

    def test_of_profiles(self, text: str, count: int) -> None:
        user = {"username": "some_body", "followers_count": text, "ig_id": "787000132"}
        account = graph.parse_profile(
            {"business_discovery": user}, handle="some_body", captured_at=NOON
        )
        assert (account.follower_count, account.is_exact) == (count, False)


@pytest.mark.parametrize("text", ["51K", "1.25M", "1234K", "1.2", "1.2T", "M", "many", "1.2M+"])
def test_a_text_of_another_step_is_no_count(text: str) -> None:
    """ "51K" may stand for 50,500, less than the step of 100 allows for."""
    item = load("t19-iso-createtime.json")
    item["statsV2"]["playCount"] = text
    assert ending(lambda: item_page(item)) is Outcome.SCHEMA_CHANGED
