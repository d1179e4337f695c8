"""The operational store, attached for the length of a run."""

from collections.abc import Iterator

from dagster import InitResourceContext, resource
from structlog.contextvars import bound_contextvars

from warehouse.operational.store import OperationalStore, operational_store


@resource(required_resource_keys={"settings"})
def store(context: InitResourceContext) -> Iterator[OperationalStore]:
    """Attach PostgreSQL (starting the embedded server if it is down) and let go at the end.

    What is logged in between says of which run it is.
    """
    log_context = bound_contextvars(run_id=context.run.run_id if context.run else None)
    with log_context, operational_store(context.resources.settings) as attached:
        yield attached
