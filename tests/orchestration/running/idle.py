"""A run that does nothing, for tests of reports about runs."""

from dagster import job, op


@op
def nothing() -> None: ...


@job
def idle() -> None:
    """A run with no events but Dagster's own."""
    nothing()
