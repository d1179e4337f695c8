"""Sliding windows of a minute, in memory and in Redis."""

import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from uuid import uuid4

import pytest

from serving_api.rate_limit import windows as module
from serving_api.rate_limit.allowances import network_of
from serving_api.rate_limit.windows import MemoryWindows, RedisWindows, Windows
from tests.fixtures.redis import redis_url

__all__ = ["redis_url"]


class Watch:
    """A clock that the test sets."""

    def __init__(self) -> None:
        self.seconds = 1000.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def watch() -> Watch:
    return Watch()


def takes(windows: Windows, number: int, identity: str = "a") -> list[int]:
    return [windows.consume("bucket", identity, 3) for _ in range(number)]


def test_the_limit_of_a_minute_is_exact(watch: Watch) -> None:
    assert takes(MemoryWindows(watch), 5) == [0, 0, 0, 60, 60]


def test_the_window_slides(watch: Watch) -> None:
    """Consumed at 0, 10 and 20 s: there is room for one at 60 s, for another at 70 s."""
    windows = MemoryWindows(watch)
    for _ in range(3):
        assert windows.consume("bucket", "a", 3) == 0
        watch.seconds += 10
    assert takes(windows, 1) == [30]
    watch.seconds += 29.5
    assert takes(windows, 1) == [1]
    watch.seconds += 0.5
    assert takes(windows, 2) == [0, 10]


def test_refused_requests_do_not_count(watch: Watch) -> None:
    windows = MemoryWindows(watch)
    takes(windows, 3)
    watch.seconds += 59
    takes(windows, 50)
    watch.seconds += 1
    assert takes(windows, 3) == [0, 0, 0]


def test_everyone_has_a_window_of_their_own(watch: Watch) -> None:
    windows = MemoryWindows(watch)
    takes(windows, 3)
    assert takes(windows, 1, "b") == [0]
    assert windows.consume("another", "a", 3) == 0


def test_idle_identities_are_dropped(watch: Watch) -> None:
    windows = MemoryWindows(watch)
    for number in range(1000):
        windows.consume("bucket", str(number), 3)
    watch.seconds += 61
    windows.consume("bucket", "a", 3)
    assert sum(map(len, windows._buckets.values())) == 1


def allowed_requests(make: Callable[[], Windows], threads: int) -> int:
    identity = uuid4().hex
    shared = [make() for _ in range(2)] if threads == 0 else [make()] * 2
    with ThreadPoolExecutor(16) as pool:
        waits = list(pool.map(lambda n: shared[n % 2].consume("crowd", identity, 60), range(300)))
    return waits.count(0)


def test_concurrent_threads_stay_within_the_limit_in_memory() -> None:
    assert allowed_requests(MemoryWindows, 16) == 60


def test_concurrent_requests_to_two_processes_share_the_limit_in_redis(redis_url: str) -> None:
    assert allowed_requests(lambda: RedisWindows(redis_url), 0) == 60


def test_redis_returns_the_time_to_wait(redis_url: str) -> None:
    windows = RedisWindows(redis_url)
    assert takes(windows, 3, "redis") == [0, 0, 0]
    assert 55 <= takes(windows, 1, "redis")[0] <= 60


def test_without_redis_each_process_counts_for_itself() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        windows = RedisWindows(f"redis://127.0.0.1:{probe.getsockname()[1]}/0")
        assert takes(windows, 4) == [0, 0, 0, 60]


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("testclient", "testclient"),
    ],
)
def test_an_address_counts_as_what_one_person_has(address: str, network: str) -> None:
    assert network_of(address) == network


def test_endless_addresses_take_limited_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The address idle for longest is dropped, and no identity of another bucket."""
    monkeypatch.setattr(module, "MOST_IDENTITIES", 3)
    windows = MemoryWindows(now=lambda: 0.0)
    assert windows.consume("key", "k", 1) == 0
    for identity in ("a", "b", "a", "c", "d"):
        windows.consume("address", identity, 2)
    assert windows.consume("key", "k", 1) == 60
    assert windows.consume("address", "a", 2) == 60
    assert list(windows._buckets["address"]) == ["c", "d", "a"]
