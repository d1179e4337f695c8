"""Requests identify themselves, are bounded and retry; failures are a ScrapeError."""

import asyncio
import gzip
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import httpx
import pytest

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.refusing import HALF
from scrapers.transport.answer import LARGEST_BODY
from scrapers.transport.breaker import SECONDS_OPEN, BackingOffError
from scrapers.transport.client import USUAL_PAUSE, HttpClient
from scrapers.transport.pacing import Pace
from scrapers.transport.retry import ATTEMPTS

pytestmark = pytest.mark.usefixtures("without_backoff")

Handler = Callable[[httpx.Request], httpx.Response]


class Site:
    """A host that gives its answers in turn, then repeats the last one."""

    def __init__(self, *answers: httpx.Response | Exception) -> None:
        self.answers = list(answers)
        self.requests: list[httpx.Request] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        answer = self.answers[0] if len(self.answers) == 1 else self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer


@pytest.fixture
def client_of(fake_time: Any, closing: Callable[[Any], Any]) -> Callable[..., HttpClient]:
    def build(site: Handler, base_url: str = "https://host.example/base/") -> HttpClient:
        client: HttpClient = closing(
            HttpClient(
                base_url=base_url,
                pace=Pace(4, 1000.0),
                headers={"Accept-Language": "en"},
                transport=httpx.MockTransport(site),
                sleep=fake_time.sleep,
                now=fake_time.now,
            )
        )
        return client

    return build


ClientOf = Callable[..., HttpClient]


async def test_a_request_has_a_user_agent_and_accept_headers(client_of: ClientOf) -> None:
    site = Site(httpx.Response(200, text="hello"))
    answer = await client_of(site).get("/page", params={"a": "1"}, headers={"X-Own": "y"})
    sent = site.requests[0]
    assert answer.text == "hello"
    assert str(sent.url) == "https://host.example/base/page?a=1"
    assert sent.headers["User-Agent"].startswith("creator-tracker/")
    assert sent.headers["Accept-Encoding"] == "gzip, deflate"
    assert (sent.headers["Accept-Language"], sent.headers["X-Own"]) == ("en", "y")


async def test_a_form_is_sent_as_a_form(client_of: ClientOf) -> None:
    site = Site(httpx.Response(200))
    await client_of(site).post("/query", form={"doc_id": "1"})
    assert site.requests[0].method == "POST"
    assert site.requests[0].read() == b"doc_id=1"


@pytest.mark.parametrize("status", [200, 400, 401, 403, 404])
async def test_every_status_is_returned(client_of: ClientOf, status: int) -> None:
    site = Site(httpx.Response(status, text="body"))
    answer = await client_of(site).get("/page")
    assert (answer.status, answer.text, len(site.requests)) == (status, "body", 1)


class TestRedirects:
    @pytest.mark.parametrize(
        ("location", "path", "stays"),
        [
            ("https://host.example/base/login?x=1", "/login", True),
            ("/base/", "/", True),
            ("https://host.example/base", "", True),
            ("https://host.example/base?x=1", "", True),
            ("https://host.example/based/x", "/based/x", False),
            ("/elsewhere/login", "/elsewhere/login", False),
            ("https://other.example/login", "/login", False),
            ("https://host.example.org/base/x", "/base/x", False),
        ],
    )
    async def test_they_are_shown_and_not_followed(
        self, client_of: ClientOf, location: str, path: str, stays: bool
    ) -> None:
        site = Site(httpx.Response(302, headers={"Location": location}))
        answer = await client_of(site).get("/page")
        assert (answer.redirect_path, answer.stays_on_site) == (path, stays)
        assert len(site.requests) == 1

    @pytest.mark.parametrize(
        "location", ["https://[::1/", "https:foo", "snssdk1233:aweme/detail/1", "https://xn--/"]
    )
    async def test_an_invalid_one_is_a_failure(self, client_of: ClientOf, location: str) -> None:
        site = Site(httpx.Response(302, headers={"Location": location}))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert error.value.outcome is Outcome.UNREACHABLE


