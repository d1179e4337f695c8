"""The last publication into the bucket once more, where that failed when it was made."""

from dagster import ResourceParam, RunConfig, job, op

from orchestration.running.logs import LOGGERS, TO_STDERR
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


@job(
    hooks={NOTE_STEP},
    logger_defs=LOGGERS,
    config=RunConfig(loggers=TO_STDERR),
    description="Bring the last publication into the bucket, which was away or full.",
)
def share() -> None:
    """Nothing is computed: other machines serve what this one serves."""
    share_once_more()
