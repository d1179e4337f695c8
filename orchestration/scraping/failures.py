"""From what went wrong to what happens next: try the step again, or go on.

Decided here once. Outcomes of fetches are no failures: they are landed and counted. Only a platform
that could not be reached at all is tried again, since that costs little and the network may be
back; after that the pipeline run goes on without it, and a check says so.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import psycopg
from adbc_driver_manager import dbapi as adbc
from dagster import RetryRequested
from sqlalchemy.exc import OperationalError

from scrapers.outcomes import Outcome

TRIES_AGAIN = 2
SECONDS_BETWEEN = 15


def is_unreachable(outcomes: Mapping[str, int]) -> bool:
    """Return whether fetches were taken and not one of them was answered in any way."""
    return set(outcomes) == {Outcome.UNREACHABLE.value}


def retry_unless_spent(retry_number: int) -> None:
    """Ask for another try of the step (raises RetryRequested) while any is left."""
    if retry_number < TRIES_AGAIN:
        raise RetryRequested(max_retries=TRIES_AGAIN, seconds_to_wait=SECONDS_BETWEEN)


LOST_DATABASE = (OperationalError, psycopg.OperationalError, adbc.OperationalError)
"""A lost or restarting PostgreSQL, through each of the three ways in which we speak with it."""


@contextmanager
def database_faults() -> Iterator[None]:
    """Turn a lost or restarting PostgreSQL into another try of the step."""
    try:
        yield
    except LOST_DATABASE as lost:
        raise RetryRequested(max_retries=TRIES_AGAIN, seconds_to_wait=SECONDS_BETWEEN) from lost
