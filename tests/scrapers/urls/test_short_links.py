"""Short links cost one bounded request to the platform's host; foreign targets are unresolved."""

import gzip
from collections.abc import Callable
from time import process_time
from typing import ClassVar

import httpx
import pytest

from scrapers.urls import ShortLinks, TooManyShortLinks

SHORT = "https://vm.tiktok.com/ZMabc123/"
VIDEO = "https://www.tiktok.com/@demo.creator/video/7682837474828885294"


class Recorder:
    def __init__(self, answer: Callable[[httpx.Request], httpx.Response]) -> None:
        self.answer = answer
        self.requests: list[httpx.Request] = []
        self.client = httpx.Client(transport=httpx.MockTransport(self))

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answer(request)

    @property
    def urls(self) -> list[str]:
        return [str(request.url) for request in self.requests]


def redirecting(target: str, status: int = 301) -> Recorder:
    return Recorder(lambda _: httpx.Response(status, headers={"Location": target}))


def test_the_target_comes_from_one_request_without_its_query() -> None:
    site = redirecting(f"{VIDEO}?_r=1&_t=abc")
    assert ShortLinks(site.client).resolve("vm.tiktok.com/ZMabc123") == VIDEO
    assert site.urls == [SHORT]
    assert site.requests[0].headers["User-Agent"].startswith("creator-tracker/")


def test_a_page_with_one_anchor_is_a_redirect() -> None:
    site = Recorder(lambda _: httpx.Response(200, html=f'<p><a href="{VIDEO}?x=1">Go</a></p>'))
    assert ShortLinks(site.client).resolve(SHORT) == VIDEO


def test_a_page_with_several_anchors_is_unresolved() -> None:
    page = f'<p><a href="https://www.tiktok.com/@another">Trending</a><a href="{VIDEO}">Go</a></p>'
    site = Recorder(lambda _: httpx.Response(200, html=page))
    assert ShortLinks(site.client).resolve(SHORT) is None


@pytest.mark.parametrize(
    ("link", "target"),
    [
        (SHORT, "https://www.tiktok.com/?_r=1"),
        (SHORT, "https://www.tiktok.com/"),
        (SHORT, "https://www.tiktok.com/login?redirect_url=x"),
        (SHORT, "http://127.0.0.1:9200/_cluster"),
        (SHORT, "http://169.254.169.254/latest/meta-data"),
        (SHORT, "https://www.instagram.com/demo.creator/"),
        (SHORT, "https://www.tiktok.com:99999/@demo"),
        (SHORT, "file:///etc/passwd"),
        (SHORT, "snssdk1233:aweme/detail/1"),
        (
            "https://www.instagram.com/share/reel/BAabc123x",
            "https://www.instagram.com/accounts/login/?next=/reel/x/",
        ),
        (
            "https://www.instagram.com/share/reel/BAabc123x",
            "https://www.instagram.com/challenge/?next=/",
        ),
    ],
)
def test_dead_links_login_walls_and_foreign_targets_are_unresolved(link: str, target: str) -> None:
    site = redirecting(target)
    assert ShortLinks(site.client).resolve(link) is None
    assert len(site.requests) == 1


def test_a_platform_that_does_not_answer_leaves_the_link_unresolved() -> None:
    def refuse(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused", request=request)

    assert ShortLinks(Recorder(refuse).client).resolve(SHORT) is None


@pytest.mark.parametrize("status", [200, 301, 304, 404, 429, 500])
def test_an_answer_without_a_target_leaves_the_link_unresolved(status: int) -> None:
    site = Recorder(lambda _: httpx.Response(status, html="<p>nothing here</p>"))
    assert ShortLinks(site.client).resolve(SHORT) is None


def test_an_endless_page_is_read_to_a_bound_only() -> None:
    served = 0

    def endless() -> httpx.SyncByteStream:
        class Stream(httpx.SyncByteStream):
            def __iter__(self):  # type: ignore[no-untyped-def]
                nonlocal served
                while True:
                    served += 4096
                    yield b" " * 4096

        return Stream()

    site = Recorder(lambda _: httpx.Response(200, stream=endless()))
    assert ShortLinks(site.client).resolve(SHORT) is None
    assert served <= 128 * 1024


def test_a_malicious_page_is_read_in_linear_time() -> None:
    site = Recorder(lambda _: httpx.Response(200, html="<a " * 20_000))
    began = process_time()
    assert ShortLinks(site.client).resolve(SHORT) is None
    assert process_time() - began < 1


def test_a_page_compressed_twice_is_not_read() -> None:
    page = gzip.compress(gzip.compress(f'<a href="{VIDEO}">Go</a>'.encode()))
    headers = {"Content-Encoding": "gzip, gzip"}
    site = Recorder(lambda _: httpx.Response(200, stream=httpx.ByteStream(page), headers=headers))
    assert ShortLinks(site.client).resolve(SHORT) is None


def test_other_text_costs_no_request() -> None:
    site = redirecting(VIDEO)
    assert ShortLinks(site.client).resolve(VIDEO) is None
    assert ShortLinks(site.client).resolve("https://example.org/t/ZTabc123/") is None
    assert site.requests == []


def test_links_followed_ahead_are_resolved_without_asking() -> None:
    site = redirecting(VIDEO)
    links = ShortLinks(site.client)
    texts = ["demo.creator", *(f"vm.tiktok.com/ZMabc{number}" for number in range(11))]
    links.follow(links.among(texts))
    assert len(site.requests) == 10
    assert [links.resolve(text) for text in texts[1:11]] == [VIDEO] * 10
    assert len(site.requests) == 10


def test_an_eleventh_link_is_not_requested() -> None:
    site = redirecting(VIDEO)
    links = ShortLinks(site.client)
    for number in range(10):
        links.resolve(f"vm.tiktok.com/ZMabc{number}")
    with pytest.raises(TooManyShortLinks):
        links.resolve(SHORT)
    assert len(site.requests) == 10


class TestAnotherBaseUrl:
    BASES: ClassVar = {
        "tiktok": "http://127.0.0.1:9000/tiktok",
        "instagram": "http://127.0.0.1:9000/ig/",
    }

    @pytest.mark.parametrize(
        ("link", "address"),
        [
            (SHORT, "http://127.0.0.1:9000/tiktok/t/ZMabc123/"),
            ("https://www.tiktok.com/t/ZTabc123/", "http://127.0.0.1:9000/tiktok/t/ZTabc123/"),
            (
                "https://www.instagram.com/share/reel/BAabc123x",
                "http://127.0.0.1:9000/ig/share/reel/BAabc123x/",
            ),
        ],
    )
    def test_all_hosts_of_a_platform_are_reached_under_it(self, link: str, address: str) -> None:
        site = redirecting("https://www.tiktok.com/@demo.creator")
        ShortLinks(site.client, base_urls=self.BASES).resolve(link)
        assert site.urls == [address]

    @pytest.mark.parametrize(
        "target",
        [
            "https://www.tiktok.com/@demo.creator?_r=1",
            "http://127.0.0.1:9000/tiktok/@demo.creator",
            "/tiktok/@demo.creator",
        ],
    )
    def test_its_targets_read_as_the_platforms_own(self, target: str) -> None:
        links = ShortLinks(redirecting(target).client, base_urls=self.BASES)
        assert links.resolve(SHORT) == "https://www.tiktok.com/@demo.creator"
