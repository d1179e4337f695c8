"""Executes a job of the asset graph in this process, and reads its result.

`pipeline` imports this module, and with it Dagster and dbt, only when needed.
"""

import re
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from dagster import (
    AssetKey,
    AssetMaterialization,
    DagsterExecutionInterruptedError,
    ExecuteInProcessResult,
)
from dagster_shared.error import SerializableErrorInfo

from orchestration.assembly import build_definitions
from orchestration.defs.publish import PUBLICATION
from orchestration.defs.scrape import COMMENTS, LANDED
from orchestration.partitions import add_partition, days_tag
from orchestration.running import steps
from orchestration.running.interrupts import handlers_restored
from orchestration.running.logs import TO_STDERR
from orchestration.running.postgresql import HistoryUnusableError, history_errors, open_instance
from orchestration.running.progress import Days, OnProgress, PipelineFailed, PipelineResult
from orchestration.running.steps import title_of
from warehouse.operational.store import operational_store
from warehouse.settings import MAIN_SHARD, Settings

Materializations = Mapping[AssetKey, AssetMaterialization]
"""Materializations by asset."""

QUIET = {"loggers": {logger: {"config": {"log_level": "CRITICAL"}} for logger in TO_STDERR}}
"""Steps report their progress; Dagster's log is for its UI."""


@handlers_restored()
def execute(
    settings: Settings, job_name: str, days: Days | None, *, on_progress: OnProgress
) -> PipelineResult:
    """Execute a job that ends in a publication, at the settings' business time.

    Raises PipelineFailed.
    """
    job = build_definitions(settings, on_progress=on_progress).resolve_job_def(job_name)
    shard = settings.shard or MAIN_SHARD
    try:
        with operational_store(settings), open_instance(settings) as instance, history_errors():
            add_partition(instance, shard)
            result = job.execute_in_process(
                partition_key=shard,
                instance=instance,
                raise_on_error=False,
                run_config=QUIET,
                tags=days_tag(*days) if days else {},
            )
    except HistoryUnusableError as wrong:
        raise PipelineFailed("start", f"{wrong}. {wrong.way_out.rstrip('.')}") from wrong
    except DagsterExecutionInterruptedError as interrupted:
        raise KeyboardInterrupt from interrupted
    if not result.success:
        raise _failure(result)
    return _result(result)


def _failure(result: ExecuteInProcessResult) -> PipelineFailed:
    """Return the first failed step with its reason, or why no step started.

    Raises KeyboardInterrupt if a signal ended the step.
    """
    for event in result.all_events:
        if event.is_step_failure:
            failed = event.step_failure_data
            description = failed.user_failure_data.description if failed.user_failure_data else None
            if steps.was_interrupted(failed.error):
                raise KeyboardInterrupt
            reason = description or _reason(failed.error)
            return PipelineFailed(title_of(event.step_key), reason)
    ended = next(event for event in result.all_events if event.is_job_failure)
    return PipelineFailed("start", _reason(ended.job_failure_data.error))


OURS = re.compile(r"(orchestration|scrapers|warehouse)\.[\w.]+: ")
"""Start of the message of an error of ours, which is a sentence for people."""


def _reason(error: SerializableErrorInfo | None) -> str:
    """Return the message of the first error of ours, or else of the root cause."""
    messages = [cause.message for cause in steps.causes(error)]
    if not messages:
        return "no reason was given"
    message = next(filter(OURS.match, messages), messages[-1])
    return " ".join(OURS.sub("", message, count=1).split())


def _materialized(result: ExecuteInProcessResult) -> Materializations:
    return {
        materialization.asset_key: materialization
        for event in result.get_asset_materialization_events()
        if (materialization := event.materialization)
    }


def _outcomes(metadata_by_asset: Materializations) -> dict[str, int]:
    parts = [
        steps.plain(metadata_by_asset[key], steps.OUTCOMES)
        for key in (*LANDED, COMMENTS)
        if key in metadata_by_asset
    ]
    return steps.summed(parts)


def _result(result: ExecuteInProcessResult) -> PipelineResult:
    metadata_by_asset = _materialized(result)
    published = metadata_by_asset[PUBLICATION]
    return PipelineResult(
        as_of=datetime.fromisoformat(steps.plain(published, steps.AS_OF)),
        publication_id=steps.plain(published, steps.PUBLICATION),
        publication_path=Path(steps.plain(published, steps.PATH)),
        outcomes=_outcomes(metadata_by_asset),
        seconds=_seconds(result),
        warnings=[
            f"check {check.check_name} of {check.asset_key.to_user_string()}: {check.description}"
            for check in result.get_asset_check_evaluations()
            if not check.passed
        ],
    )


def _seconds(result: ExecuteInProcessResult) -> dict[str, float]:
    return {
        title_of(event.step_key): event.step_success_data.duration_ms / 1000
        for event in result.all_events
        if event.is_step_success
    }
