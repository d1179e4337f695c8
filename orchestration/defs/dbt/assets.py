"""The control row and all dbt models, built and tested as one op.

It records one event per mart and one check per asset.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime

from dagster import (
    AssetCheckResult,
    AssetExecutionContext,
    AssetsDefinition,
    AssetSpec,
    Config,
    Failure,
    MaterializeResult,
    ResourceParam,
    multi_asset,
)
from duckdb import DuckDBPyConnection

from orchestration.building.executor import build
from orchestration.building.results import NodeResult, explain, unsound
from orchestration.defs.dbt.marts import Manifest, checked, checks_of, does_not_hold, mart_specs
from orchestration.partitions import SHARDS, days_to_recompute
from orchestration.resources.warehouse import WarehouseWriter
from orchestration.running import steps
from orchestration.running.progress import OnProgress, Progress
from orchestration.running.steps import key_of, spec_of
from warehouse.catalogue.control import RUN
from warehouse.catalogue.models import PUBLISHED
from warehouse.catalogue.raw import RAW
from warehouse.control import Run, begin_run
from warehouse.operational.clock import business_time
from warehouse.operational.store import OperationalStore
from warehouse.settings import Settings

CONTROL = spec_of(
    RUN, deps=[key_of(table) for table in RAW], group_name="control"
).replace_attributes(
    description=f"{RUN.means} Includes the results of staging and intermediate models."
)
SLOWEST = 5
"""How many of the slowest models are reported."""


ALL_AT_ONCE = "marts are computed together: launch the job `recompute` instead of single assets"


class BuildConfig(Config):
    full_refresh: bool = False
    """Compute everything, not only what new readings touch."""


def dbt_models(manifest: Manifest) -> AssetsDefinition:
    """Return the asset of all marts: one op, so that a publication is consistent."""
    marts = mart_specs(manifest)
    checks = checks_of(manifest, marts, CONTROL.key)

    @multi_asset(
        name="dbt",
        specs=[CONTROL, *(_after_control(spec) for spec in marts.values())],
        check_specs=[check.spec for check in checks],
        partitions_def=SHARDS,
        can_subset=True,  # so that a subset is refused in our words
    )
    def build_models(  # noqa: PLR0917  Dagster passes them by name
        context: AssetExecutionContext,
        config: BuildConfig,
        settings: ResourceParam[Settings],
        store: ResourceParam[OperationalStore],
        warehouse: ResourceParam[WarehouseWriter],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[AssetCheckResult | MaterializeResult[None]]:
        """Write the control row, then execute the models; a red result fails the op."""
        if context.selected_asset_keys != {CONTROL.key, *(spec.key for spec in marts.values())}:
            raise Failure(ALL_AT_ONCE, allow_retries=False)
        if not warehouse.has_ingested:
            _require_batches(warehouse)
        run = _begin(context, config, business_time(settings, store), warehouse)
        ended = build(
            settings,
            run,
            on_node=lambda name, done, total: on_progress(Progress("compute", done, total, name)),
        )
        results = {result.unique_id: result for result in ended}
        if not all(result.is_green for result in ended):
            failing = {result.unique_id for result in ended if does_not_hold(result)}
            yield from (checked(c, results) for c in checks if failing & c.tests.keys())
            raise Failure(explain(ended), allow_retries=False)
        warehouse.green, warehouse.unsound = run, unsound(ended)
        yield _began(run, [result for result in ended if result.unique_id not in marts])
        sizes = _sizes(warehouse, ended)
        for result in ended:  # parents first
            if result.unique_id in marts:
                yield _made(marts[result.unique_id], result, sizes.get(result.name))
        yield from (checked(check, results) for check in checks)

    return build_models


def _after_control(spec: AssetSpec) -> AssetSpec:
    """Make the control row an upstream of the models: it tells them what to read."""
    deps = {dep.asset_key for dep in spec.deps} | {CONTROL.key}
    return spec.replace_attributes(deps=sorted(deps))


def _require_batches(warehouse: WarehouseWriter) -> None:
    """Fail where a run emptied the raw tables, for other members, and did not ingest all again."""
    if warehouse.lacks_batches():
        raise Failure(
            "the warehouse lacks batches: run `tracker run --no-scrape` first",
            allow_retries=False,
        )


def _begin(
    context: AssetExecutionContext,
    config: BuildConfig,
    as_of: datetime,
    warehouse: WarehouseWriter,
) -> Run:
    from_day, to_day = days_to_recompute(context)
    with warehouse.connection() as connection:
        return begin_run(
            connection,
            as_of=as_of,
            full_refresh=config.full_refresh,
            from_day=from_day,
            to_day=to_day,
        )


def _began(run: Run, below_marts: list[NodeResult]) -> MaterializeResult[None]:
    """Report the run, and the time of models and tests below the marts."""
    slowest = sorted(below_marts, key=lambda result: result.seconds, reverse=True)[:SLOWEST]
    return MaterializeResult(
        asset_key=CONTROL.key,
        metadata={
            "run_id": str(run.run_id),
            steps.AS_OF: run.as_of.isoformat(),
            steps.SECONDS: sum(result.seconds for result in below_marts),
            steps.SLOWEST: {result.name: result.seconds for result in slowest},
        },
    )


def _sizes(warehouse: WarehouseWriter, ended: list[NodeResult]) -> Mapping[str, "Size"]:
    written = {result.name: result.rows_written for result in ended}
    with warehouse.connection() as connection:
        return mart_sizes(connection, written)


def _made(spec: AssetSpec, result: NodeResult, size: "Size | None") -> MaterializeResult[None]:
    """Report a mart; unknown figures are left out."""
    figures: dict[str, float | None] = {
        steps.SECONDS: result.seconds,
        steps.ROWS_WRITTEN: result.rows_written,
        steps.ROWS: size.rows if size else None,
        steps.BYTES: size.bytes if size else None,
    }
    known = {name: value for name, value in figures.items() if value is not None}
    return MaterializeResult(asset_key=spec.key, metadata=known)


BLOCKS_READ = 2_000_000
"""Rows up to which every run counts a mart's blocks. DuckDB reads each block: half a second for 20
million rows. Larger marts are counted only after a run rewrote them."""

TABLES = """
    select
        table_name,
        schema_name || '.' || table_name
    from duckdb_tables()
    where database_name = current_database() and schema_name in $published
