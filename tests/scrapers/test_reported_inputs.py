"""Payloads and links from public reports, with variations: each is parsed correctly or refused."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest

from scrapers.consent.client import TokenRefusedError
from scrapers.instagram.comments import parse_comments
from scrapers.instagram.parse import parse_post_answer, parse_timeline
from scrapers.instagram_graph import client as graph_client
from scrapers.instagram_graph import parse as graph
from scrapers.instagram_login import parse as login
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.ensembledata import EnsembleDataTikTok
from scrapers.paid.scrapecreators import ScrapeCreatorsInstagram, ScrapeCreatorsTikTok
from scrapers.snapshots import AccountTarget, PostTarget, VideoSnapshot
from scrapers.tiktok.comments import parse_comment_page
from scrapers.tiktok.embeds import parse_post_embed
from scrapers.tiktok.parse import parse_item_page, parse_post
from scrapers.tiktok_display import parse as display
from scrapers.transport.answer import Answer
from scrapers.urls import InvalidAccount, normalize_handle, parse_post_url
from tests.orchestration.own_provider import NOON, PROFILE
from tests.scrapers.conftest import PAYLOADS, outcome_of

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


def link(name: str) -> tuple[str | None, str | None]:
    url = parse_post_url(load(name)["input"])
    return (url.kind, url.platform_video_id) if url else (None, None)


def meaning(text: str, of: str) -> str | None:
    """Return what a text identifies, as a post or as an account of platform `of`."""
    if of == "post":
        post = parse_post_url(text)
        return post and (post.platform_video_id or post.canonical_url)
    try:
        return normalize_handle(of, text)
    except InvalidAccount as refused:
        return refused.reason


READ: dict[str, tuple[Callable[[str], Any], Any]] = {
    "u01-vt-hyphen.json": (link, ("short_link", None)),
    "u02-vm-hyphen.json": (link, ("short_link", None)),
    "u05-i18n-share.json": (link, ("video", ITEM)),
    "u06-player.json": (link, ("video", ITEM)),
    "u16-ig-at.json": (
        lambda name: normalize_handle("instagram", load(name)["input"]),
        "some_body",
    ),
    "u20-links.json": (
        lambda name: [
            one for one in load(name) if meaning(one["input"], one["of"]) != one["right"]
        ],
        [],
    ),
    "t01-100004.html": (
        lambda name: outcome_of(lambda: parse_post(load(name), item_id=ITEM, captured_at=NOON)),
        Outcome.POST_UNAVAILABLE,
    ),
    "t02-10201.html": (
        lambda name: outcome_of(lambda: parse_post(load(name), item_id=ITEM, captured_at=NOON)),
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
        lambda name: outcome_of(
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
"""How each reported input is parsed, and the expected value."""


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
def test_an_odd_entry_drops_no_other(read: Callable[..., Any], good: Any, odd: Any) -> None:
    page = read(good, odd, good)
    item_count = next(
        len(getattr(page, name)) for name in ("items", "posts", "comments") if hasattr(page, name)
    )
    assert (item_count, page.unread) == (2, 1)
    assert outcome_of(lambda: read(odd, good, odd)) is Outcome.SCHEMA_CHANGED


GOOD = load("t19-iso-createtime.json") | {"createTime": "1779352104"}
EXACT = GOOD["statsV2"]


@pytest.mark.parametrize(
    ("changes", "views", "likes"),
    [
        ({"author": None}, 1_776_621, 22_609),
        ({"author": "some.body"}, 1_776_621, 22_609),
        ({"author": {"id": 7, "uniqueId": "some.body"}}, 1_776_621, 22_609),
        ({"id": int(ITEM)}, 1_776_621, 22_609),
        ({"desc": None, "video": None, "imagePost": None}, 1_776_621, 22_609),
        ({"statsV2": None}, 1_800_000, 22_600),
        ({"statsV2": {}}, 1_800_000, 22_600),
        ({"stats": None, "statsV2": None}, None, None),
        ({"statsV2": EXACT | {"playCount": "-1"}}, None, 22_609),
        ({"statsV2": EXACT | {"playCount": None}}, None, 22_609),
        ({"statsV2": EXACT | {"playCount": "1,776,621"}}, 1_776_621, 22_609),
        ({"statsV2": EXACT | {"playCount": 1776621.0}}, 1_776_621, 22_609),
    ],
)
def test_an_item_of_another_form_is_read(
    changes: Any, views: int | None, likes: int | None
) -> None:
    video = item_page(GOOD, GOOD | changes).items[1].video
    assert (video.view_count, video.like_count) == (views, likes)
    assert video.posted_at == datetime(2026, 5, 21, 8, 28, 24, tzinfo=UTC)


@pytest.mark.parametrize("count", [1.5, 2.0**60, float("nan"), "1,23", "--", True, [], {}])
def test_an_invalid_count_is_refused(count: object) -> None:
    item = GOOD | {"statsV2": EXACT | {"playCount": count}}
    assert outcome_of(lambda: item_page(item)) is Outcome.SCHEMA_CHANGED


def paid_posts(*items: Any) -> Any:
    answer = load("p09-rounded-pk.json") | {"items": list(items)}
    return ScrapeCreatorsInstagram().page(answer, SHARED, NOON)


def timeline(*items: Any) -> Any:
    tab = load("i18-null-node.json")
    edges = [{"node": item} for item in items]
    tab["data"]["node"]["polaris_ordered_timeline_connection"]["edges"] = edges
    return parse_timeline(json.dumps(tab), account=INSTAGRAM, captured_at=NOON, is_first=False)


@pytest.mark.parametrize(
    ("read", "good", "author"),
    [
        (ensemble_page, AWEME, "author"),
        (paid_posts, load("p09-rounded-pk.json")["items"][0], "user"),
        (timeline, load("p09-rounded-pk.json")["items"][0] | {"pk": PK}, "user"),
    ],
)
def test_a_listed_post_without_an_author_is_reported(
    read: Callable[..., Any], good: Any, author: str
) -> None:
    page = read(good, good | {author: None}, good)
    assert (len(page.posts), page.unread) == (2, 1)


@pytest.mark.parametrize(("handle", "is_kept"), [("Some_Body", True), ("another", False)])
def test_a_post_of_a_timeline_is_known_by_handle_if_its_author_has_no_id(
    handle: str, is_kept: bool
) -> None:
    page = timeline({"pk": PK, "user": {"username": handle}})
    assert (bool(page.posts), page.unread) == (is_kept, 0)


def test_a_providers_page_may_have_only_posts_that_are_shared() -> None:
    answer = load("p09-rounded-pk.json")
    shared = answer["items"][0] | {
        "user": {"pk": "9", "username": "another"},
        "coauthor_producers": [{"pk": "787000132", "username": "some_body"}],
    }
    answer = {**answer, "user": None, "items": [shared]}
    assert len(ScrapeCreatorsInstagram().page(answer, SHARED, NOON).posts) == 1


@pytest.mark.parametrize(("flag", "has_more"), [(0, False), (1, True)])
def test_a_list_may_have_a_numeric_more_flag(flag: int, *, has_more: bool) -> None:
    tree = {"statusCode": 0, "hasMorePrevious": flag, "itemList": [GOOD]}
    assert parse_item_page(json.dumps(tree), captured_at=NOON).has_more is has_more


def test_a_comment_may_have_a_numeric_reply_flag() -> None:
    comments = [{"cid": "1", "text": "Hi", "reply_id": 0}, {"cid": "2", "text": "", "reply_id": 1}]
    page = {"comments": comments, "has_more": 0, "cursor": 2}
    read = parse_comment_page(json.dumps(page), item_id=ITEM, captured_at=NOON)
    assert [comment.platform_comment_id for comment in read.comments] == ["1"]


def test_insights_without_an_envelope_are_refused_by_their_status() -> None:
    with pytest.raises(TokenRefusedError):
        login.accepted_insights(Answer(401, b"<html>Unauthorized</html>"))


@pytest.mark.parametrize(
    ("others", "is_kept"),
    [
        ([{"pk": "787000132", "username": "some_body"}], True),
        ([{"pk": 787000132, "username": "renamed_body"}], True),
        ([{"username": "Some_Body"}], True),
        ([{"pk": None, "username": "some_body"}], True),
        ([None, 7, {"pk": "787000132"}], True),
        ([{"pk": "6", "username": "some_body"}], False),
        ([{"pk": "6", "username": "third"}], False),
        ([{}], False),
        ([], False),
        (None, False),
        ("some_body", False),
    ],
)
def test_a_co_author_is_one_on_every_route(others: Any, *, is_kept: bool) -> None:
    """Pending invitations (`invited_coauthor_producers`) do not count."""
    shared = load("p10-sc-collab.json")
    item = shared["items"][0] | {
        "coauthor_producers": others,
        "invited_coauthor_producers": [{"pk": "787000132", "username": "some_body"}],
    }
    paid = ScrapeCreatorsInstagram().page(shared | {"items": [item]}, SHARED, NOON).posts
    tab = load("i18-null-node.json")
    tab["data"]["node"]["polaris_ordered_timeline_connection"]["edges"] = [{"node": item}]
    web = parse_timeline(json.dumps(tab), account=INSTAGRAM, captured_at=NOON, is_first=False).posts
    assert (len(paid), len(web)) == (is_kept, is_kept)


def post_page(code: object, message: object = "") -> str:
    detail = {"webapp.video-detail": {"statusCode": code, "statusMsg": message}}
    script = '<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__" type="application/json">'
    return f"{script}{json.dumps({'__DEFAULT_SCOPE__': detail})}</script>"


@pytest.mark.parametrize(
    ("code", "message", "outcome"),
    [
        (10204, "item doesn't exist", Outcome.POST_UNAVAILABLE),
        (10204, "item_privacy_authorization&status_deleted", Outcome.POST_UNAVAILABLE),
        (10204, "status_audit_not_pass", Outcome.POST_UNAVAILABLE),
        (10204, "cross_border_violation_ur", Outcome.REGION_BLOCKED),
        ("10204", None, Outcome.POST_UNAVAILABLE),
        (10216, "", Outcome.PRIVATE),
        (10222, "", Outcome.PRIVATE),
        (10231, "", Outcome.REGION_BLOCKED),
        (10219, "", Outcome.REGION_BLOCKED),
        (10102, "not login", Outcome.LOGIN_REQUIRED),
        (10217, "", Outcome.GATED),
        (10000, "", Outcome.CHALLENGED),
        (99999, "", Outcome.SCHEMA_CHANGED),
    ],
)
def test_an_ending_of_a_post_on_tiktok(code: object, message: object, outcome: Outcome) -> None:
    page = post_page(code, message)
    assert outcome_of(lambda: parse_post(page, item_id=ITEM, captured_at=NOON)) is outcome


FAILED = {"message": "execution error", "severity": "CRITICAL", "path": ["xig_polaris_media"]}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        ({"data": None, "errors": [FAILED]}, Outcome.UNREACHABLE),
        ({"data": {"xig_polaris_media": None}, "errors": [FAILED]}, Outcome.UNREACHABLE),
        ({"data": None, "errors": [FAILED | {"code": 4630001}]}, Outcome.POST_UNAVAILABLE),
        ({"errors": [FAILED | {"code": 1675002}], "status": "ok"}, Outcome.SCHEMA_CHANGED),
        ({"data": None, "errors": [FAILED | {"code": 1675004}]}, Outcome.RATE_LIMITED),
        ({"data": None, "errors": [{"message": "execution error"}]}, Outcome.SCHEMA_CHANGED),
        ({"error": 1357004, "payload": None}, Outcome.BLOCKED_SILENT),
        ({"error": 1357001, "errorSummary": "Not Logged In"}, Outcome.LOGIN_REQUIRED),
        ({"error": {"message": "x"}}, Outcome.SCHEMA_CHANGED),
        ({"error": [1357001]}, Outcome.SCHEMA_CHANGED),
        ({"message": "feedback_required", "spam": True, "status": "fail"}, Outcome.CHALLENGED),
        ({"data": {"xig_polaris_media": None}}, Outcome.POST_UNAVAILABLE),
        (
            {"data": {"xig_polaris_media": None}, "errors": [{"message": "field_exception"}]},
            Outcome.POST_UNAVAILABLE,
        ),
        ({"data": {"xig_polaris_media_v9": {"pk": "1"}}}, Outcome.SCHEMA_CHANGED),
        ({"data": {}}, Outcome.SCHEMA_CHANGED),
    ],
)
def test_an_ending_of_a_post_on_instagram(answer: Any, outcome: Outcome) -> None:
    text = json.dumps(answer)
    assert outcome_of(lambda: parse_post_answer(text, pk=PK, captured_at=NOON)) is outcome


@pytest.mark.parametrize(
    ("link", "kind"),
    [
        (f"https://www.tiktok.com/@old.name/video/{ITEM}?utm_campaign=tt4d_open_api", "video"),
        (f"https://www.tiktok.com/@some.body/photo/{ITEM}", "photo"),
        (f"https://www.tiktok.com/@/video/{ITEM}", "video"),
        (f"https://m.tiktok.com/v/{ITEM}.html", "video"),
        (f"https://www.tiktok.com/player/v1/{ITEM}", "video"),
        ("https://vm.tiktok.com/ZS9eQnVNkWqrH-NDwQg", "video"),
        ("", "video"),
        (None, "video"),
        (7, "video"),
        ("https://www.tiktok.com/@other/video/7000000000000000000", "video"),
    ],
)
def test_the_token_names_the_account_of_a_post(link: object, kind: str) -> None:
    [video], unread = display.read_videos(
        {"videos": [DISPLAYED | {"share_url": link}]}, TIKTOK, NOON, source="display"
    )
    assert (video.platform_video_id, video.handle, video.media_type) == (ITEM, "some.body", kind)
    assert unread == 0


PLAYED = {
    "id_str": ITEM,
    "statistics_info": {"digg_count": 5, "comment_count": 1, "share_count": 0},
}


@pytest.mark.parametrize(
    ("item", "likes"),
    [
        (PLAYED, 5),
        (PLAYED | {"author_info": None, "desc": None}, 5),
        (PLAYED | {"id_str": None, "id": int(ITEM)}, 5),
        (PLAYED | {"id_str": None, "id": ITEM}, 5),
        (PLAYED | {"statistics_info": {"digg_count": "5"}}, 5),
        (PLAYED | {"statistics_info": {"digg_count": "1.2K"}}, 1200),
        (PLAYED | {"statistics_info": {"digg_count": -1, "share_count": 0}}, None),
        (PLAYED | {"image_post_info": {"images": []}}, 5),
        (PLAYED | {"statistics_info": None}, Outcome.SCHEMA_CHANGED),
        (PLAYED | {"id_str": "7"}, Outcome.SCHEMA_CHANGED),
        (None, Outcome.POST_UNAVAILABLE),
    ],
)
def test_the_player_in_place_of_an_embed(item: Any, likes: object) -> None:
    tree = {"items": [item] if item else [], "results": [{"code": "nil_core_data"}]}

    def read() -> VideoSnapshot:
        return parse_post_embed(json.dumps(tree), item_id=ITEM, captured_at=NOON).video

    if isinstance(likes, Outcome):
        assert outcome_of(read) is likes
    else:
        assert (read().view_count, read().like_count) == (None, likes)


def token_is_refused(read: Callable[[Answer], object], status: int, body: Any) -> bool:
    """Return whether the response means that the creator's consent is revoked."""
    text = body if isinstance(body, str) else json.dumps(body)
    try:
        read(Answer(status, text.encode()))
    except TokenRefusedError:
        return True
    except ScrapeError:
        return False
    raise AssertionError("an error read as an answer")


