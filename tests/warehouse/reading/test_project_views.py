"""A project's views by day; a day before the first known view count is unknown."""

from collections.abc import Mapping
from datetime import date, datetime

import pytest

from tests.factories.instants import at
from tests.factories.marts import (
    ORGANIZATION,
    PROJECT,
    History,
    Video,
    empty_marts,
    fill_marts,
)
from warehouse.reading.project_views import DailyViewsQuery, daily_views

Readings = Mapping[datetime, Mapping[str, int]]


@pytest.mark.parametrize(
    ("readings", "views"),
    [
        ({at(2): {"like": 900}, at(4): {"like": 950}}, [None] * 7),
        (
            {at(2): {"like": 900}, at(4): {"view": 950}, at(5): {"view": 960}},
            [None, None, None, 950, 10, 0, None],
        ),
    ],
)
def test_likes_alone_make_no_views_known(readings: Readings, views: list[int | None]) -> None:
    history = History(videos=[Video("one", readings, posted_at=at(1))], as_of=at(6))
    query = DailyViewsQuery(ORGANIZATION, PROJECT, date(2026, 5, 1), date(2026, 5, 7))
    with empty_marts() as connection:
        fill_marts(connection, history)
        connection.execute("create table marts.publication as select $at as as_of", {"at": at(6)})
        daily = daily_views(connection, query)
    assert [daily.on(date(2026, 5, day)) for day in range(1, 8)] == views


def test_engagement_is_gained_while_tracked() -> None:
    """A post's count at the first reading of a counter is from before tracking."""
    old = {at(3): {"view": 1, "like": 900}, at(4): {"view": 2, "like": 930, "comment": 5}}
    new = {at(3): {"view": 1, "like": 4}}
    history = History(
        videos=[Video("old", old, posted_at=at(1)), Video("new", new, posted_at=at(2))],
        as_of=at(5),
    )
    query = DailyViewsQuery(ORGANIZATION, PROJECT, date(2026, 5, 1), date(2026, 5, 5))
    with empty_marts() as connection:
        fill_marts(connection, history)
        connection.execute("create table marts.publication as select $at as as_of", {"at": at(5)})
        daily = daily_views(connection, query)
    assert {day.day: count for day, count in daily.engagements.items() if count} == {4: 30}
    assert {day.day: count for day, count in daily.posts.items() if count} == {1: 1, 2: 1}
