"""Views from before tracking for each entity with a page, and leaderboards without them."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, time, timedelta
from uuid import UUID

import duckdb
import pytest

from tests.factories.instants import at
from tests.factories.marts import (
    CAMPAIGN,
    CREATOR,
    ORGANIZATION,
    PROJECT,
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from warehouse.reading.before_tracking import (
    BeforeTrackingQuery,
    Tracked,
    views_before_tracking,
)
from warehouse.reading.campaign_costs import VIEWS, CostsQuery
from warehouse.reading.leaderboards import LeaderboardQuery, RankedEntity, leaderboard

EVE = named("eve")


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    later = {at(2): {"like": 7}, at(3, 23): {"view": 5_000}, at(4): {"view": 5_020}}
    history = History(
        videos=[
            Video("old", {at(2): {"view": 900}, at(4): {"view": 950}}, posted_at=at(1)),
            Video("later", later, posted_at=at(1), in_campaign=False),
            Video("new", {at(3): {"view": 60}}, posted_at=at(2), account=named("account")),
            Video("left out", {at(3): {"view": 7}}, is_counted=False),
            Video("eves", {at(3): {"view": 30}, at(4): {"view": 100}}, creator=EVE),
        ],
        accounts=[Account("account", {at(1): 10})],
        as_of=at(5),
    )
    with empty_marts() as connection:
        fill_marts(connection, history)
        connection.execute("create table marts.publication as select $at as as_of", {"at": at(5)})
        yield connection


@pytest.mark.parametrize(
    ("entity", "entity_id", "zone", "views"),
    [
        ("project", PROJECT, "UTC", {2: 900, 3: 5_030}),
        ("creator", CREATOR, "UTC", {2: 900, 3: 5_000}),
        ("creator", CREATOR, "Asia/Kolkata", {2: 900, 4: 5_000}),
        ("campaign", CAMPAIGN, "UTC", {2: 900, 3: 30}),
        ("video", named("left out"), "UTC", {3: 7}),
        ("video", named("new"), "UTC", {}),
    ],
)
def test_views_count_on_the_day_they_were_first_known(
    marts: duckdb.DuckDBPyConnection,
    entity: Tracked,
    entity_id: UUID,
    zone: str,
    views: dict[int, int],
) -> None:
    days = (date(2026, 5, 1), date(2026, 5, 5))
    query = BeforeTrackingQuery(ORGANIZATION, entity, entity_id, *days, zone)
    counts = views_before_tracking(marts, query)
    assert {day.day: count for day, count in counts.items()} == views


def test_days_bound_them(marts: duckdb.DuckDBPyConnection) -> None:
    third = date(2026, 5, 3)
    query = BeforeTrackingQuery(ORGANIZATION, "creator", CREATOR, third, third, "UTC")
    assert views_before_tracking(marts, query) == {third: 5_000}
    other = BeforeTrackingQuery(named("other"), "creator", CREATOR, third, third, "UTC")
    assert views_before_tracking(marts, other) == {}


def test_a_day_that_shows_midnight_twice_begins_at_the_first() -> None:
    """Havana turns its clocks back from 1:00 to 0:00."""
    first = datetime(2026, 11, 1, 4, 30, tzinfo=UTC)
    history = History(
        videos=[Video("old", {first: {"view": 900}}, posted_at=at(1))],
        accounts=[],
        as_of=datetime(2026, 11, 2, tzinfo=UTC),
    )
    with empty_marts() as connection:
        fill_marts(connection, history)
        views_by_day = {
            day.day: views_before_tracking(
                connection,
                BeforeTrackingQuery(ORGANIZATION, "creator", CREATOR, day, day, "America/Havana"),
            )
            for day in (date(2026, 10, 31), date(2026, 11, 1))
        }
    assert views_by_day == {31: {}, 1: {date(2026, 11, 1): 900}}


def test_views_of_a_campaigns_creators_are_their_own(marts: duckdb.DuckDBPyConnection) -> None:
    """On 3 May, Eve's post is first read with 30 views, and another creator's new post gains 60."""
    third = date(2026, 5, 3)
    query = CostsQuery(ORGANIZATION, (CAMPAIGN,), third, third, "USD")
    rows = marts.execute(VIEWS, query.parameters).fetchall()
    expected = {CREATOR: [60, 0], EVE: [30, 30]}
    assert {creator: figures for _, creator, _, *figures in rows} == expected
    rows = marts.execute(VIEWS, replace(query, by_creator=False).parameters).fetchall()
    assert rows == [(CAMPAIGN, None, third, 90, 30)]


@pytest.mark.parametrize(
    ("ranked", "places"),
    [
        ("video", [("eves", 70, 30), ("new", 60, 0), ("old", 50, 900), ("later", 20, 5_000)]),
        ("creator", [("creator", 130, 5_900), ("eve", 70, 30)]),
        ("campaign", [("campaign", 180, 930)]),
    ],
)
def test_ranks_depend_on_views_gained_while_tracked(
    marts: duckdb.DuckDBPyConnection, ranked: RankedEntity, places: list[tuple[str, int, int]]
) -> None:
    rows = leaderboard(marts, views_of(ranked, 1, 5, while_tracked=True)).rows
    assert [(row.entity_id, row.value, row.before_tracking) for row in rows] == [
        (named(name), value, before) for name, value, before in places
    ]


def test_the_days_before_end_on_the_day_before(marts: duckdb.DuckDBPyConnection) -> None:
    """4 and 5 May against 2 and 3 May; all but the oldest post gained their views on 3 May."""
    rows = leaderboard(marts, views_of("video", 4, 5)).rows
    assert {row.entity_id: (row.value, row.previous_value) for row in rows} == {
        named("eves"): (70, 30),
        named("old"): (50, 900),
        named("later"): (20, 5_000),
        named("new"): (0, 60),
    }


def views_of(
    ranked: RankedEntity, first: int, last: int, *, while_tracked: bool = False
) -> LeaderboardQuery:
    """Return a query for views on these days of May, against as many preceding days."""
    from_day, to_day = date(2026, 5, first), date(2026, 5, last)
    prior_from = from_day - (to_day - from_day) - timedelta(days=1)
    return LeaderboardQuery(
        organization_id=ORGANIZATION,
        ranked=ranked,
        metric="views",
        from_day=from_day,
        to_day=to_day,
        prior_from=prior_from,
        prior_start=datetime.combine(prior_from, time(), UTC),
        start=at(first, 0),
        until=at(last + 1, 0),
        whole_to=to_day,
        whole_until=at(last + 1, 0),
        prior_to=from_day - timedelta(days=1),
        prior_until=at(first, 0),
        project_id=PROJECT,
        limit=10,
        while_tracked=while_tracked,
    )
