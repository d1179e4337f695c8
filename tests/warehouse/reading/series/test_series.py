"""Series by example: guarantees to analytics users, with the arithmetic."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb
import pytest

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
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.reading.series.analytics import breakdown, series
from warehouse.reading.series.beginnings import day_in
from warehouse.reading.series.known import known_of
from warehouse.reading.series.query import SeriesQuery, UnsupportedMetric, Values
from warehouse.settings import Settings

BERLIN = "Europe/Berlin"
ST_JOHNS = "America/St_Johns"
BACK = date(2010, 11, 7)  # at 0:01 clocks go back to 23:01 of the preceding day
ONE_DAY = timedelta(days=1)
MONDAY = date(2026, 3, 23)
SUNDAY = date(2026, 3, 29)  # Berlin's clocks go from 2:00 to 3:00
DEFAULTS = {
    "organization_id": ORGANIZATION,
    "entity": "creator",
    "entity_ids": (CREATOR,),
    "metric": "views",
    "mode": "new",
    "granularity": "day",
    "from_day": MONDAY,
    "to_day": SUNDAY,
    "zone": "UTC",
}


def at(day: date, hour: int, minute: int = 0) -> datetime:
    return datetime(day.year, day.month, day.day, hour, minute, tzinfo=UTC)


def query(**changes: object) -> SeriesQuery:
    return SeriesQuery(**{**DEFAULTS, **changes})  # type: ignore[arg-type]


@pytest.fixture
def marts() -> Iterator[duckdb.DuckDBPyConnection]:
    with empty_marts() as connection:
        yield connection


def values(cursor: duckdb.DuckDBPyConnection, **changes: object) -> Values:
    return [value for _, value in points(cursor, **changes)]


def points(
    cursor: duckdb.DuckDBPyConnection, **changes: object
) -> list[tuple[date, int | float | None]]:
    question = query(**changes)
    numbers = series(cursor, question, known_of(cursor, question))[question.entity_ids[0]]
    return list(zip([bucket.start for bucket in question.buckets], numbers, strict=True))


class TestGainsAndSums:
    @pytest.fixture(autouse=True)
    def read(self, marts: duckdb.DuckDBPyConnection) -> None:
        tuesday, thursday = MONDAY + timedelta(days=1), MONDAY + timedelta(days=3)
        readings = {
            at(tuesday, 6): {"view": 100, "share": None},
            at(tuesday, 18): {"view": 130, "share": None},
            at(thursday, 6): {"view": 120, "share": None},  # the platform removed ten
        }
        account = Account("account", {at(tuesday, 6): 50, at(thursday, 6): 45})
        fill_marts(marts, History(videos=[Video("video", readings)], accounts=[account]))

    def test_an_entity_of_another_organization_has_no_data(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        other = named("other organization")
        for entity, entity_id in (
            ("creator", CREATOR),
            ("campaign", CAMPAIGN),
            ("video", Video("video").id),
        ):
            changes = {"organization_id": other, "entity": entity, "entity_ids": (entity_id,)}
            for zone in ("UTC", BERLIN, ST_JOHNS):
                days = {"from_day": BACK - ONE_DAY, "to_day": BACK} if zone == ST_JOHNS else {}
                assert set(values(marts, zone=zone, **changes, **days)) == {None}
                if entity != "video":
                    for metric in ("video_count", "engagement_rate_by_followers"):
                        assert set(values(marts, zone=zone, metric=metric, **changes)) == {None}
            known = known_of(marts, query(**changes))
            assert known.beginnings[entity_id].first_snapshot_at is None

    def test_the_day_of_the_first_snapshot_depends_on_the_zone(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        first = known_of(marts, query()).beginnings[CREATOR].first_snapshot_at
        assert day_in("UTC", first) == MONDAY + ONE_DAY
        assert day_in("Pacific/Honolulu", first) == MONDAY  # 6:00 UTC is 20:00 the day before


class TestBuckets:
    def test_an_empty_range_has_no_points(self, marts: duckdb.DuckDBPyConnection) -> None:
        assert points(marts, to_day=MONDAY - ONE_DAY) == []

    def test_buckets_of_three_days_begin_with_the_range(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        """Wednesday and Saturday end their buckets; Thursday and Sunday start theirs."""
        views = {1: 100, 3: 300, 4: 600, 6: 1_000, 7: 1_500}
        readings = {at(MONDAY + (day - 1) * ONE_DAY, 6): {"view": views[day]} for day in views}
        fill_marts(marts, History(videos=[Video("video", readings)]))
        question = query(granularity="custom", bucket_days=3)
        known = known_of(marts, question)
        gained = series(marts, question, known)[CREATOR]
        parts = breakdown(marts, question, known, gained, kind="video", top_n=1)
        assert gained == [300, 700, 500]
        assert [post.values for post in parts.top] == [gained]


class TestZones:
    def test_a_day_of_changing_clocks_has_its_own_hours(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        """On Sunday Berlin's day is 23:00 to 22:00 UTC; the preceding days also start at 23:00."""
        saturday = SUNDAY - timedelta(days=1)
        readings = {
            at(saturday, 22, 59): {"view": 1},
            at(saturday, 23, 0): {"view": 11},
            at(SUNDAY, 21, 59): {"view": 111},
            at(SUNDAY, 22, 0): {"view": 1111},
        }
        fill_marts(marts, History(videos=[Video("video", readings)]))
        days = {"from_day": saturday, "to_day": SUNDAY + timedelta(days=1)}
        assert values(marts, zone=BERLIN, **days) == [1, 110, 1000]
        assert values(marts, **days) == [11, 1100, 0]

    @pytest.mark.parametrize(
        ("zone", "last_minute"),
        [
            ("Asia/Kolkata", at(SUNDAY, 18, 29)),
            ("Asia/Kathmandu", at(SUNDAY, 18, 14)),
            ("Australia/Lord_Howe", at(SUNDAY, 12, 59)),
        ],
    )
    def test_offsets_that_are_no_whole_hours(
        self, marts: duckdb.DuckDBPyConnection, zone: str, last_minute: datetime
    ) -> None:
        readings = {
            last_minute: {"view": 1},
            last_minute + timedelta(minutes=1): {"view": 11},
        }
        fill_marts(marts, History(videos=[Video("video", readings)]))
        days = {"from_day": SUNDAY, "to_day": SUNDAY + timedelta(days=1)}
        assert values(marts, zone=zone, **days) == [1, 10]

    @pytest.mark.parametrize(
        ("entity", "entity_id"), [("creator", CREATOR), ("campaign", CAMPAIGN)]
    )
    def test_clocks_that_go_back_within_a_quarter_of_an_hour(
        self, marts: duckdb.DuckDBPyConnection, entity: str, entity_id: UUID
    ) -> None:
        """02:30:30 UTC was half a minute into the 7th; 02:35 was the 6th again, at 23:05."""
        night = datetime(2010, 11, 7, 2, 30, tzinfo=UTC)
        readings = {
            night - 2 * ONE_DAY: {"view": 0},
            night + timedelta(seconds=30): {"view": 1},
            night + timedelta(minutes=5): {"view": 11},
        }
        fill_marts(marts, History(videos=[Video("video", readings)]))
        days = {"from_day": BACK - ONE_DAY, "to_day": BACK, "zone": ST_JOHNS}
        assert values(marts, entity=entity, entity_ids=(entity_id,), **days) == [10, 1]

    def test_an_alias_of_the_organizations_zone_gives_the_same(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        readings = {at(MONDAY, 0) + timedelta(hours=5 * n): {"view": 7 * n} for n in range(30)}
        fill_marts(marts, History(videos=[Video("video", readings)]))
        assert values(marts, zone="Etc/UTC") == values(marts, zone="UTC")

    @pytest.mark.parametrize("zone", ["UTC", BERLIN])
    def test_a_range_excludes_days_before_the_plans_history(
        self, marts: duckdb.DuckDBPyConnection, zone: str
    ) -> None:
        """The prior period and the bucket before the first reach further back."""
        readings = {at(MONDAY + n * ONE_DAY, 12): {"view": 100 * 2**n} for n in range(5)}
        fill_marts(marts, History(videos=[Video("video", readings)]))
        days = {"from_day": MONDAY + 2 * ONE_DAY, "to_day": MONDAY + 4 * ONE_DAY, "zone": zone}
        growth = {"metric": "growth_rate_pop", "base_metric": "views"}
        assert values(marts, **days, **growth) == [100, 100, 100]
        retention = {"retained_from": MONDAY + 2 * ONE_DAY}
        assert values(marts, **days, **growth, **retention) == [None, 100, 100]
        prior = query(**days).prior_period()
        known = known_of(marts, prior)
        assert series(marts, prior, known)[CREATOR] == [None, 100, 100]
        prior = replace(prior, retained_from=MONDAY + ONE_DAY)
        assert series(marts, prior, known)[CREATOR] == [None, None, 100]


class TestMembers:
    def test_a_video_that_does_not_count_is_in_no_total(
        self, marts: duckdb.DuckDBPyConnection
    ) -> None:
        reading = {at(MONDAY, 12): {"view": 5}}
        excluded = Video("excluded", reading, is_counted=False)
        fill_marts(marts, History(videos=[Video("counted", reading), excluded]))
        for zone in ("UTC", BERLIN):
            assert values(marts, zone=zone)[0] == 5
            assert values(marts, zone=zone, entity="campaign", entity_ids=(CAMPAIGN,))[0] == 5
            assert values(marts, zone=zone, entity="video", entity_ids=(excluded.id,))[0] == 5

    @pytest.mark.parametrize("metric", ["followers", "video_count"])
    def test_a_video_has_neither_followers_nor_videos(self, metric: str) -> None:
        with pytest.raises(UnsupportedMetric, match=metric):
            query(entity="video", metric=metric)


@pytest.mark.slow
def test_a_series_over_published_months(tmp_path: Path) -> None:
    """Half a year of daily readings, most of it in the publication's Parquet months."""
    first = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)
    readings = {first + timedelta(days=day): {"view": 10 * day} for day in range(180)}
    settings = Settings(home=tmp_path)
    with empty_marts() as warehouse:
        fill_marts(warehouse, History(videos=[Video("video", readings)]))
        publish(settings, warehouse, as_of=datetime(2026, 7, 1, tzinfo=UTC))
    range_ = {"from_day": date(2026, 1, 1), "to_day": date(2026, 6, 30), "granularity": "month"}
    of_video = {"entity": "video", "entity_ids": (Video("video").id,)}
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        utc = values(cursor, **range_, **of_video)
        assert utc == [300, 280, 310, 300, 310, 290]  # January's first reading was 0
        berlin = values(cursor, **range_, **of_video, zone=BERLIN)
        assert berlin == [290, 280, 310, 300, 310, 300]  # read at half past midnight there
