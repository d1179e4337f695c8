"""Whatever is asked, no route breaks: a 4xx, a redirect or an empty answer, never an exception."""

import json
from urllib.parse import quote

import httpx
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scrapers.simulator import World, simulator_app
from tests.doses import dose

from .conftest import NOON

SEGMENTS = st.text(
    st.characters(exclude_categories=("Cs",), exclude_characters="/?#"), min_size=1, max_size=40
)
NUMBERS = st.sampled_from(["0", "-1", "9" * 20, "9" * 5000, "١٢٣", "1e9", "A" * 200, "%"])
ODD = SEGMENTS | NUMBERS
PATHS = (
    "/tiktok/@{}",
    "/tiktok/@_/video/{}",
    "/tiktok/embed/@{}",
    "/tiktok/embed/v2/{}",
    "/tiktok/t/{}/",
    "/instagram/{}/",
    "/instagram/p/{}/",
    "/instagram/{}/reels/",
    "/instagram/share/{}",
    "/graph/v26.0/{}",
    "/_simulator/truth/tiktok/{}",
    "/_simulator/comments/instagram/{}",
)
QUERIES = (
    ("/tiktok/api/creator/item_list/", ("secUid", "cursor", "count")),
    ("/tiktok/api/comment/list/", ("aweme_id", "cursor", "count")),
    ("/graph/v26.0/1", ("fields", "access_token")),
    ("/_simulator/creators", ("limit", "platform")),
)
DOC_IDS = (
    "27981003384861049",
    "27553725110923321",
    "27389614800735091",
    "27838951732404191",
    "28309390568695038",
    "27659279553772821",
)
JSON = st.none() | st.booleans() | st.integers() | st.text(max_size=30)

app = simulator_app(World(seed=11, creators=40), lambda: NOON)
quick = settings(
    max_examples=dose(15, 60),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
    derandomize=True,
)


def client() -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url="http://simulator")


@quick
@given(path=st.sampled_from(PATHS), text=ODD)
async def test_paths(path: str, text: str) -> None:
    async with client() as http:
        assert (await http.get(path.format(quote(text)))).status_code < 500


@quick
@given(route=st.sampled_from(QUERIES), texts=st.lists(ODD, min_size=3, max_size=3))
async def test_queries(route: tuple[str, tuple[str, ...]], texts: list[str]) -> None:
    path, names = route
    query = dict(zip(names, texts, strict=False))
    async with client() as http:
        assert (await http.get(path, params=query)).status_code < 500


@pytest.mark.slow
@quick
@given(
    doc_id=st.sampled_from(DOC_IDS),
    variables=st.dictionaries(
        st.sampled_from(["username", "id", "after", "first", "media_id"]), JSON
    ),
)
async def test_guest_queries(doc_id: str, variables: dict[str, object]) -> None:
    async with client() as http:
        form = {"doc_id": doc_id, "variables": json.dumps(variables)}
        assert (await http.post("/instagram/api/graphql", data=form)).status_code == 200


async def test_bodies_that_are_no_form_or_no_json() -> None:
    async with client() as http:
        for body in (b"", b"\xff\xfe", b"variables=" + b"[" * 100_000, b"doc_id=1&variables={"):
            answer = await http.post("/instagram/api/graphql", content=body)
            assert answer.json()["data"] is None