class TestRetries:
    @pytest.mark.parametrize(
        "failure",
        [
            httpx.ConnectError("refused"),
            httpx.ConnectTimeout("slow"),
            httpx.ReadTimeout("slow"),
            httpx.ReadError("reset"),
            httpx.RemoteProtocolError("closed early"),
            httpx.Response(500),
            httpx.Response(503),
        ],
    )
    async def test_a_transient_fault_is_retried(
        self, client_of: ClientOf, failure: httpx.Response | Exception
    ) -> None:
        site = Site(failure, httpx.Response(200, text="fine"))
        assert (await client_of(site).get("/page")).text == "fine"

    @pytest.mark.parametrize("failure", [httpx.ConnectError("refused"), httpx.Response(502)])
    async def test_a_lasting_fault_is_unreachable_after_some_tries(
        self, client_of: ClientOf, failure: httpx.Response | Exception
    ) -> None:
        site = Site(failure)
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert error.value.outcome is Outcome.UNREACHABLE
        assert len(site.requests) == ATTEMPTS

    async def test_a_client_fault_is_not_retried(self, client_of: ClientOf) -> None:
        site = Site(httpx.UnsupportedProtocol("gopher"))
        with pytest.raises(ScrapeError):
            await client_of(site).get("/page")
        assert len(site.requests) == 1

    async def test_the_status_and_a_sample_of_a_refusal_are_stored(
        self, client_of: ClientOf
    ) -> None:
        site = Site(httpx.Response(503, text="maintenance"))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert (error.value.http_status, error.value.raw_sample) == (503, "maintenance")


