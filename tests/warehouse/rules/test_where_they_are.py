"""Rules exist in the warehouse before the models, and in each publication.

Readers use the rules of their own version.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pytest

from tests.factories.marts import create_marts
from warehouse.connection import create_tables
from warehouse.control import begin_run
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import Publication, publish
from warehouse.publication.relocate import relocate
from warehouse.settings import Settings

NOON = datetime(2026, 7, 20, 12, tzinfo=UTC)
RATE = "select rules.engagement_rate(1, n) from marts.number"


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(home=tmp_path / "home")


@pytest.fixture
def warehouse(tmp_path: Path) -> Iterator[duckdb.DuckDBPyConnection]:
    with duckdb.connect(tmp_path / "warehouse.duckdb") as connection:
        create_marts(connection)
        connection.execute("create table marts.number as select 4 as n")
        connection.execute(
            "create view marts.rates as"
            " select rules.engagement_rate(1, n) as rate from marts.number"
        )
        yield connection


def published_by_an_earlier_version(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection, *earlier_rules: str
) -> Publication:
    """Publish like an earlier version with other rules, or without any."""
    with pytest.MonkeyPatch.context() as earlier:
        earlier.setattr("warehouse.publication.publish.models_version", lambda: "earlier")
        warehouse.execute("drop view marts.rates")
        made = publish(settings, warehouse, as_of=NOON)
    with duckdb.connect(made.path) as connection:
        for statement in earlier_rules:
            connection.execute(statement)
    return made


def rate_read_by(settings: Settings) -> object:
    current = CurrentPublication(settings.publications_path)
    with current.cursor() as cursor:
        [(rate,)] = cursor.execute(RATE).fetchall()
    current.close()
    return rate


def test_a_run_finds_them_in_the_warehouse_as_they_are_now(tmp_path: Path) -> None:
    with duckdb.connect(tmp_path / "warehouse.duckdb") as connection:
        create_tables(connection)
        connection.execute("create schema rules")
        connection.execute("create macro rules.engagement_rate(one) as 'of an earlier version'")
        begin_run(connection, as_of=NOON)
    with duckdb.connect(tmp_path / "warehouse.duckdb", read_only=True) as connection:
        assert connection.execute("select rules.engagement_rate(1, 4)").fetchall() == [(25.0,)]


def test_analysts_find_them_in_a_publication_also_under_another_name(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    made = publish(settings, warehouse, as_of=NOON)
    with duckdb.connect(made.path, read_only=True) as connection:
        assert connection.execute(RATE).fetchall() == [(25.0,)]
    with duckdb.connect() as connection:
        connection.execute(f"attach '{made.path}' as theirs (read_only)")
        assert connection.execute("from theirs.marts.rates").fetchall() == [(25.0,)]


@pytest.mark.slow
def test_readers_have_them(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> None:
    publish(settings, warehouse, as_of=NOON)
    assert rate_read_by(settings) == 25.0


@pytest.mark.slow
def test_readers_have_them_over_a_publication_without_any(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    made = published_by_an_earlier_version(settings, warehouse)
    with duckdb.connect(made.path, read_only=True) as connection, pytest.raises(duckdb.Error):
        connection.execute(RATE)
    assert rate_read_by(settings) == 25.0


@pytest.mark.slow
def test_readers_have_this_versions_rules_over_other_ones(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    published_by_an_earlier_version(
        settings,
        warehouse,
        "create schema rules",
        "create macro rules.engagement_rate(one, two) as 'of an earlier version'",
    )
    assert rate_read_by(settings) == 25.0


@pytest.mark.slow
def test_views_of_an_earlier_version_keep_their_rules(
    settings: Settings, warehouse: duckdb.DuckDBPyConnection
) -> None:
    view = "create view marts.rates as select rules.engagement_rate(n) as rate from marts.number"
    made = published_by_an_earlier_version(
        settings,
        warehouse,
        "create schema rules",
        "create macro rules.engagement_rate(one) as 'of an earlier version'",
        view,
        f"insert into files.views values ('rates', '{view}')",
    )
    again = relocate(settings)
    assert again.path != made.path
    with duckdb.connect(again.path, read_only=True) as connection:
        assert connection.execute("from marts.rates").fetchall() == [("of an earlier version",)]
    current = CurrentPublication(settings.publications_path)
    with current.cursor() as cursor:
        assert cursor.execute("from marts.rates").fetchall() == [("of an earlier version",)]
        assert cursor.execute(RATE).fetchall() == [(25.0,)]
    current.close()
