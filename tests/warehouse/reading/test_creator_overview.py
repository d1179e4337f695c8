"""A creator's totals, days and best posts: counted posts only, null if unknown."""

from collections.abc import Callable
from datetime import date, datetime
from functools import partial
from typing import Any
from uuid import uuid4

import duckdb
import pytest

from tests.factories.instants import at
from tests.factories.marts import (
    CREATOR,
    ORGANIZATION,
    Account,
    History,
    Video,
    create_marts,
    fill_marts,
    named,
)
from warehouse.reading.creator_overview import (
    DayOfViews,
    creator_totals,
    top_videos,
    views_by_day,
)

Fill = Callable[..., duckdb.DuckDBPyConnection]


@pytest.fixture
def fill() -> Fill:
    connection = duckdb.connect()
    create_marts(connection)

    def filled(*videos: Video, accounts: Any = ()) -> duckdb.DuckDBPyConnection:
        fill_marts(connection, History(videos=list(videos), accounts=list(accounts)))
        return connection

    return filled


def daily_views(
    connection: duckdb.DuckDBPyConnection, first: int, last: int, zone: str = "UTC"
) -> list[DayOfViews]:
    views = views_by_day(
        connection,
        ORGANIZATION,
        CREATOR,
        from_day=date(2026, 5, first),
        to_day=date(2026, 5, last),
        zone=zone,
    )
    assert [point.day.day for point in views] == list(range(first, last + 1))
    return views


def days(connection: duckdb.DuckDBPyConnection, first: int, last: int) -> list[int | None]:
    """Return the value of the series on each day."""
    return [
        None if point.gained is None else point.gained + point.had_before
        for point in daily_views(connection, first, last)
    ]


def test_a_day_is_null_before_views_are_known_and_without_a_reading(fill: Fill) -> None:
    counts = {at(2): {"like": 5}, at(3): {"view": 100}, at(5): {"view": 80}}
    connection = fill(Video("one", counts, posted_at=at(1)))
    assert days(connection, 1, 6) == [None, None, 100, None, -20, None]


def test_days_may_be_after_the_last_reading(fill: Fill) -> None:
    connection = fill(Video("one", {at(1): {"view": 100}}))
    assert days(connection, 3, 4) == [None, None]


followed = partial(Video, account=named("account"))
"""A post of the account."""


def apart(connection: duckdb.DuckDBPyConnection, first: int, last: int) -> list[tuple[Any, int]]:
    return [(point.gained, point.had_before) for point in daily_views(connection, first, last)]


def test_views_before_tracking_are_separate_from_gains(fill: Fill) -> None:
    connection = fill(
        followed("older", {at(2): {"view": 900}, at(3): {"view": 950}}, posted_at=at(1)),
        followed("new, first read a day later", {at(4): {"view": 40}}, posted_at=at(3)),
        accounts=[Account("account", {at(2): 10})],
    )
    assert apart(connection, 1, 4) == [(None, 0), (0, 900), (50, 0), (40, 0)]


@pytest.mark.parametrize(
    ("posted_at", "views", "followers", "expected"),
    [
        (at(1), 700, 10, (0, 700)),
        (at(3), 12, 0, (12, 0)),
        (None, 700, 10, (0, 700)),
    ],
    ids=["older and found late", "the first of its account", "of unknown age"],
)
def test_a_post_that_is_first_read_on_the_fourth(
    fill: Fill, posted_at: datetime | None, views: int, followers: int, expected: tuple[int, int]
) -> None:
    connection = fill(
        followed("late", {at(4): {"view": views}}, posted_at=posted_at),
        accounts=[Account("account", {at(2): followers})],
    )
    assert apart(connection, 3, 4) == [(None, 0), expected]


def test_views_first_shown_a_day_later_are_also_from_before(fill: Fill) -> None:
    shown_at_once = {at(2): {"view": 900, "like": 5}, at(3): {"view": 950}}
    shown_later = {at(2): {"like": 7}, at(3): {"view": 1_500_000}, at(4): {"view": 1_500_020}}
    connection = fill(
        followed("shown at once", shown_at_once, posted_at=at(1)),
        followed("shown later", shown_later, posted_at=at(1)),
        accounts=[Account("account", {at(2): 10})],
    )
    assert apart(connection, 2, 4) == [(0, 900), (50, 1_500_000), (20, 0)]


def test_totals_are_the_last_known_counts_of_counted_posts(fill: Fill) -> None:
    connection = fill(
        Video("one", {at(1): {"view": 100, "like": 7}, at(3): {"view": 150}}),
        Video("two", {at(2): {"view": 30}}),
        Video("not counted", {at(4): {"view": 5000}}, is_counted=False),
        accounts=[Account("account", {at(2): 10, at(3): 12})],
    )
    totals = creator_totals(connection, ORGANIZATION, CREATOR)
    assert (totals.views, totals.likes, totals.comments) == (180, 7, None)
    assert (totals.followers, totals.videos, totals.last_read_at) == (12, 2, at(3))


def test_a_creator_without_readings_has_null_totals(fill: Fill) -> None:
    connection = fill()
    assert creator_totals(connection, ORGANIZATION, CREATOR) is None
    assert days(connection, 1, 2) == [None, None]


def test_top_videos_are_counted_ones_whose_views_are_known(fill: Fill) -> None:
    connection = fill(
        Video("small", {at(1): {"view": 1, "like": 9}}),
        Video("large", {at(1): {"view": 9, "comment": 2}}),
        Video("unknown", {at(1): {"like": 99}}),
        Video("not counted", {at(1): {"view": 99}}, is_counted=False),
        Video("other's", {at(1): {"view": 99}}, creator=uuid4()),
    )
    top = top_videos(connection, ORGANIZATION, CREATOR, 10)
    assert [(video.video_id, video.view_count) for video in top] == [
        (named("large"), 9),
        (named("small"), 1),
    ]
    assert (top[0].like_count, top[0].comment_count) == (None, 2)
    assert top_videos(connection, ORGANIZATION, CREATOR, 1) == top[:1]


def test_views_have_a_time_only_if_other_counters_are_newer(fill: Fill) -> None:
    connection = fill(
        Video("moving", {at(1): {"view": 3, "like": 1}, at(2): {"view": 4}}),
        Video("standing", {at(1): {"view": 2, "like": 1}, at(2): {"like": 5}, at(3): {"save": 1}}),
        Video("read once", {at(1): {"view": 1, "like": 1}}),
    )
    top = top_videos(connection, ORGANIZATION, CREATOR, 10)
    assert [video.views_as_of for video in top] == [None, at(1), None]


def test_another_organization_sees_nothing(fill: Fill) -> None:
    connection = fill(Video("one", {at(1): {"view": 100}}))
    stranger = uuid4()
    assert creator_totals(connection, stranger, CREATOR) is None
    assert top_videos(connection, stranger, CREATOR, 10) == []
