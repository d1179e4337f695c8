"""The counters of list pages: one query per page, for one organization."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import duckdb
import pytest

from tests.factories.marts import (
    ORGANIZATION,
    PROJECT,
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


def test_unknown_entities_and_other_organizations_are_left_out(
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
    """Ada's four posts, one without known likes; Bob has three."""
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


def test_videos_take_off_at_three_times_their_creators_median_and_1000_views(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ada's median without the video itself is 1,000; Bob's is 300, and one of his has 1,000 now.

    It is 02:00 on 23 March in New York, where the first of seven days begins at 04:00 UTC.
    """
    ada, bob = named("ada"), named("bob")
    views = {"most": 4_000, "just": 3_000, "under": 2_999, "first": 5_000, "old": 9_000}
    views |= {"low": 1_000, **{f"other {number}": 1_000 for number in range(6)}}
    first = datetime(2026, 3, 17, 4, tzinfo=UTC)
    posted = {"first": first, "old": first - timedelta(seconds=1)}
    rows = [
        *(
            Video(
                name,
                {MORNING: {"view": count}},
                creator=ada,
                posted_at=posted.get(name, MORNING),
            )
            for name, count in views.items()
        ),
        *(
            Video(f"bobs {n}", {MORNING: {"view": n}}, creator=bob, posted_at=MORNING)
            for n in (999, 1_000, 299, 300, 301)
        ),
    ]
    ids = (ORGANIZATION, PROJECT)
    with empty_marts() as connection:
        fill_marts(connection, History(videos=rows, org_zone="America/New_York"))
        connection.execute("create table marts.publication as select $at as as_of", {"at": MORNING})
        risen = videos.rising_videos(connection, ids)
        monkeypatch.setattr(videos, "MOST_RISING", 1)
        assert videos.rising_videos(connection, ids) == risen[:1]
        assert videos.rising_videos(connection, (named("other"), PROJECT)) == []
        assert videos.rising_videos(connection, (ORGANIZATION, named("other"))) == []
    assert [(each.video_id, each.times_median) for each in risen] == [
        (Video("first").id, 5),
        (Video("most").id, 4),
        (Video("bobs 1000").id, 1_000 / 300.5),
        (Video("just").id, 3),
    ]
