"""Programs other than the service read the same rows from a publication or the lake."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import duckdb
import pyarrow as pa
import pytest

from tests.dbt_project.harness import Harness
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.stories import as_copied
from tests.doses import TRIED_SEED
from tests.warehouse.lake.world import World
from warehouse.catalogue.models import MARTS, PUBLISHED
from warehouse.publication import marts
from warehouse.publication.current import CurrentPublication
from warehouse.publication.publish import Publication, publish

RELATIONS = """
    select table_schema || '.' || table_name
    from information_schema.tables
    where table_schema in $schemas and table_catalog = current_database()
    order by all
"""
AMOUNTS_IN_BASE = """
    select count(*)
    from machinery.payout_earned
    cross join files.base
    where fact = 'payout_earned' and period_end >= start and period_end < until
        and criteria_type = 'cpm'
"""
DERIVED = """
    select view_name from duckdb_views() where database_name = 'lake' and schema_name = 'main'
"""
Rows = dict[str, pa.Table]


@pytest.fixture(scope="module")
def harness(tmp_path_factory: pytest.TempPathFactory) -> Harness:
    """A warehouse with payments of all kinds."""
    built = Harness(tmp_path_factory.mktemp("warehouse"))
    [step] = PayoutHistory(TRIED_SEED, organizations=3, runs=1).steps()
    for batch in step.batches:
        built.ingest(**batch)
    built.decide(**as_copied(step.operational))
    run = built.begin(as_of=step.as_of)
    built.build(run)
    built.promote(run)
    return built


@contextmanager
def published(world: World, harness: Harness) -> Iterator[Publication]:
    """Publish until each small mart has a file of its own that publications share."""
    with harness.connect() as warehouse, pytest.MonkeyPatch.context() as changed:
        changed.setattr(marts, "LEAST_ROWS", 1)
        [(as_of,)] = warehouse.execute("select as_of from marts.run").fetchall()
        for _ in range(2):
            publication = publish(world.settings, warehouse, as_of=as_of)
        yield publication


def rows_of(connection: duckdb.DuckDBPyConnection, relations: Iterable[str]) -> Rows:
    return {
        relation: connection.execute(f"from {relation} order by all").to_arrow_table()
        for relation in relations
    }


def differing(some: Rows, others: Rows) -> list[str]:
    return [name for name, table in some.items() if not table.equals(others[name])]


@pytest.mark.slow
def test_each_relation_reads_alike_with_and_without_the_service(
    world: World, harness: Harness
) -> None:
    with published(world, harness) as publication:
        world.bring()
        with CurrentPublication(world.settings.publications_path).cursor() as cursor:
            relations = [
                name for (name,) in cursor.execute(RELATIONS, {"schemas": PUBLISHED}).fetchall()
            ]
            in_service = rows_of(cursor, relations)
    with duckdb.connect(publication.path, read_only=True) as plain:
        plain.execute("set TimeZone = 'UTC'")
        [(amounts_in_base,)] = plain.execute(AMOUNTS_IN_BASE).fetchall()
        assert differing(in_service, rows_of(plain, relations)) == []
    with world.analyst() as lake:
        in_lake = [name for name in relations if name.startswith(f"{MARTS}.")]
        assert differing(rows_of(lake, in_lake), in_service) == []
        derived = {mart for (mart,) in lake.execute(DERIVED).fetchall()}
    assert derived >= {"payout_accruals", "payout_costs", "campaign_costs", "costs_and_results"}
    assert amounts_in_base > 0
    assert in_service["marts.payout_costs"].num_rows > 0
