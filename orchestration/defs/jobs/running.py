"""Whether a job is already at work, so that schedules and sensors do not pile up runs.

Politeness only: what keeps two writers apart is the warehouse lock.
"""

from dagster import DagsterInstance, RunsFilter

from orchestration.lib.instance import UNDER_WAY


def is_running(
    instance: DagsterInstance, job_name: str, tags: dict[str, str] | None = None
) -> bool:
    """Return whether a run of the job (with these tags) is queued or at work."""
    under_way = RunsFilter(job_name=job_name, statuses=list(UNDER_WAY), tags=tags or {})
    return bool(instance.get_run_ids(under_way, limit=1))
