"""Leaderboards of random histories, against a calculation from the readings."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, time, timedelta
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.doses import dose
from tests.factories.marts import (
    CAMPAIGN,
    ORGANIZATION,
    PROJECT,
    Account,
    History,
    Video,
    create_marts,
    fill_marts,
    named,
)
from tests.oracles.leaderboards import Days, Post, board
from warehouse.reading.leaderboards import (
    BoardMetric,
    LeaderboardQuery,
    Ranked,
    RankedEntity,
    leaderboard,
)

pytestmark = pytest.mark.slow

FIRST = date(2026, 3, 20)  # Berlin's clocks go forward on the 29th
LENGTH = 20
COUNTS = st.none() | st.integers(0, 3) | st.integers(0, 5000)
COUNTERS = ("view", "like", "save")

OF_BOTH: tuple[BoardMetric, ...] = ("views", "saves", "engagement_rate_by_views")

Scope = dict[str, Any]
SCOPES: tuple[Scope, ...] = (
    {"project_id": PROJECT},
    {"project_id": PROJECT, "platform": "instagram"},
    {"campaign_id": CAMPAIGN},
    {"project_id": PROJECT, "campaign_id": CAMPAIGN, "platform": "tiktok"},
)


@st.composite
def histories(draw: st.DrawFn) -> History:
    start = datetime(2026, 3, 20, tzinfo=UTC)
    hours = st.integers(0, 24 * LENGTH - 1)
    instants = hours.map(lambda hour: start + timedelta(hours=hour))
    counts = st.fixed_dictionaries(dict.fromkeys(COUNTERS, COUNTS))
    videos = st.builds(
        Video,
        readings=st.dictionaries(instants, counts, max_size=6),
        posted_at=st.none() | instants,
        platform=st.sampled_from(["tiktok", "instagram"]),
        is_counted=st.sampled_from([True, True, True, False]),
        creator=st.sampled_from([named("ada"), named("bob"), named("cyd")]),
        in_campaign=st.booleans(),
        account=st.sampled_from([None, named("account"), named("another")]),
        name=st.uuids(version=4).map(str),
    )
    read_at = draw(st.dictionaries(instants, st.none() | st.integers(0, 9), max_size=2))
    return History(
        videos=draw(st.lists(videos, min_size=1, max_size=8)),
        accounts=[Account("account", read_at)],
        org_zone=draw(st.sampled_from(["UTC", "Europe/Berlin", "Asia/Kathmandu"])),
        as_of=start + timedelta(days=LENGTH),
    )


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(config={"threads": 1}) as connection:
        create_marts(connection)
        connection.execute("create table marts.publication (as_of timestamptz)")
        yield connection


def tracked_from(history: History, video: Video) -> datetime | None:
    of_account = [
        other for other in history.videos if other.account and other.account == video.account
    ]
    accounts = [account for account in history.accounts if account.id == video.account]
    return min(
        (at for entity in [video, *of_account, *accounts] for at in entity.readings), default=None
    )


def posts_of(history: History, scope: Scope) -> list[Post]:
    return [
        Post(video.id, video.creator, video.posted_at, video.readings, tracked_from(history, video))
        for video in history.videos
        if video.is_counted
        and scope.get("platform") in (None, video.platform)
        and (video.in_campaign or "campaign_id" not in scope)
    ]


@settings(max_examples=dose(10, 40), deadline=None)
@given(
    history=histories(),
    scope=st.sampled_from(SCOPES),
    first=st.integers(3, LENGTH),
    days=st.integers(1, 8),
)
def test_ranks_follow_from_the_readings(
    marts: duckdb.DuckDBPyConnection, history: History, scope: Scope, first: int, days: int
) -> None:
    fill_marts(marts, history)
    marts.execute("delete from marts.publication")
    marts.execute("insert into marts.publication values (?)", [history.as_of])
    from_day = FIRST + timedelta(days=first)
    period = Days(from_day, from_day + timedelta(days=days - 1), history.org_zone)
    posts = posts_of(history, scope)
    for ranked, metric in boards():
        places = read(marts, period, scope, ranked=ranked, metric=metric)
        assert places == [plain(place) for place in board(posts, ranked, metric, period)]
        places = read(marts, period, scope, ranked=ranked, metric=metric, while_tracked=True)
        gained = board(posts, ranked, metric, period, while_tracked=True)
        assert places == [plain(place) for place in gained]


@settings(max_examples=dose(10, 40), deadline=None)
@given(
    history=histories(),
    scope=st.sampled_from(SCOPES),
    first=st.integers(3, LENGTH),
    days=st.integers(1, 8),
    behind=st.integers(0, 8),
)
def test_days_without_data_are_not_compared(
    *,
    marts: duckdb.DuckDBPyConnection,
    history: History,
    scope: Scope,
    first: int,
    days: int,
    behind: int,
) -> None:
    fill_marts(marts, history)
    marts.execute("delete from marts.publication")
    marts.execute("insert into marts.publication values (?)", [history.as_of])
    from_day = FIRST + timedelta(days=first)
    period = Days(from_day, from_day + timedelta(days=days - 1), history.org_zone)
    cut = timedelta(days=min(behind, days))
    posts = posts_of(history, scope)
    for ranked, metric in boards():
        if metric in {"views", "saves"}:
            whole, prior = (
                values_of(posts, ranked, metric, Days(span.first, span.last - cut, span.zone))
                for span in (period, period.before())
            )
            for row in rows(marts, period, scope, cut=cut, ranked=ranked, metric=metric):
                assert row.compared_value == whole.get(row.entity_id, 0)
                assert (row.previous_value or 0) == prior.get(row.entity_id, 0)


def values_of(
    posts: list[Post], ranked: RankedEntity, metric: BoardMetric, days: Days
) -> dict[Any, Any]:
    if days.last < days.first:
        return {}
    return {entity: value for _, entity, value, *_ in board(posts, ranked, metric, days)}


def boards() -> Iterator[tuple[RankedEntity, BoardMetric]]:
    for metric in OF_BOTH:
        yield "video", metric
        yield "creator", metric
    yield "creator", "video_count"


def read(
    marts: duckdb.DuckDBPyConnection, period: Days, scope: Scope, **what: Any
) -> list[tuple[Any, ...]]:
    return [as_tuple(row) for row in rows(marts, period, scope, **what)]


def rows(
    marts: duckdb.DuckDBPyConnection,
    period: Days,
    scope: Scope,
    *,
    cut: timedelta = timedelta(),
    **what: Any,
) -> list[Ranked]:
    prior = period.before()
    query = LeaderboardQuery(
        organization_id=ORGANIZATION,
        from_day=period.first,
        to_day=period.last,
        prior_from=prior.first,
        prior_start=start_of(prior.first, period.zone),
        start=start_of(period.first, period.zone),
        until=start_of(period.last + timedelta(days=1), period.zone),
        whole_to=period.last - cut,
        whole_until=start_of(period.last - cut + timedelta(days=1), period.zone),
        prior_to=period.first - cut - timedelta(days=1),
        prior_until=start_of(period.first - cut, period.zone),
        limit=100,
        **scope,
        **what,
    )
    ranking = leaderboard(marts, query)
    assert ranking.total == len(ranking.rows)
    return ranking.rows


def start_of(day: date, zone: str) -> datetime:
    return datetime.combine(day, time(), ZoneInfo(zone)).astimezone(UTC)


def as_tuple(row: Ranked) -> tuple[Any, ...]:
    numbers = (row.value, row.previous_value, row.share_pct, row.before_tracking)
    return (row.rank, row.entity_id, *map(rounded, numbers))


def plain(place: tuple[Any, ...]) -> tuple[Any, ...]:
    rank, entity, *numbers = place
    return (rank, entity, *map(rounded, numbers))


def rounded(number: int | float | Fraction | None) -> float | None:
    return None if number is None else round(float(number), 9)
