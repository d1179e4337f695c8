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
from warehouse.reading.videos import VideoCounts

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
