"""What a schedule asks for at a tick."""

from collections.abc import Sequence
from typing import Any

from dagster import DagsterInstance, RepositoryDefinition, RunRequest, build_schedule_context


def ticked(
    schedule: str, repository: RepositoryDefinition, instance: DagsterInstance, **resources: Any
) -> Sequence[RunRequest]:
    """Return its requests, none where it skips.

    A context that stays open leaves Dagster's state with an instance that is gone, for whatever
    runs next in this process.
    """
    with build_schedule_context(
        instance=instance, repository_def=repository, resources=resources
    ) as context:
        return repository.get_schedule_def(schedule).evaluate_tick(context).run_requests or ()
