"""What is kept for a while: for how long, and how much of it."""

from serving_api.kit.cache import Cache
from tests.factories.machine_clock import StoppedClock


def test_a_value_is_given_until_its_time_is_over() -> None:
    clock = StoppedClock()
    cache: Cache[str] = Cache(10, clock)
    cache.put("key", "value", weight=1, seconds=60)
    clock.now += 59
    assert cache.get("key") == "value"
    clock.now += 1
    assert cache.get("key") is None


def test_what_was_used_longest_ago_makes_room() -> None:
    cache: Cache[int] = Cache(3)
    for number in range(3):
        cache.put(number, number, weight=1, seconds=60)
    assert cache.get(0) == 0
    cache.put(3, 3, weight=1, seconds=60)
    assert [cache.get(number) for number in range(4)] == [0, None, 2, 3]


def test_a_heavy_value_takes_the_room_of_many() -> None:
    cache: Cache[int] = Cache(3)
    for number in range(3):
        cache.put(number, number, weight=1, seconds=60)
    cache.put(3, 3, weight=2, seconds=60)
    assert [cache.get(number) for number in range(4)] == [None, None, 2, 3]


def test_one_that_is_heavier_than_all_room_is_not_kept_and_moves_nothing() -> None:
    cache: Cache[int] = Cache(3)
    cache.put(0, 0, weight=3, seconds=60)
    cache.put(1, 1, weight=4, seconds=60)
    assert (cache.get(0), cache.get(1)) == (0, None)


def test_a_value_put_again_weighs_once_and_is_the_new_one() -> None:
    cache: Cache[int] = Cache(2)
    for value in range(5):
        cache.put("key", value, weight=1, seconds=60)
    cache.put("other", 9, weight=1, seconds=60)
    assert (cache.get("key"), cache.get("other")) == (4, 9)