"""
ROWS = "select '{mart}', count(*) from {relation}"
BYTES = """
    select '{mart}', (
        select count(distinct block_id) filter (where block_id >= 0)
        from pragma_storage_info('{relation}')
    ) * (select block_size from pragma_database_size())
"""


@dataclass(frozen=True, slots=True)
class Size:
    """Rows of a mart, and bytes of its blocks; None if these were not counted."""

    rows: int
    bytes: int | None


def mart_sizes(
    connection: DuckDBPyConnection, written: Mapping[str, int | None]
) -> dict[str, Size]:
    """Return the sizes of all published tables; `written` has the rows that this run wrote."""
    marts = dict(connection.execute(TABLES, {"published": PUBLISHED}).fetchall())
    rows = _of_each(connection, ROWS, marts)
    counted = {
        mart: relation
        for mart, relation in marts.items()
        if rows[mart] <= max(BLOCKS_READ, written.get(mart) or 0)
    }
    sizes = _of_each(connection, BYTES, counted)
    return {mart: Size(rows[mart], sizes.get(mart)) for mart in marts}


def _of_each(
    connection: DuckDBPyConnection, query: str, marts: Mapping[str, str]
) -> dict[str, int]:
    if not marts:
        return {}
    each = (query.format(mart=mart, relation=relation) for mart, relation in marts.items())
    return dict(connection.execute(" union all ".join(each)).fetchall())
