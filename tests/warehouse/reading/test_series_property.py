"""Series of random histories, in random zones, against a calculation that knows no deltas."""

from collections.abc import Iterator
from datetime import UTC, date, datetime, timedelta
from itertools import product

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.factories.marts import (
    CAMPAIGN,
    CREATOR,
    ORGANIZATION,
    Account,
    History,
    Video,
    create_marts,
    fill_marts,
    named,
)
from tests.oracles.series import expected_series
from warehouse.reading.analytics import Entity, Granularity, Metric, Mode, SeriesQuery, series

ZONES = [
    "UTC",
    "Europe/Berlin",
    "America/New_York",
    "America/St_Johns",
    "Asia/Kolkata",
    "Asia/Kathmandu",
    "Australia/Lord_Howe",
    "Pacific/Apia",
    "Pacific/Kiritimati",
    "Pacific/Pago_Pago",
]
CLOCK_CHANGES = [
    datetime(2026, 3, 8, tzinfo=UTC),  # New York forward
    datetime(2026, 3, 29, tzinfo=UTC),  # Berlin forward
    datetime(2026, 4, 4, tzinfo=UTC),  # Lord Howe back by half an hour
    datetime(2026, 10, 3, tzinfo=UTC),  # Lord Howe forward
    datetime(2026, 10, 25, tzinfo=UTC),  # Berlin back
    datetime(2010, 11, 7, tzinfo=UTC),  # St John's back, one minute after midnight
    datetime(2011, 12, 30, tzinfo=UTC),  # Apia left out this day
]
QUARTERS = 4 * 24
COUNTS = st.none() | st.integers(0, 5000)


@st.composite
def histories(draw: st.DrawFn) -> History:
    around = draw(st.sampled_from(CLOCK_CHANGES))
    instants = st.builds(
        lambda quarter, second: around + timedelta(minutes=15 * quarter, seconds=second),
        st.integers(-6 * QUARTERS, 6 * QUARTERS),
        st.sampled_from([-1, 0, 0, 59]),
    )
    counts = st.fixed_dictionaries({"view": COUNTS, "share": COUNTS})
    entities = {"creator": st.sampled_from([CREATOR, named("other")]), "in_campaign": st.booleans()}
    videos = st.builds(
        Video,
        readings=st.dictionaries(instants, counts, max_size=8),
        posted_at=st.none() | instants,
        is_counted=st.sampled_from([True, True, False]),
        name=st.uuids(version=4).map(str),
        **entities,
    )
    accounts = st.builds(
        Account,
        readings=st.dictionaries(instants, COUNTS, max_size=5),
        is_active=st.sampled_from([True, True, False]),
        name=st.uuids(version=4).map(str),
        **entities,
    )
    return History(
        videos=draw(st.lists(videos, min_size=1, max_size=4)),
        accounts=draw(st.lists(accounts, max_size=3)),
        org_zone=draw(st.sampled_from(ZONES)),
        as_of=draw(instants),
    )


def date_of(history: History) -> date:
    return history.as_of.date()


@st.composite
def questions(draw: st.DrawFn) -> tuple[History, str, date, date]:
    history = draw(histories())
    middle = date_of(history)
    start = middle + timedelta(days=draw(st.integers(-15, 8)))
    zone = draw(st.sampled_from(ZONES) | st.just(history.org_zone))
    return history, zone, start, start + timedelta(days=draw(st.integers(0, 20)))


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect() as connection:
        create_marts(connection)
        connection.execute("create table marts.publication (as_of timestamptz)")
        yield connection


def every_query(
    history: History, zone: str, start: date, end: date, granularity: Granularity
) -> Iterator[SeriesQuery]:
    metrics: tuple[Metric, ...] = ("views", "shares", "followers", "video_count")
    modes: tuple[Mode, ...] = ("new", "cumulative")
    entities: tuple[tuple[Entity, object], ...] = (
        ("video", history.videos[0].id),
        ("creator", CREATOR),
        ("campaign", CAMPAIGN),
    )
    for (entity, entity_id), metric, mode in product(entities, metrics, modes):
        if entity == "video" and metric in ("followers", "video_count"):
            continue
        yield SeriesQuery(
            organization_id=ORGANIZATION,
            entity=entity,
            entity_id=entity_id,
            metric=metric,
            mode=mode,
            granularity=granularity,
            from_day=start,
            to_day=end,
            zone=zone,
        )


@settings(max_examples=60, deadline=None)
@given(question=questions(), granularity=st.sampled_from(["day", "week", "month"]))
def test_every_series_is_what_the_readings_say(
    marts: duckdb.DuckDBPyConnection,
    question: tuple[History, str, date, date],
    granularity: Granularity,
) -> None:
    history, zone, start, end = question
    fill_marts(marts, history)
    marts.execute("delete from marts.publication")
    marts.execute("insert into marts.publication values (?)", [history.as_of])
    for query in every_query(history, zone, start, end, granularity):
        points = [(point.bucket_start, point.value) for point in series(marts, query)]
        assert points == expected_series(history, query), query
