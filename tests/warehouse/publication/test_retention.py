"""Replaced publications stay a day by the real clock, for those who still read them."""

from datetime import UTC, datetime, timedelta
from uuid import UUID

import duckdb

from warehouse.publication.publish import publish
from warehouse.publication.retention import retire
from warehouse.settings import Settings

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
DAY = timedelta(hours=24)


def publish_at(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection, real_time: datetime
) -> UUID:
    return publish(settings, few_marts, as_of=NOON, real_clock=lambda: real_time).id


def kept(settings: Settings) -> set[UUID]:
    return {UUID(path.name) for path in settings.publications_path.iterdir() if path.is_dir()}


def test_a_replaced_publication_stays_for_a_day(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection
) -> None:
    old = publish_at(settings, few_marts, NOON)
    new = publish_at(settings, few_marts, NOON + timedelta(days=9))
    replaced_at = NOON + timedelta(days=9)
    retire(settings.publications_path, replaced_at + DAY - timedelta(seconds=1))
    assert kept(settings) == {old, new}
    assert retire(settings.publications_path, replaced_at + DAY) == [str(old)]
    assert kept(settings) == {new}


def test_the_current_one_stays_whatever_its_age(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection
) -> None:
    current = publish_at(settings, few_marts, NOON)
    assert retire(settings.publications_path, NOON + 1000 * DAY) == []
    assert kept(settings) == {current}


def test_publishing_retires(settings: Settings, few_marts: duckdb.DuckDBPyConnection) -> None:
    publish_at(settings, few_marts, NOON)
    second = publish_at(settings, few_marts, NOON)
    third = publish_at(settings, few_marts, NOON + DAY)
    assert kept(settings) == {second, third}


def test_a_clock_that_was_ahead_keeps_nothing_for_ever(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection
) -> None:
    publish_at(settings, few_marts, NOON)
    current = publish_at(settings, few_marts, NOON + 3650 * DAY)
    retire(settings.publications_path, NOON)
    retire(settings.publications_path, NOON + DAY)
    assert kept(settings) == {current}


def test_a_publication_that_never_became_current_goes_too(
    settings: Settings, few_marts: duckdb.DuckDBPyConnection
) -> None:
    current = publish_at(settings, few_marts, NOON)
    orphan = settings.publications_path / "01890000-0000-7000-8000-000000000000"
    orphan.mkdir()
    retire(settings.publications_path, NOON)
    retire(settings.publications_path, NOON + DAY)
    assert kept(settings) == {current}
