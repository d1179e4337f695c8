"""Pages for browsers: errors are pages too, and compressed where that is safe."""

import re
from collections.abc import Iterator

import httpx
import pytest

from serving_api.error_messages import refused
from serving_api.errors import ApiError, InvalidCursor, LimitReached, NotFound
from tests.fixtures.api import Api, Tenant
from tests.fixtures.desk import TO_PEOPLE, Sitter

FETCH = {"Accept-Encoding": "gzip"}
UNKNOWN = "01971c50-7d2e-7a3b-8f10-2c4d5e6f7a8b"


def words_of(answer: httpx.Response) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", answer.text.partition("<main")[2]).split())


@pytest.fixture
def visitor(api: Api) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=api.base_url, headers=TO_PEOPLE) as client:
        yield client


@pytest.mark.parametrize(
    "path",
    ["/desk/nothing", "/desk", "/share/nothing", f"/share/creator/{UNKNOWN}", "/connect", "/x"],
)
def test_a_browser_gets_an_error_page(visitor: httpx.Client, path: str) -> None:
    answer = visitor.get(path)
    if path == "/desk":
        answer = visitor.post(path)
    assert answer.status_code in {404, 405}
    assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
    assert "style-src 'sha256-" in answer.headers["Content-Security-Policy"]
    text = words_of(answer)
    assert "Not found" in text or "Only a form can open this page" in text
    assert "endpoint" not in text
    assert ('href="/desk"' in answer.text) == path.startswith("/desk")


@pytest.mark.parametrize("path", ["/api/v2/nothing", "/api/v2/me", "/api/v3"])
def test_the_api_answers_json_to_a_browser_too(visitor: httpx.Client, path: str) -> None:
    answer = visitor.get(path)
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.json()["data"] is None


def test_a_program_gets_json_errors_whatever_the_path(api: Api) -> None:
    answer = httpx.get(f"{api.base_url}/desk/nothing")
    assert answer.json()["meta"]["code"] == "route_not_found"


@pytest.mark.parametrize(
    ("error", "sentence"),
    [
        (
            InvalidCursor(),
            "This part of the list is no longer available. Start from the first page.",
        ),
        (
            LimitReached("max_api_keys_per_org", current=1, maximum=1),
            "Your plan includes 1 API key. Delete one or upgrade.",
        ),
        (NotFound("{braces} of a name"), "{braces} of a name"),
    ],
)
def test_errors_are_explained_in_words(error: ApiError, sentence: str) -> None:
    assert refused(error) == [sentence]


def length_of(answer: httpx.Response) -> int:
    return int(answer.headers["Content-Length"])


def test_the_reference_is_sent_compressed(api: Api) -> None:
    with httpx.Client(base_url=api.base_url, headers=FETCH) as client:
        page = client.get("/docs")
        loaded = [
            client.get(address)
            for address in page.text.split('"')
            if address.startswith("/docs/swagger")
        ]
    assert len(loaded) == 2
    for answer in (page, *loaded):
        assert answer.headers["Content-Encoding"] == "gzip"
        assert answer.headers["Vary"] == "Accept-Encoding"
    assert sum(map(length_of, (page, *loaded))) < 720_000


@pytest.mark.parametrize(
    ("site", "is_compressed"),
    [
        ("same-origin", True),
        ("none", True),
        ("same-site", False),
        ("cross-site", False),
    ],
)
def test_a_page_with_secrets_is_compressed_for_our_own_pages_alone(
    tenant: Tenant, site: str, is_compressed: bool
) -> None:
    sitter = Sitter(tenant)
    headers = {**FETCH, "Sec-Fetch-Site": site}
    answer = sitter.get(f"{sitter.home}/settings", headers=headers)
    assert (answer.headers.get("Content-Encoding") == "gzip") == is_compressed
    assert 'name="form"' in answer.text
    unsaid = sitter.get(f"{sitter.home}/settings", headers=FETCH)
    assert "Content-Encoding" not in unsaid.headers
