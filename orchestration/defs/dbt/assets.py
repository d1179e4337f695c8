"""The run's control row and all dbt models: built together, tested together, or failed together."""

from collections.abc import Iterator

from dagster import (
    AssetCheckResult,
    AssetCheckSeverity,
    AssetCheckSpec,
    AssetExecutionContext,
    AssetKey,
    AssetsDefinition,
    AssetSpec,
    BackfillPolicy,
    Config,
    Failure,
    MaterializeResult,
    PartitionsDefinition,
    ResourceParam,
    multi_asset,
)

from orchestration.defs.dbt.translator import Manifest, check_specs, model_specs
from orchestration.defs.ingest.assets import RAW
from orchestration.defs.scoring.assets import SCORED
from orchestration.lib import dbt, metadata
from orchestration.lib.progress import OnProgress, Progress
from orchestration.partitions import days_to_recompute
from orchestration.resources.warehouse import WarehouseWriter
from warehouse.control import Run, begin_run
from warehouse.settings import Settings

CONTROL = AssetSpec(
    AssetKey(["control", "run"]),
    deps=[["raw", table] for table in (*RAW, *SCORED)],
    group_name="control",
    kinds={"duckdb"},
    description="The run's parameters: business time, watermark, days to recompute.",
)


class BuildConfig(Config):
    """How the models are built."""

    full_refresh: bool = False
    """Compute everything anew instead of what the new readings touch."""


def dbt_models(manifest: Manifest, days: PartitionsDefinition) -> AssetsDefinition:
    """Return the asset of all models: one op, since marts of one publication fit each other."""
    models = model_specs(manifest)
    checks = check_specs(manifest)

    @multi_asset(
        name="dbt",
        specs=[CONTROL, *(_after_control(spec) for spec in models.values())],
        check_specs=list(checks.values()),
        partitions_def=days,
        backfill_policy=BackfillPolicy.single_run(),
    )
    def build_models(
        context: AssetExecutionContext,
        config: BuildConfig,
        settings: ResourceParam[Settings],
        warehouse: ResourceParam[WarehouseWriter],
        on_progress: ResourceParam[OnProgress],
    ) -> Iterator[AssetCheckResult | MaterializeResult[None]]:
        """Begin the run in the control table, then `dbt build`: red results end it here."""
        run = _begin(context, config, settings, warehouse)
        yield MaterializeResult(
            asset_key=CONTROL.key,
            metadata={"run_id": str(run.run_id), metadata.AS_OF: run.as_of.isoformat()},
        )
        results = dbt.build(
            settings,
            run,
            on_node=lambda name, done, total: on_progress(Progress("compute", done, total, name)),
        )
        if not all(result.is_green for result in results):
            raise Failure(dbt.explain(results), allow_retries=False)
        warehouse.green = run
        for result in results:
            if result.unique_id in models:
                yield MaterializeResult(
                    asset_key=models[result.unique_id].key, metadata={"seconds": result.seconds}
                )
            elif result.unique_id in checks:
                yield _checked(checks[result.unique_id], result)

    return build_models


def _after_control(spec: AssetSpec) -> AssetSpec:
    """Let the models that read sources follow the control row, which tells them what to read."""
    deps = {dep.asset_key: dep for dep in spec.deps}
    if spec.group_name != "staging" or CONTROL.key in deps:
        return spec
    return spec.replace_attributes(deps=[*deps.values(), CONTROL.key])


def _begin(
    context: AssetExecutionContext,
    config: BuildConfig,
    settings: Settings,
    warehouse: WarehouseWriter,
) -> Run:
    as_of = settings.clock()
    from_day, to_day = days_to_recompute(context, as_of)
    with warehouse.connection() as connection:
        return begin_run(
            connection,
            as_of=as_of,
            full_refresh=config.full_refresh,
            from_day=from_day,
            to_day=to_day,
        )


def _checked(spec: AssetCheckSpec, result: dbt.NodeResult) -> AssetCheckResult:
    return AssetCheckResult(
        asset_key=spec.asset_key,
        check_name=spec.name,
        passed=result.status == "pass",
        severity=AssetCheckSeverity.ERROR if spec.blocking else AssetCheckSeverity.WARN,
        metadata={"failing_rows": result.failures or 0, "seconds": result.seconds},
    )