class TestRateLimits:
    async def test_retry_after_pauses_the_host_before_the_next_try(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        site = Site(httpx.Response(429, headers={"Retry-After": "7"}), httpx.Response(200))
        await client_of(site).get("/page")
        assert sum(fake_time.slept) == pytest.approx(7, abs=0.01)

    @pytest.mark.parametrize("value", [None, "soon", "-5", "1e9"])
    async def test_without_a_clear_retry_after_the_pause_is_the_usual_one(
        self, client_of: ClientOf, fake_time: Any, value: str | None
    ) -> None:
        headers = {"Retry-After": value} if value else {}
        site = Site(httpx.Response(429, headers=headers), httpx.Response(200))
        await client_of(site).get("/page")
        assert sum(fake_time.slept) == pytest.approx(USUAL_PAUSE, abs=0.01)

    async def test_a_date_in_the_past_asks_for_no_pause(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        headers = {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}
        site = Site(httpx.Response(429, headers=headers), httpx.Response(200))
        await client_of(site).get("/page")
        assert sum(fake_time.slept) < 0.01

    async def test_a_long_retry_after_ends_the_fetch_and_every_other_one(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        site = Site(httpx.Response(429, headers={"Retry-After": "900"}))
        client = client_of(site)
        for _ in range(3):
            with pytest.raises(ScrapeError) as error:
                await client.get("/page")
            assert error.value.outcome is Outcome.RATE_LIMITED
        assert len(site.requests) == 1
        assert sum(fake_time.slept) < 0.01

    async def test_a_host_that_keeps_limiting_ends_the_fetch(self, client_of: ClientOf) -> None:
        site = Site(httpx.Response(429, headers={"Retry-After": "1"}))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert (error.value.outcome, error.value.http_status) == (Outcome.RATE_LIMITED, 429)
        assert len(site.requests) == ATTEMPTS

    async def test_a_rate_limit_in_the_body_also_pauses_the_host(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        client = client_of(Site(httpx.Response(200)))
        with pytest.raises(ScrapeError), client.circuit():
            raise ScrapeError(Outcome.RATE_LIMITED, "too many queries")
        await client.get("/page")
        assert sum(fake_time.slept) == pytest.approx(USUAL_PAUSE, abs=0.01)


class TestBackingOff:
    async def test_consecutive_failures_stop_requests(self, client_of: ClientOf) -> None:
        site = Site(httpx.Response(500))
        client = client_of(site)
        for _ in range(HALF + 5):
            with pytest.raises(ScrapeError) as error, client.circuit():
                await client.get("/page")
            assert error.value.outcome is Outcome.UNREACHABLE
        assert len(site.requests) == ATTEMPTS + HALF - 1

    async def test_refusals_read_from_good_answers_count_as_well(self, client_of: ClientOf) -> None:
        async def challenged(client: HttpClient) -> None:
            with client.circuit():
                await client.get("/page")
                raise ScrapeError(Outcome.CHALLENGED, "challenge page")

        site = Site(httpx.Response(200, text="challenge"))
        client = client_of(site)
        for _ in range(HALF + 5):
            with pytest.raises(ScrapeError) as error:
                await challenged(client)
            assert error.value.outcome is Outcome.CHALLENGED
        assert len(site.requests) == HALF


class TestTrial:
    """A fetch may need several requests: a repeated page, a redirect, a retry."""

    @staticmethod
    async def fetches(client: HttpClient, *answers: Outcome) -> None:
        for outcome in answers:
            with suppress(ScrapeError), client.circuit():
                await client.get("/page")
                raise ScrapeError(outcome, "a wall")

    async def test_it_may_take_more_than_one_request(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        site = Site(httpx.Response(200))
        client = client_of(site)
        await self.fetches(client, *[Outcome.CHALLENGED] * HALF)
        fake_time.seconds += SECONDS_OPEN
        with client.circuit():
            await client.get("/page")
            other = asyncio.create_task(client.get("/page"))
            with pytest.raises(BackingOffError):
                await other
            await client.get("/moved")
        await client.get("/page")
        assert len(site.requests) == HALF + 3

    async def test_its_retries_belong_to_it(self, client_of: ClientOf, fake_time: Any) -> None:
        site = Site(httpx.Response(200))
        client = client_of(site)
        await self.fetches(client, *[Outcome.CHALLENGED] * HALF)
        fake_time.seconds += SECONDS_OPEN
        site.answers = [httpx.Response(503), httpx.Response(200)]
        with client.circuit():
            assert (await client.get("/page")).status == 200


class TestMissingInBulk:
    async def test_behind_a_known_wall_no_account_is_gone(
        self, client_of: ClientOf, fake_time: Any
    ) -> None:
        site = Site(httpx.Response(404))
        client = client_of(site)

        async def missing(account: str) -> None:
            with client.circuit(known=account):
                await client.get("/page")
                raise ScrapeError(Outcome.NOT_FOUND, "there is none")

        async def fetch(account: str) -> Outcome:
            with pytest.raises(ScrapeError) as error:
                await missing(account)
            return error.value.outcome

        outcomes = [await fetch(f"@{number}") for number in range(HALF + 1)]
        for _ in range(3):
            fake_time.seconds += SECONDS_OPEN
            outcomes.append(await fetch("@the.trial"))
        assert outcomes == [Outcome.NOT_FOUND] * HALF + [Outcome.BLOCKED_SILENT] * 4
        assert len(site.requests) == HALF + 3


class TestBounds:
    async def test_an_answer_larger_than_any_real_one_is_not_read_to_its_end(
        self, client_of: ClientOf
    ) -> None:
        served = 0

        async def flood() -> AsyncIterator[bytes]:
            nonlocal served
            for _ in range(32):
                served += 1 << 20
                yield b"x" * (1 << 20)

        site = Site(httpx.Response(200, content=flood()))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert error.value.outcome is Outcome.SCHEMA_CHANGED
        assert served <= LARGEST_BODY + (2 << 20)

    async def test_a_compressed_flood_counts_by_its_decoded_size(self, client_of: ClientOf) -> None:
        body = gzip.compress(b"\0" * (LARGEST_BODY + 1))
        site = Site(httpx.Response(200, content=body, headers={"Content-Encoding": "gzip"}))
        with pytest.raises(ScrapeError):
            await client_of(site).get("/page")

    async def test_a_body_compressed_twice_is_not_decoded(self, client_of: ClientOf) -> None:
        body = gzip.compress(gzip.compress(b"fine"))
        headers = {"Content-Encoding": "gzip, gzip"}
        site = Site(httpx.Response(200, stream=httpx.ByteStream(body), headers=headers))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert error.value.outcome is Outcome.SCHEMA_CHANGED

    async def test_a_body_that_contradicts_its_header_is_a_failure(
        self, client_of: ClientOf
    ) -> None:
        async def broken() -> AsyncIterator[bytes]:
            yield b"not gzip"

        headers = {"Content-Encoding": "gzip"}
        site = Site(httpx.Response(200, content=broken(), headers=headers))
        with pytest.raises(ScrapeError) as error:
            await client_of(site).get("/page")
        assert error.value.outcome is Outcome.UNREACHABLE

    async def test_invalid_text_bytes_are_replaced(self, client_of: ClientOf) -> None:
        site = Site(httpx.Response(200, content=b"\xff\xfeok"))
        assert (await client_of(site).get("/page")).text == "��ok"


async def test_cookies_that_the_host_sets_can_be_read(client_of: ClientOf) -> None:
    site = Site(httpx.Response(200, headers={"Set-Cookie": "csrftoken=abc; Path=/"}))
    client = client_of(site)
    assert client.cookie("csrftoken") is None
    await client.get("/page")
    assert client.cookie("csrftoken") == "abc"
