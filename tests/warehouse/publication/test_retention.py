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
    settings: Settings, warehouse: duckdb.DuckDBPyConnection, real_time: datetime
) -> UUID:
    return publish(settings, warehouse, as_of=NOON, real_clock=lambda: real_time).id


def kept(settings: Settings) -> set[UUID]:
    return {UUID(path.name) for path in settings.publications_path.iterdir() if path.is_dir()}


def test_a_replaced_publication_stays_for_a_day(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    old = publish_at(settings, warehouse, NOON)
    new = publish_at(settings, warehouse, NOON + timedelta(days=9))
    replaced_at = NOON + timedelta(days=9)
    retire(settings.publications_path, replaced_at + DAY - timedelta(seconds=1))
    assert kept(settings) == {old, new}
    assert retire(settings.publications_path, replaced_at + DAY) == [str(old)]
    assert kept(settings) == {new}


def test_the_current_one_stays_whatever_its_age(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    current = publish_at(settings, warehouse, NOON)
    assert retire(settings.publications_path, NOON + 1000 * DAY) == []
    assert kept(settings) == {current}


def test_publishing_retires(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> None:
    publish_at(settings, warehouse, NOON)
    second = publish_at(settings, warehouse, NOON)
    third = publish_at(settings, warehouse, NOON + DAY)
    assert kept(settings) == {second, third}


def test_a_clock_that_was_ahead_keeps_nothing_for_ever(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    publish_at(settings, warehouse, NOON)
    current = publish_at(settings, warehouse, NOON + 3650 * DAY)
    retire(settings.publications_path, NOON)
    retire(settings.publications_path, NOON + DAY)
    assert kept(settings) == {current}


def test_a_publication_that_never_became_current_goes_too(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    current = publish_at(settings, warehouse, NOON)
    orphan = settings.publications_path / "01890000-0000-7000-8000-000000000000"
    orphan.mkdir()
    retire(settings.publications_path, NOON)
    retire(settings.publications_path, NOON + DAY)
    assert kept(settings) == {current}
