"""Parsing hostile input gives records that can be stored, or a ScrapeError."""

import json
from collections.abc import Callable, Iterator
from copy import deepcopy
from dataclasses import asdict, is_dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapers.instagram import parse as instagram
from scrapers.instagram.comments import parse_comments, parse_first_comments
from scrapers.instagram_graph import parse as graph
from scrapers.instagram_graph.client import accepted
from scrapers.outcomes import Outcome, ScrapeError
from scrapers.paid.answers import accepted as paid_answer
from scrapers.paid.dialect import Dialect
from scrapers.paid.scrapecreators import ScrapeCreatorsInstagram, ScrapeCreatorsTikTok
from scrapers.snapshots import AccountTarget, PostTarget
from scrapers.tiktok import parse as tiktok
from scrapers.tiktok.comments import parse_comment_page
from scrapers.tiktok.embeds import parse_creator_embed, parse_post_embed
from scrapers.transport.answer import Answer
from tests.doses import dose

AT = datetime(2026, 9, 8, tzinfo=UTC)
PK = "3981064899117325116"
ITEM = "7682837474828885294"

Read = Callable[[str], object]
Page = Callable[..., str]

scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(min_value=10**12, max_value=2**64)
    | st.floats()
    | st.text(max_size=20)
    | st.sampled_from(["\x00", "\ud800", "-1", "1e5", "٣", "9" * 30, "http://[", "1" * 5000])
)
trees = st.recursive(
    scalars,
    lambda children: (
        st.lists(children, max_size=4) | st.dictionaries(st.text(max_size=8), children, max_size=4)
    ),
    max_leaves=12,
)
quickly = settings(
    max_examples=dose(15, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


@pytest.fixture
def account(relay_page: Page, payload: Callable[[str], Any]) -> Any:
    page = relay_page(payload("instagram/profile.json"))
    return instagram.parse_profile_page(page, handle="demo.creator", captured_at=AT).account


@pytest.fixture
def readers(account: Any) -> dict[str, Read]:
    """Return all parse functions by the name of their payload."""
    timeline = {"account": account, "captured_at": AT}
    return {
        "tiktok/profile.json": lambda text: tiktok.parse_profile(text, handle="x", captured_at=AT),
        "tiktok/post.json": lambda text: tiktok.parse_post(text, item_id=ITEM, captured_at=AT),
        "tiktok/creator_list.json": lambda text: tiktok.parse_item_page(text, captured_at=AT),
        "tiktok/comments.json": lambda text: parse_comment_page(text, item_id=ITEM, captured_at=AT),
        "tiktok/creator_embed.json": lambda text: parse_creator_embed(
            text, handle="x", captured_at=AT
        ),
        "tiktok/post_embed.json": lambda text: parse_post_embed(text, item_id=ITEM, captured_at=AT),
        "instagram/comments.json": lambda text: parse_comments(text, pk=PK, captured_at=AT),
        "instagram/profile.json": lambda text: instagram.parse_profile_page(
            text, handle="x", captured_at=AT
        ),
        "instagram/reels.json": lambda text: instagram.parse_reels_tab(text, **timeline),
        "instagram/timeline.json": lambda text: instagram.parse_timeline(
            text, **timeline, is_first=True
        ),
        "instagram/more_timeline.json": lambda text: instagram.parse_timeline(
            text, **timeline, is_first=False
        ),
        "instagram/post.json": lambda text: (
            parse_first_comments(text, pk=PK, captured_at=AT),
            instagram.parse_post_page(text, pk=PK, captured_at=AT),
        ),
        "instagram_graph/page.json": lambda text: graph.parse_page(
            accepted(Answer(200, text.encode("utf-8", errors="surrogatepass"))),
            handle="x",
            captured_at=AT,
        ),
        "instagram_graph/error.json": lambda text: accepted(
            Answer(400, text.encode("utf-8", errors="surrogatepass"))
        ),
        **{name: partial(read_paid, name) for name in PAID_NAMES},
    }


def read_paid(name: str, text: str) -> object:
    """Parse a commercial provider's response with the parser that its name selects."""
    dialect = DIALECTS[Path(name).stem.partition("_")[0]]
    account = AccountTarget(platform=dialect.platform, handle="demo.creator")
    post = PostTarget(platform=dialect.platform, platform_video_id=PAID_POSTS[dialect.platform])
    answer = paid_answer(
        Answer(200, text.encode("utf-8", errors="surrogatepass")),
        dialect.routes,
        if_missing=Outcome.NOT_FOUND,
    )
    if name.endswith("_profile.json"):
        return dialect.account(answer, account, AT)
    if name.endswith("_posts.json"):
        return dialect.page(answer, account, AT)
    if name.endswith("_post.json"):
        return dialect.video(answer, post, AT)
    return dialect.comment_page(answer, post, None, AT)


@pytest.fixture
def carried(tiktok_page: Page, relay_page: Page) -> Callable[[str, Any], str]:
    """Wrap a payload as the platform does: in a page, or as a bare response."""

    def carry(name: str, data: Any) -> str:
        if name in {"tiktok/profile.json", "tiktok/post.json"}:
            return tiktok_page(data)
        if name.endswith("_embed.json"):
            return tiktok_page(data).replace(*EMBED_CARRIER)
        if name.startswith("instagram/") and Path(name).stem not in ANSWERS:
            return relay_page(data, description="1 Followers, 2 Posts")
        return json.dumps(data)

    return carry


EMBED_CARRIER = ("__UNIVERSAL_DATA_FOR_REHYDRATION__", "__FRONTITY_CONNECT_STATE__")
ANSWERS = {"timeline", "more_timeline", "comments"}
"""Instagram payloads that are query responses, not parts of pages."""
DIALECTS: dict[str, Dialect] = {
    "tiktok": ScrapeCreatorsTikTok(),
    "instagram": ScrapeCreatorsInstagram(),
}
PAID_POSTS = {"tiktok": ITEM, "instagram": PK}
PAID_NAMES = [
    f"scrapecreators/{platform}_{what}.json"
    for platform in DIALECTS
    for what in ("profile", "posts", "post", "comments")
]
NAMES = [
    *PAID_NAMES,
    "tiktok/profile.json",
    "tiktok/post.json",
    "tiktok/creator_list.json",
    "tiktok/comments.json",
    "tiktok/creator_embed.json",
    "tiktok/post_embed.json",
    "instagram/comments.json",
    "instagram/profile.json",
    "instagram/reels.json",
    "instagram/timeline.json",
    "instagram/more_timeline.json",
    "instagram/post.json",
    "instagram_graph/page.json",
    "instagram_graph/error.json",
]


def hold_to_records(read: Read, text: str) -> None:
    try:
        seen: object = read(text)
    except ScrapeError as error:
        seen = (error.detail, error.raw_sample)
    for leaf in leaves_of(seen):
        assert_storable(leaf)


def leaves_of(value: Any) -> Iterator[Any]:
    if is_dataclass(value) and not isinstance(value, type):
        yield from leaves_of(asdict(value))
    elif isinstance(value, dict):
        for key, child in value.items():
            if str(key).endswith("_count") and child is not None:
                assert isinstance(child, int)
                assert not isinstance(child, bool)
            yield from leaves_of(child)
    elif isinstance(value, list | tuple):
        for child in value:
            yield from leaves_of(child)
    else:
        yield value


def assert_storable(value: Any) -> None:
    assert isinstance(value, str | int | datetime | None)
    if isinstance(value, str):
        assert "\x00" not in value
        value.encode("utf-8")
    elif isinstance(value, datetime):
        assert value.tzinfo is not None
    elif isinstance(value, int):
        assert 0 <= value < 2**63


@pytest.mark.parametrize("name", NAMES)
@quickly
@given(text=st.text(max_size=200) | st.binary(max_size=200))
def test_any_text(name: str, readers: dict[str, Read], text: str | bytes) -> None:
    if isinstance(text, bytes):
        text = text.decode("utf-8", errors="replace")
    hold_to_records(readers[name], text)


@pytest.mark.parametrize("name", NAMES)
@quickly
@given(tree=trees)
def test_any_data(
    name: str, readers: dict[str, Read], carried: Callable[[str, Any], str], tree: Any
) -> None:
    hold_to_records(readers[name], carried(name, tree))


@pytest.mark.parametrize("name", NAMES)
@quickly
@given(data=st.data())
def test_a_good_payload_with_anything_in_one_place(
    name: str,
    readers: dict[str, Read],
    carried: Callable[[str, Any], str],
    payload: Callable[[str], Any],
    *,
    data: st.DataObject,
) -> None:
    tree = deepcopy(payload(name))
    *way, last = data.draw(st.sampled_from(list(places_in(tree))))
    parent = tree
    for step in way:
        parent = parent[step]
    parent[last] = data.draw(trees)
    hold_to_records(readers[name], carried(name, tree))


def places_in(tree: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if way:
        yield way
    steps: Any = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for step, child in steps:
        if isinstance(child, dict | list):
            yield from places_in(child, (*way, step))
        else:
            yield (*way, step)


@pytest.mark.parametrize("name", NAMES)
@quickly
@given(data=st.data())
def test_a_good_payload_cut_off_anywhere(
    name: str,
    readers: dict[str, Read],
    carried: Callable[[str, Any], str],
    payload: Callable[[str], Any],
    *,
    data: st.DataObject,
) -> None:
    text = carried(name, payload(name))
    hold_to_records(readers[name], text[: data.draw(st.integers(0, len(text)))])


@pytest.mark.parametrize(
    "page",
    [
        "<script" * 200_000,
        "data-sjs" * 200_000,
        "<script data-sjs>" * 100_000,
        '<script id="__UNIVERSAL_DATA_FOR_REHYDRATION__">' * 40_000,
        '<script data-sjs>"RelayPrefetchedStreamCache"</script>' * 20_000,
        "<meta" * 200_000 + 'og:description" content="' + "1," * 200_000,
    ],
)
def test_a_malicious_page_is_read_in_linear_time(readers: dict[str, Read], page: str) -> None:
    for name in ("tiktok/profile.json", "instagram/profile.json"):
        hold_to_records(readers[name], page)
