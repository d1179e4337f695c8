"""The last publication into the bucket once more, where that failed when it was made."""

from typing import Any

from dagster import JobDefinition, PartitionedConfig, ResourceParam, RunConfig, job, op

from orchestration.running.logs import LOGGERS
from orchestration.running.steps import NOTE_STEP
from warehouse.operational.store import OperationalStore
from warehouse.publication.shared.sending import share_last
from warehouse.settings import Settings


@op(name="sharing")
def share_once_more(
    settings: ResourceParam[Settings], store: ResourceParam[OperationalStore]
) -> None:
    """Bring this machine's last publication into the bucket, unless a later one is there."""
    share_last(settings, store)


def sharing(config: RunConfig | PartitionedConfig[Any]) -> JobDefinition:
    """Return the job, with what is said to its runs."""

    @job(
        hooks={NOTE_STEP},
        logger_defs=LOGGERS,
        config=config,
        description="Bring the last publication into the bucket, which was away or full.",
    )
    def share() -> None:
        """Nothing is computed: other machines serve what this one serves."""
        share_once_more()

    return share