@pytest.mark.parametrize(
    ("status", "body", "is_refused"),
    [
        (401, {"data": {}, "error": {"code": "access_token_invalid", "log_id": "x"}}, True),
        (401, {"error": {"code": "scope_not_authorized"}}, True),
        (403, {"data": {}, "error": {"code": "scope_permission_missed"}}, True),
        (401, {"error": "access_token_invalid", "error_description": "x"}, True),
        (401, "", True),
        (401, "<html>", True),
        (429, {"error": {"code": "rate_limit_exceeded"}}, False),
        (401, {"error": {"code": "rate_limit_exceeded"}}, False),
        (500, {"error": {"code": "internal_error"}}, False),
        (400, {"error": {"code": "invalid_params"}}, False),
        (200, {"error": {"code": "ok"}}, False),
    ],
)
def test_a_refused_consent_on_tiktok(status: int, body: Any, *, is_refused: bool) -> None:
    assert token_is_refused(display.accepted, status, body) is is_refused


REFUSED_APP = (
    (200, "API access blocked."),
    (200, "API access deactivated. To reactivate, go to the app dashboard."),
    (190, "Error validating application. Application has been deleted."),
    (101, "Error validating application. Application has been deleted."),
    (3, "(#3) Application does not have the capability to make this API call."),
)


