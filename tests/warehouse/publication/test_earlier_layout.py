"""Publications of versions with internal tables in `marts`: reading, incremental runs, moving."""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from uuid import uuid4

import duckdb
import pytest

from tests.factories.earlier_layout import publish_in_earlier_layout
from tests.factories.marts import TABLES, Account, History, Video, fill_marts
from tests.warehouse.publication.conftest import every_mart
from warehouse.catalogue.models import relation_of, schemas
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import publish
from warehouse.publication.relocate import relocate
from warehouse.reading.accruals.committed_spend import (
    AccrualFilter,
    PublishedFilters,
    published_sums,
)
from warehouse.settings import Settings

JULY = datetime(2026, 7, 20, tzinfo=UTC)
READ = [datetime(2026, month, 10, 8, tzinfo=UTC) for month in range(3, 8)]
PAYOUTS = """
    insert into machinery.payout_earned (accrual_id, organization_id, period_end, amount_cents)
    select uuid(), uuid(), day::date, 100
    from unnest([date '2026-03-08', date '2026-07-12']) as days (day)
"""
MONTHS = ("2026-03", "2026-04", "2026-05")
WHERE = """
    select table_name, schema_name from duckdb_tables()
    where schema_name in ('marts', 'machinery')
    union
    select view_name, schema_name from duckdb_views()
    where schema_name in ('marts', 'machinery')
"""

Rows = dict[str, list[tuple[object, ...]]]


pytestmark = [every_mart, pytest.mark.slow]


@pytest.fixture
def earlier(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> Path:
    """The folder of one with older months, some as files, in internal tables and marts."""
    counts = {at: 100 * at.month for at in READ}
    videos = [Video("video", {at: {"view": count} for at, count in counts.items()})]
    fill_marts(warehouse, History(videos=videos, accounts=[Account("account", dict(counts))]))
    warehouse.execute(PAYOUTS)
    publish(settings, warehouse, as_of=JULY)
    return publish_in_earlier_layout(settings)


@pytest.fixture
def current(settings: Settings) -> Iterator[CurrentPublication]:
    opened = CurrentPublication(settings.publications_path)
    yield opened
    opened.close()


def rows(connection: duckdb.DuckDBPyConnection) -> Rows:
    """Read the rows by this version's names."""
    return {
        table: connection.execute(f"from {relation_of(table)} order by all").fetchall()
        for table in (*TABLES, "payout_earnings")
    }


def where(publication: Path) -> set[tuple[str, str]]:
    """Return names and schemas of its tables and views."""
    with duckdb.connect(publication, read_only=True) as connection:
        return set(connection.execute(WHERE).fetchall())


def test_it_has_the_earlier_layout(earlier: Path) -> None:
    assert {schema for _, schema in where(earlier / "publication.duckdb")} == {"marts"}


def test_readers_find_everything_under_their_own_names(
    earlier: Path, warehouse: duckdb.DuckDBPyConnection, current: CurrentPublication
) -> None:
    with current.reading() as (cursor, info):
        assert info.is_of_other_models
        assert rows(cursor) == rows(warehouse)


def test_one_of_a_later_layout_is_read_by_the_views_that_it_has(
    settings: Settings,
    earlier: Path,
    warehouse: duckdb.DuckDBPyConnection,
    current: CurrentPublication,
) -> None:
    latest = publish(settings, warehouse, as_of=JULY)
    with duckdb.connect(latest.path) as connection:
        connection.execute("alter table files.months rename in_file to location")
        connection.execute("update marts.publication set models_version = 'of a later version'")
    with current.cursor() as cursor:
        assert rows(cursor) == rows(warehouse)


def test_one_of_other_models_is_read_twice_in_a_statement(
    settings: Settings, earlier: Path, warehouse: duckdb.DuckDBPyConnection
) -> None:
    """Its views read the base by path: with it attached too, DuckDB 1.5.5 fails or crashes."""
    latest = publish(settings, warehouse, as_of=JULY)
    assert (latest.path.parent / "months" / "base.duckdb").exists()
    with duckdb.connect(latest.path) as connection:
        connection.execute("update marts.publication set models_version = 'of another version'")
    current = CurrentPublication(settings.publications_path)
    query = PublishedFilters(uuid4(), (AccrualFilter(project_id=uuid4()),))
    with current.reading() as (cursor, info):
        assert info.is_of_other_models
        assert published_sums(cursor, query) == [(0, 0, 0, 0, 0)]
    current.close()


def test_tables_that_it_never_had_are_missing(earlier: Path, current: CurrentPublication) -> None:
    with current.cursor() as cursor, pytest.raises(duckdb.CatalogException):
        cursor.execute("from machinery.payout_zones")


def test_the_next_one_reuses_its_months_without_internal_tables_in_marts(
    settings: Settings,
    earlier: Path,
    warehouse: duckdb.DuckDBPyConnection,
    current: CurrentPublication,
) -> None:
    latest = publish(settings, warehouse, as_of=JULY)
    months = {file.name for file in (earlier / "months").iterdir()}
    assert {f"creator_quarter_hours-{month}.parquet" for month in MONTHS} <= months
    for name in months:
        assert (latest.path.parent / "months" / name).samefile(earlier / "months" / name), name
    places = where(latest.path)
    assert places == {(name, schemas().get(name, "marts")) for name, _ in places}
    assert ("payout_earned", "machinery") in places
    with current.cursor() as cursor:
        assert rows(cursor) == rows(warehouse)


def test_it_is_read_after_the_data_folder_moved(
    settings: Settings, earlier: Path, warehouse: duckdb.DuckDBPyConnection, tmp_path: Path
) -> None:
    elsewhere = Settings(home=tmp_path / "elsewhere")
    settings.home_path.rename(elsewhere.home_path)
    latest = relocate(elsewhere)
    assert {schema for _, schema in where(latest.path)} == {"marts"}
    current = CurrentPublication(elsewhere.publications_path)
    with current.cursor() as cursor:
        assert rows(cursor) == rows(warehouse)
    current.close()
