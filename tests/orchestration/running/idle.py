"""A run that does nothing, for what is told of runs."""

from dagster import job, op


@op
def nothing() -> None:
    """Do nothing."""


@job
def idle() -> None:
    """A run whose events are Dagster's alone."""
    nothing()