@pytest.mark.parametrize(("code", "outcome"), [(-1, "unreachable"), (368, "rate_limited")])
@pytest.mark.parametrize("accepted", [login.accepted, graph_client.accepted])
def test_an_error_that_requests_a_retry_is_no_new_format(
    accepted: Callable[[Answer], object], code: int, outcome: str
) -> None:
    answer = Answer(500, json.dumps({"error": {"message": "Retry later", "code": code}}).encode())
    assert outcome_of(lambda: accepted(answer)) == outcome


@pytest.mark.parametrize(("code", "words"), REFUSED_APP)
@pytest.mark.parametrize("accepted", [login.accepted, graph_client.accepted])
def test_a_refused_app_is_named_and_not_its_consents(
    accepted: Callable[[Answer], object], code: int, words: str
) -> None:
    error = {"message": words, "type": "OAuthException", "code": code, "fbtrace_id": "x"}
    with pytest.raises(
        ScrapeError, match=r"Meta refuses the app.* see the app's dashboard"
    ) as refused:
        accepted(Answer(400, json.dumps({"error": error}).encode()))
    assert refused.value.outcome is Outcome.LOGIN_REQUIRED


@pytest.mark.parametrize(
    ("status", "body", "is_refused"),
    [
        *(
            (400, {"error": {"type": "OAuthException", "code": 190, "error_subcode": sub}}, True)
            for sub in (458, 459, 460, 463, 467)
        ),
        (400, {"error": {"message": "no permission for this action", "code": 10}}, True),
        (400, {"error": {"message": "Requires a permission", "code": 200}}, True),
        (400, {"error": {"code": "190"}}, True),
        *((400, {"error": {"message": each, "code": code}}, False) for code, each in REFUSED_APP),
        (401, "", True),
        (403, {"error": {"message": "(#4) Application request limit reached", "code": 4}}, False),
        (400, {"error": {"code": 80002}}, False),
        (500, {"error": {"code": 2, "is_transient": True}}, False),
        (400, {"error": {"code": 100, "error_subcode": 33}}, False),
        (400, {"error_type": "OAuthException", "code": 400, "error_message": "x"}, False),
    ],
)
def test_a_refused_consent_on_instagram(status: int, body: Any, *, is_refused: bool) -> None:
    assert token_is_refused(login.accepted, status, body) is is_refused


@pytest.mark.parametrize(
    "pk",
    [
        3983118388705688600,
        "3983118388705688600",
        3.9831183887056886e18,
        "3983118388705688735",
        None,
        "",
        0,
        "3983118388705688735_787000132",
        "other",
        "3983118388705689000",
    ],
)
def test_the_code_decides_about_a_posts_id(pk: object) -> None:
    answer = load("p09-rounded-pk.json")
    answer["items"][0]["pk"] = pk
    [post] = ScrapeCreatorsInstagram().page(answer, SHARED, NOON).posts
    assert post.video.platform_video_id == PK


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
    """A text such as "1.2M" is a rounded count and marks the reading inexact on every route."""

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
def test_a_text_with_another_rounding_step_is_no_count(text: str) -> None:
    """ "51K" may stand for 50,500, which a rounding step of 100 does not allow."""
    item = load("t19-iso-createtime.json")
    item["statsV2"]["playCount"] = text
    assert outcome_of(lambda: item_page(item)) is Outcome.SCHEMA_CHANGED
