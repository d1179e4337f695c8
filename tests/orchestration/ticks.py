"""The requests of a schedule at a tick."""

from collections.abc import Sequence
from typing import Any

from dagster import DagsterInstance, RepositoryDefinition, RunRequest, build_schedule_context


def ticked(
    schedule: str, repository: RepositoryDefinition, instance: DagsterInstance, **resources: Any
) -> Sequence[RunRequest]:
    """Return its requests, empty if it skips.

    An open context would leave Dagster's state with a closed instance for the next test in this
    process.
    """
    with build_schedule_context(
        instance=instance, repository_def=repository, resources=resources
    ) as context:
        return repository.get_schedule_def(schedule).evaluate_tick(context).run_requests or ()
