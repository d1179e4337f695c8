"""Publishes the marts of a harness and compares each publication with them."""

from datetime import date, datetime, timedelta

import duckdb
import pyarrow as pa
import pytest

from tests.dbt_project.harness import Harness
from warehouse.catalogue.models import relation_of
from warehouse.control import touched
from warehouse.publication import base
from warehouse.publication.current import CurrentPublication
from warehouse.publication.facts import BIG_FACTS
from warehouse.publication.layout import current_folder
from warehouse.publication.publish import publish
from warehouse.settings import Settings

LATER = timedelta(days=31)
"""By the next month, the history's first month is no longer native."""


def publish_marts(harness: Harness, as_of: datetime, *others: str) -> None:
    """Publish, and compare the publication with the monthly marts and `others`."""
    settings = Settings(home=harness.folder)
    with harness.connect() as warehouse:
        if current_folder(settings.publications_path):
            assert_published_before(settings, warehouse)
        with pytest.MonkeyPatch.context() as changed:
            changed.setattr(base, "FEW_ROWS", as_of.hour % 2 * base.FEW_ROWS)
            publish(settings, warehouse, as_of=as_of)
        with CurrentPublication(settings.publications_path).cursor() as cursor:
            for mart in (*(fact.name for fact in BIG_FACTS), *others):
                published = all_rows(cursor, relation_of(mart))
                assert published.equals(all_rows(warehouse, relation_of(mart))), mart


def all_rows(connection: duckdb.DuckDBPyConnection, relation: str) -> pa.Table:
    """Return all rows, ordered by all columns."""
    return connection.execute(f"from {relation} order by all").to_arrow_table()


def assert_published_before(settings: Settings, warehouse: duckdb.DuckDBPyConnection) -> None:
    """Compare the last publication with the marts before each fact's first touched day."""
    with CurrentPublication(settings.publications_path).cursor() as cursor:
        [(run_id,)] = cursor.execute("select run_id from marts.run").fetchall()
        first_days = touched.touched_from(warehouse, touched.FIRST_DAY, run_id)
        for fact in BIG_FACTS:
            if fact.name in first_days:
                earlier = fact.between(None, first_days[fact.name])
                before = f"{fact.relation} where {earlier}"
                assert all_rows(cursor, before).equals(all_rows(warehouse, before)), before


def first_days(harness: Harness) -> dict[str, date]:
    """Return each fact's first day on which the marts may differ from the published ones."""
    with harness.connect() as warehouse:
        [(run_id,)] = warehouse.execute("select run_id from control.published").fetchall()
        return touched.touched_from(warehouse, touched.FIRST_DAY, run_id)


def untouched_facts(harness: Harness, until: datetime) -> list[str]:
    """Return the facts without touched days until this one."""
    return [fact for fact, first in first_days(harness).items() if first > until.date()]
