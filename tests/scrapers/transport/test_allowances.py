"""Pauses from a host's own rate limit headers, and secrets that its responses repeat."""

from collections.abc import Callable, Mapping
from typing import Any

import httpx
import pytest

from scrapers.outcomes import Outcome, ScrapeError
from scrapers.transport.client import HttpClient
from scrapers.transport.pacing import Pace

pytestmark = pytest.mark.usefixtures("without_backoff")

SECRET = "invented-secret"


def requested_pause(headers: Mapping[str, str]) -> float:
    return float(headers.get("x-room-in", 0))


@pytest.fixture
def client_of(fake_time: Any, closing: Callable[[Any], Any]) -> Callable[..., HttpClient]:
    def build(*answers: httpx.Response) -> HttpClient:
        remaining = list(answers)
        client: HttpClient = closing(
            HttpClient(
                base_url="https://host.example",
                pace=Pace(1, 1000.0),
                headers={"Authorization": f"Bearer {SECRET}"},
                secrets=(SECRET, "e"),
                usual_pause=50.0,
                requested_pause=requested_pause,
                transport=httpx.MockTransport(lambda _: remaining.pop(0)),
                sleep=fake_time.sleep,
                now=fake_time.now,
            )
        )
        return client

    return build


ClientOf = Callable[..., HttpClient]


async def test_a_requested_pause_delays_the_next_request(
    client_of: ClientOf, fake_time: Any
) -> None:
    client = client_of(httpx.Response(200, headers={"X-Room-In": "40"}), httpx.Response(200))
    await client.get("/a")
    assert fake_time.slept == []
    await client.get("/b")
    assert fake_time.slept == [pytest.approx(40)]


async def test_the_longer_of_two_pauses_counts(client_of: ClientOf, fake_time: Any) -> None:
    headers = {"X-Room-In": "45", "Retry-After": "20"}
    client = client_of(httpx.Response(429, headers=headers), httpx.Response(200))
    await client.get("/a")
    assert fake_time.slept == [pytest.approx(45)]


async def test_the_usual_pause_is_the_hosts_own(client_of: ClientOf, fake_time: Any) -> None:
    client = client_of(httpx.Response(200, text="spent"), httpx.Response(200))
    await client.get("/a")
    with pytest.raises(ScrapeError), client.circuit():
        raise ScrapeError(Outcome.RATE_LIMITED, "spent")
    await client.get("/b")
    assert fake_time.slept == [pytest.approx(50)]


async def test_a_secret_that_an_answer_repeats_is_blotted_out(client_of: ClientOf) -> None:
    answer = await client_of(httpx.Response(200, text=f"<{SECRET}> {SECRET}")).get("/a")
    assert answer.text == "<(secret)> (secret)"


async def test_a_stand_in_of_a_few_letters_leaves_answers_whole(client_of: ClientOf) -> None:
    assert (await client_of(httpx.Response(200, text="here")).get("/a")).text == "here"


async def test_a_failure_shows_no_secret_either(client_of: ClientOf) -> None:
    with pytest.raises(ScrapeError) as error:
        await client_of(*[httpx.Response(503, text="x" * 1990 + SECRET)] * 3).get("/a")
    assert str(error.value.raw_sample).endswith("x" * 10 + "(secret)")
