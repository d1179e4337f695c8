"""The operational store, attached for the length of a run."""

from collections.abc import Iterator

from dagster import InitResourceContext, resource

from warehouse.operational.store import OperationalStore, operational_store


@resource(required_resource_keys={"settings"})
def store(context: InitResourceContext) -> Iterator[OperationalStore]:
    """Attach PostgreSQL (starting the embedded server if it is down) and let go at the end."""
    with operational_store(context.resources.settings) as attached:
        yield attached
