"""The run history of an installation: opening it, and what is under way in it.

One history an installation: `tracker run` and `tracker up` record in the same place.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from dagster import (
    DagsterInstance,
    DagsterInvalidConfigError,
    DagsterRunStatus,
    DefaultRunLauncher,
    RunsFilter,
)
from dagster_shared.check import CheckError

from orchestration.running.instance import dagster_home
from warehouse.settings import Settings

BY_COMMAND = "tracker/command"
"""Tag of runs that a command executes in its own process."""
QUEUED_LOOKS = {"tracker/looks": "queued"}
"""Tags of scrapes that look only at what somebody asked for."""

UNDER_WAY = (
    DagsterRunStatus.QUEUED,
    DagsterRunStatus.NOT_STARTED,
    DagsterRunStatus.STARTING,
    DagsterRunStatus.STARTED,
    DagsterRunStatus.CANCELING,
)


class InstanceUnusableError(Exception):
    """Dagster does not take its settings: what it says of them."""


def open_instance(settings: Settings) -> DagsterInstance:
    """Open the installation's run history (use as a context manager).

    Raises InstanceUnusableError.
    """
    with _told_in_one_line():
        return DagsterInstance.from_config(str(dagster_home(settings)))


def close_abandoned_runs(instance: DagsterInstance) -> None:
    """Mark runs as failed whose processes died with an earlier `tracker up`.

    To be called before anything is launched. Runs of `tracker run` are left alone: they belong to
    processes of their own, as do those of another launcher than Dagster's default one. Raises
    InstanceUnusableError.
    """
    with _told_in_one_line():
        launcher = instance.run_launcher
    if not isinstance(launcher, DefaultRunLauncher):
        return
    for run in instance.get_runs(RunsFilter(statuses=list(UNDER_WAY))):
        if BY_COMMAND not in run.tags:
            instance.report_run_failed(run, "left behind by an earlier `tracker up`")


def is_running(
    instance: DagsterInstance,
    job_name: str,
    tags: Mapping[str, str] | None = None,
    *,
    besides: Mapping[str, str] | None = None,
) -> bool:
    """Return whether a run of the job (with these tags; besides those with those) is under way."""
    under_way = RunsFilter(job_name=job_name, statuses=list(UNDER_WAY), tags=dict(tags or {}))
    runs = instance.get_runs(under_way)
    return any(besides is None or not besides.items() <= run.tags.items() for run in runs)


@contextmanager
def _told_in_one_line() -> Iterator[None]:
    try:
        yield
    except (DagsterInvalidConfigError, CheckError) as refused:
        said = " ".join(str(refused).split())
        raise InstanceUnusableError(f"Dagster does not take its settings: {said}") from refused
