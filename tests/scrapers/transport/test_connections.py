"""Connections are reused for one request at a time and share their cookies."""

from typing import Any

import httpx
import pytest

from scrapers.transport.connections import Connections


@pytest.fixture
def connections(closing: Any) -> Connections:
    answer = httpx.Response(200, headers={"Set-Cookie": "csrftoken=abc; Path=/"})
    opened: Connections = closing(
        Connections({"X-Own": "y"}, httpx.MockTransport(lambda request: answer))
    )
    return opened


async def test_a_free_connection_is_reused(connections: Connections) -> None:
    with connections.free() as first:
        pass
    with connections.free() as second:
        assert second is first


async def test_concurrent_requests_never_share_one(connections: Connections) -> None:
    with connections.free() as first, connections.free() as second:
        assert second is not first


async def test_a_cookie_set_on_one_is_sent_on_all(connections: Connections) -> None:
    with connections.free() as first, connections.free() as second:
        await first.get("https://host.example/")
        sent = (await second.get("https://host.example/")).request
    assert sent.headers["Cookie"] == "csrftoken=abc"
    assert connections.cookie("csrftoken") == "abc"
    assert connections.cookie("other") is None


async def test_after_a_failure_it_is_free_again(connections: Connections) -> None:
    def fail(client: httpx.AsyncClient) -> None:
        held.append(client)
        raise RuntimeError

    held: list[httpx.AsyncClient] = []
    with pytest.raises(RuntimeError), connections.free() as client:
        fail(client)
    with connections.free() as again:
        assert held == [again]
