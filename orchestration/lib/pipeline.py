"""A pass without Dagster's services: the same jobs of the same assets, executed in this process.

Failures leave the last publication in place and come out as one `PipelineFailed`.
"""

from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from dagster import DagsterInstance, ExecuteInProcessResult, partition_loading_context
from dagster._core.execution.plan.objects import StepFailureData

from orchestration.build import build_definitions
from orchestration.defs.publish.assets import PUBLICATION
from orchestration.defs.scrape.assets import LANDED
from orchestration.lib import metadata
from orchestration.lib.progress import OnProgress, silent
from orchestration.partitions import partition_of
from warehouse.settings import Settings

STEPS = {
    "landing__tiktok": "scrape tiktok",
    "landing__instagram": "scrape instagram",
    "postgres__registry": "register",
    "operational_copy": "copy",
    "ingestion": "ingest",
    "dbt": "compute",
    "publications__current": "publish",
}
"""What people call the steps that Dagster names after assets."""


@dataclass(frozen=True)
class PipelineResult:
    """What a pass did. `seconds` are by step, in the order of the flow."""

    as_of: datetime
    publication_id: str
    publication_path: Path
    outcomes: dict[str, int] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)


class PipelineFailed(Exception):  # noqa: N818 (reads as what happened)
    """A pass did not get to a new publication. `step` is where it ended."""

    def __init__(self, step: str, reason: str) -> None:
        super().__init__(f"{step}: {reason}")
        self.step = step


def run_pipeline(
    settings: Settings,
    *,
    scrape: bool = True,
    on_progress: OnProgress = silent,
    instance: DagsterInstance | None = None,
) -> PipelineResult:
    """Make one whole pass, or (`scrape=False`) everything after the landing zone.

    Recorded in `instance` (None: nowhere). Raises PipelineFailed.
    """
    return run_job(
        settings,
        "pipeline" if scrape else "rollup",
        on_progress=on_progress,
        instance=instance,
    )


def run_job(
    settings: Settings,
    job_name: str,
    *,
    on_progress: OnProgress = silent,
    instance: DagsterInstance | None = None,
) -> PipelineResult:
    """Execute a job that ends in a publication, at the settings' business time."""
    as_of = settings.clock()
    definitions = build_definitions(settings, on_progress=on_progress)
    job = definitions.resolve_job_def(job_name)
    with partition_loading_context(effective_dt=as_of):
        result = job.execute_in_process(
            partition_key=partition_of(as_of),
            instance=instance,
            raise_on_error=False,
            run_config={"loggers": {"console": {"config": {"log_level": "CRITICAL"}}}},
        )
    if not result.success:
        raise _failure(result)
    return _result(result)


def _failure(result: ExecuteInProcessResult) -> PipelineFailed:
    """Return the first failed step with the reason that whoever raised it gave."""
    for event in result.all_events:
        if event.is_step_failure:
            return PipelineFailed(_title(event.step_key), _reason(event.step_failure_data))
    return PipelineFailed("start", "the run could not be started")


def _reason(failed: StepFailureData) -> str:
    if failed.user_failure_data and failed.user_failure_data.description:
        return failed.user_failure_data.description
    error = failed.error
    while error and error.cause:
        error = error.cause
    return " ".join(error.message.split()) if error else "no reason was given"


def _result(result: ExecuteInProcessResult) -> PipelineResult:
    said = {
        materialization.asset_key: materialization
        for event in result.get_asset_materialization_events()
        if (materialization := event.materialization)
    }
    published = said[PUBLICATION]
    return PipelineResult(
        as_of=datetime.fromisoformat(metadata.plain(published, metadata.AS_OF)),
        publication_id=metadata.plain(published, metadata.PUBLICATION),
        publication_path=Path(metadata.plain(published, metadata.PATH)),
        outcomes=metadata.summed(
            [metadata.plain(said[key], metadata.OUTCOMES) for key in LANDED if key in said]
        ),
        seconds=_seconds(result),
        warnings=[
            f"check {check.check_name} of {check.asset_key.to_user_string()}: {check.description}"
            for check in result.get_asset_check_evaluations()
            if not check.passed
        ],
    )


def _seconds(result: ExecuteInProcessResult) -> dict[str, float]:
    return {
        _title(event.step_key): event.step_success_data.duration_ms / 1000
        for event in result.all_events
        if event.is_step_success
    }


def _title(step_key: str | None) -> str:
    """Return the step's name for people: of assets with one op, the op's name in STEPS."""
    return STEPS.get(step_key or "", step_key or "start")
