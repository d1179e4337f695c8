"""Uploads the last publication to the bucket again, after an upload failed."""

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
    """Upload this machine's last publication to the bucket, unless a newer one is there."""
    share_last(settings, store)


def sharing(config: RunConfig | PartitionedConfig[Any]) -> JobDefinition:
    """Return the job with the config of its runs."""

    @job(
        hooks={NOTE_STEP},
        logger_defs=LOGGERS,
        config=config,
        description="Upload the last publication to the bucket, after it was unavailable or full.",
    )
    def share() -> None:
        """Upload only: other machines then serve what this one serves."""
        share_once_more()

    return share
