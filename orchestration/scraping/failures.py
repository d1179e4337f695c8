"""Decides whether a failed step is retried.

Outcomes of fetches are not failures: they are landed and counted. Only a crawl of everything is
retried if the platform was unreachable, because a retry is cheap and the network may be back; the
schedule and the queue retry what they gave. After that the run continues without it, and a check
reports it.
"""

import asyncio
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager

import psycopg
import stamina
import structlog
from adbc_driver_manager import dbapi as adbc
from dagster import RetryRequested
from sqlalchemy.exc import OperationalError

from scrapers.outcomes import Outcome
from warehouse.storage.storage import StorageAwayError

TRIES_AGAIN = 2
SECONDS_BETWEEN = 15

log = structlog.get_logger(__name__)


def is_unreachable(outcomes: Collection[str]) -> bool:
    """Return whether there were fetches and the platform answered none of them."""
    return set(outcomes) == {Outcome.UNREACHABLE.value}


def retry_unless_spent(retry_number: int) -> None:
    """Request a retry of the step (raises RetryRequested) while any is left."""
    if retry_number < TRIES_AGAIN:
        raise RetryRequested(max_retries=TRIES_AGAIN, seconds_to_wait=SECONDS_BETWEEN)


LOST_DATABASE = (OperationalError, psycopg.OperationalError, adbc.OperationalError)
"""Errors of a lost or restarting PostgreSQL, of each of our three drivers."""
AWAY = (*LOST_DATABASE, OSError, StorageAwayError)
"""Errors of what may be back soon: PostgreSQL, the landing folder or its bucket."""
LONGEST_AWAY = 60.0
"""Seconds to wait for PostgreSQL with a write that matters: a renewed token, the end of a lease."""

when_back = stamina.RetryingCaller(attempts=None, timeout=LONGEST_AWAY).on(LOST_DATABASE)
"""Calls a function, again while PostgreSQL is away; it blocks its thread meanwhile."""
by_new_connection = stamina.RetryingCaller(attempts=2).on(LOST_DATABASE)
"""Calls it once more: the connections of a machine that stood still are broken."""


async def unless_lost(work: Callable[[], object]) -> None:
    """Work in a thread. A lost PostgreSQL may be back before leases end; landed batches stay."""
    try:
        await asyncio.to_thread(work)
    except LOST_DATABASE as lost:
        log.warning("crawl_goes_on_without_postgresql", error=str(lost))


@contextmanager
def database_faults() -> Iterator[None]:
    """Turn a lost or restarting PostgreSQL into a retry of the step."""
    try:
        yield
    except LOST_DATABASE as lost:
        raise RetryRequested(max_retries=TRIES_AGAIN, seconds_to_wait=SECONDS_BETWEEN) from lost
