"""A run without Dagster's services: the same jobs of the same assets, executed in this process.

Failures leave the last publication in place and come out as one `PipelineFailed`.
"""

from collections.abc import Mapping

from orchestration.running.progress import Days, OnProgress, PipelineResult, silent
from warehouse.settings import Settings


def run_pipeline(
    settings: Settings,
    *,
    scrape: bool = True,
    comments: bool = True,
    on_progress: OnProgress = silent,
    recorded: bool = False,
) -> PipelineResult:
    """Make one whole pipeline run, one without `comments`, or everything after the landing zone.

    `recorded`: also where Dagster's UI shows it. Raises PipelineFailed.
    """
    job_name = pipeline_job(scrape=scrape, comments=comments)
    return run_job(settings, job_name, on_progress=on_progress, recorded=recorded)


def run_scrape(
    settings: Settings, *, on_progress: OnProgress = silent, recorded: bool = False
) -> Mapping[str, int]:
    """Look at every account and post and land what is seen; return how the looks ended.

    Nothing is computed: the next pipeline run does that for all that landed. Raises PipelineFailed.
    """
    from orchestration.running.execution import execute_scrape  # noqa: PLC0415  as in run_job

    return execute_scrape(settings, on_progress=on_progress, recorded=recorded)


def pipeline_job(*, scrape: bool, comments: bool) -> str:
    """Return the job of a run; one that does not `scrape` collects no `comments` either."""
    if not scrape:
        return "rollup"
    return "pipeline" if comments else "pipeline_without_comments"


def run_job(
    settings: Settings,
    job_name: str,
    *,
    days: Days | None = None,
    on_progress: OnProgress = silent,
    recorded: bool = False,
) -> PipelineResult:
    """Execute a job that ends in a publication, at the settings' business time.

    `days` are computed once more beside what is new.
    """
    # Dagster and dbt take seconds to load: commands that run nothing do without them.
    from orchestration.running.execution import execute  # noqa: PLC0415

    return execute(settings, job_name, days, on_progress=on_progress, recorded=recorded)
