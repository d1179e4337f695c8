"""The counters that lists show: one query for a page, of one organization."""

from collections.abc import Iterator
from datetime import UTC, datetime

import duckdb
import pytest

from tests.factories.marts import (
    ORGANIZATION,
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from warehouse.reading import accounts, videos
from warehouse.reading.accounts import AccountCounts
from warehouse.reading.videos import Comparison, VideoCounts

MORNING = datetime(2026, 3, 23, 6, tzinfo=UTC)
EVENING = datetime(2026, 3, 23, 18, tzinfo=UTC)


@pytest.fixture
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    readings = {MORNING: {"view": 5, "like": 2}, EVENING: {"view": 9}}
    history = History(
        videos=[Video("read", readings), Video("new")],
        accounts=[Account("read", {MORNING: 40, EVENING: None}), Account("new")],
    )
    with empty_marts() as connection:
        fill_marts(connection, history)
        yield connection


def test_each_counter_of_a_video_as_last_known_and_when(marts: duckdb.DuckDBPyConnection) -> None:
    read, new = Video("read").id, Video("new").id
    assert videos.latest_counts(marts, ORGANIZATION, [read, new]) == {
        read: VideoCounts(
            9, 2, None, None, None, MORNING, EVENING, EVENING, MORNING, None, None, None
        ),
        new: VideoCounts(*[None] * 12),
    }


def test_an_accounts_counters_as_last_known_and_when(marts: duckdb.DuckDBPyConnection) -> None:
    read = Account("read").id
    assert accounts.latest_counts(marts, ORGANIZATION, [read]) == {
        read: AccountCounts(40, None, None, None, MORNING, EVENING, MORNING, None, None, None)
    }


def test_what_is_unknown_or_of_another_organization_is_left_out(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    other = named("other organization")
    assert videos.latest_counts(marts, other, [Video("read").id]) == {}
    assert accounts.latest_counts(marts, other, [Account("read").id]) == {}
    assert videos.latest_counts(marts, ORGANIZATION, [named("never seen")]) == {}


def test_an_empty_page(marts: duckdb.DuckDBPyConnection) -> None:
    assert videos.latest_counts(marts, ORGANIZATION, []) == {}
    assert accounts.latest_counts(marts, ORGANIZATION, []) == {}


def test_a_video_is_compared_with_its_creators_others() -> None:
    """Ada's four posts, one of which has no likes known; Bob has three."""
    ada, bob = named("ada"), named("bob")
    views = {"a": 900, "b": 100, "c": 200, "d": 400}
    rows = [
        *(
            Video(name, {MORNING: {"view": count, "like": 9}}, creator=ada)
            for name, count in views.items()
        ),
        *(Video(f"bobs {name}", {MORNING: {"view": 50}}, creator=bob) for name in "abc"),
    ]
    with empty_marts() as connection:
        fill_marts(connection, History(videos=rows))
        ids = [Video(name).id for name in ("a", "b", "bobs a")]
        first, second, third = map(videos.comparisons(connection, ORGANIZATION, ids).get, ids)
        assert videos.comparisons(connection, named("other organization"), ids) == {}
    assert first == Comparison(times_median=4.5, engagement_rate=1.0)
    assert second == Comparison(times_median=0.25, engagement_rate=9.0)
    assert third == Comparison(times_median=None, engagement_rate=None)
