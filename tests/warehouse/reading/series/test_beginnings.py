"""Baselines: the first reading of each counter, by post and account (counting.md)."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date

import duckdb
import pytest

from tests.factories.instants import at
from tests.factories.marts import (
    CAMPAIGN,
    CREATOR,
    ORGANIZATION,
    Account,
    History,
    Video,
    empty_marts,
    fill_marts,
    named,
)
from warehouse.reading.series.beginnings import Beginnings, beginnings
from warehouse.reading.series.metrics import Counter, Entity
from warehouse.reading.series.query import SeriesQuery


@pytest.fixture(scope="module")
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    likes_first = {at(2): {"like": 7}, at(3): {"view": 1_500_000, "like": 8}}
    history = History(
        videos=[
            Video("at once", {at(2): {"view": 900, "like": 5}, at(3): {"view": 950}}),
            Video("views later", likes_first),
            Video("nothing shown", {at(4): {}}),
        ],
        accounts=[Account("account", {at(1): None, at(2): 10})],
    )
    with empty_marts() as connection:
        fill_marts(connection, history)
        yield connection


def began(marts: duckdb.DuckDBPyConnection, entity: Entity) -> Beginnings:
    ids = {"creator": CREATOR, "campaign": CAMPAIGN, "video": named("views later")}
    query = SeriesQuery(
        organization_id=ORGANIZATION,
        entity=entity,
        entity_ids=(ids[entity],),
        metric="views",
        from_day=date(2026, 5, 1),
        to_day=date(2026, 5, 9),
        zone="UTC",
    )
    return beginnings(marts, query)[ids[entity]]


def counted(of: Beginnings, *counters: Counter) -> set[tuple[str, int]]:
    names = {str(named(name)): name for name in ("at once", "views later", "account")}
    return {
        (names[reading["entity_id"]], instant.day)
        for firsts in of.counted_by(counters)
        for instant, reading in zip(firsts.instants, firsts.readings, strict=True)
    }


@pytest.mark.parametrize("entity", ["creator", "campaign"])
def test_a_counter_begins_at_the_reading_that_first_shows_it(
    marts: duckdb.DuckDBPyConnection, entity: Entity
) -> None:
    of = began(marts, entity)
    assert counted(of, "views") == {("at once", 2), ("views later", 3)}
    assert counted(of, "likes") == {("at once", 2), ("views later", 2)}
    assert counted(of, "views", "likes") == {("at once", 2), ("views later", 2), ("views later", 3)}
    assert counted(of, "saves") == set()
    assert counted(of, "video_count") == set()
    assert counted(of, "followers") == {("account", 2)}


def test_a_post_has_its_own_baselines(marts: duckdb.DuckDBPyConnection) -> None:
    assert counted(began(marts, "video"), "views", "followers") == {("views later", 3)}


def test_data_begins_with_the_first_reading(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    of = began(marts, "creator")
    assert of.first_snapshot_at == at(1)
    assert of.of_posts.instants == [at(2), at(2), at(4)]
    assert of.of_posts.of(str(named("views later"))) == at(2)


def test_views_with_a_new_meaning_get_a_new_baseline(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    """Only for posts of the organization, and only for view counters."""
    posts = [named("views later"), named("another organization's")]
    with changed_at(marts, [(str(post), at(5), "organic") for post in posts]):
        of = began(marts, "video")
        assert counted(of, "views") == {("views later", 3), ("views later", 5)}
        assert counted(of, "likes") == {("views later", 2)}
        reasons = [
            reading["reason"] for firsts in of.counted_by(["views"]) for reading in firsts.readings
        ]
        assert sorted(reasons) == ["tracking_started", "views_meaning_changed"]
        assert counted(began(marts, "creator"), "views") >= {("views later", 5)}


@contextmanager
def changed_at(marts: duckdb.DuckDBPyConnection, rows: list[tuple[object, ...]]) -> Iterator[None]:
    marts.executemany(
        "insert into marts.view_baselines (video_id, captured_at, meaning) values (?, ?, ?)", rows
    )
    yield
    marts.execute("delete from marts.view_baselines")
