"""Runs jobs of the asset graph in this process, without Dagster's services.

Failures leave the last publication in place and raise PipelineFailed.
"""

from orchestration.running.progress import Days, OnProgress, PipelineResult, silent
from warehouse.loading import loading
from warehouse.settings import Settings


def run_pipeline(
    settings: Settings,
    *,
    scrape: bool = True,
    comments: bool = True,
    on_progress: OnProgress = silent,
) -> PipelineResult:
    """Run the pipeline: everything, without `comments`, or only what follows the landing zone.

    Dagster's history has the run. Raises PipelineFailed.
    """
    job_name = pipeline_job(scrape=scrape, comments=comments)
    return run_job(settings, job_name, on_progress=on_progress)


def pipeline_job(*, scrape: bool, comments: bool) -> str:
    """Return the job of a run; without `scrape` there are no `comments` either."""
    if not scrape:
        return "rollup"
    return "pipeline" if comments else "pipeline_without_comments"


def run_job(
    settings: Settings,
    job_name: str,
    *,
    days: Days | None = None,
    on_progress: OnProgress = silent,
) -> PipelineResult:
    """Execute a job that ends in a publication, at the settings' business time.

    `days` are recomputed in addition to new data.
    """
    # Dagster and dbt take seconds to load; other commands do not load them.
    with loading():
        from orchestration.running.execution import execute  # noqa: PLC0415

    return execute(settings, job_name, days, on_progress=on_progress)
