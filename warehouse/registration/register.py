"""Registers landed batches of scrapes, and rejects bad ones."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from uuid import UUID

import polars as pl
import psycopg
import structlog
from sqlalchemy.exc import DataError, DBAPIError
from sqlalchemy.orm import Session

from warehouse.at_once import at_once
from warehouse.clock import system_clock
from warehouse.landing.batches import Batch
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.operational.clock import clock_of_database
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration.deciding import decide_batches
from warehouse.registration.gathering import (
    Gathered,
    Reading,
    RegistrationResult,
    gather,
    read,
    reading_ahead,
)
from warehouse.registration.once import Frames, register_once
from warehouse.settings import Settings

UNSTORABLE = (DataError, psycopg.DataError)
"""PostgreSQL rejects a value: through SQLAlchemy, or in a COPY."""

OF_ROWS = ("23", "44", "54", "P0")
"""Starts of SQLSTATEs that rows cause: constraints, limits, exceptions of triggers."""
OF_READING = (pl.exceptions.PolarsError, ValueError, TypeError, LookupError, ArithmeticError)
TRIES = 3
MOST_FAILED = 3
"""If more batches fail, and more than succeed, the fault is not theirs."""

ALLOWED_LEAD = timedelta(minutes=1)
"""Maximum by which a reading may be ahead of PostgreSQL's clock."""

log = structlog.get_logger(__name__)


class UnregistrableError(Exception):
    """Most batches fail: the fault is the program's or PostgreSQL's, not theirs. They stay."""


def register_before_fetching(store: OperationalStore, settings: Settings) -> None:
    """Register all landed batches. If most fail, this is logged, and fetches still land."""
    try:
        register_landed(store, settings)
    except UnregistrableError as error:
        log.error("batches not registered", error=str(error))  # noqa: TRY400  the rollup has it all


def register_landed(store: OperationalStore, settings: Settings) -> list[RegistrationResult]:
    """Register all landed batches, oldest first. Damaged ones are rejected.

    Those that fail by themselves three times are rejected too, after all others are registered. If
    most do, each is tried once, and stays. Batches of a newer version stay in place until this
    program is upgraded, batches from the future until PostgreSQL's clock reaches them. Raises
    UnregistrableError.
    """
    landing = open_landing(settings)
    batches, results = landing.incoming(), list[RegistrationResult]()
    with reading_ahead(landing, batches) as reading:
        while left := batches[len(results) :]:
            results += _register(store, landing, left, reading)
    if reasons := [result.waits for result in results if result.waits]:
        log.warning("batches wait", batches=len(reasons), reason=reasons[0])
    ended = [result for result in results if not result.waits]
    failed = {result.batch_id: result.error for result in ended if result.error}
    if len(failed) > max(MOST_FAILED, len(ended) - len(failed)):
        first = next(result for result in ended if result.error)
        reason = f"{len(failed)} batches cannot be registered: {_rejected(first).rejected}"
        raise UnregistrableError(reason) from first.error
    results_of = {result.batch_id: _rejected(result) for result in ended}
    for batch in batches:
        if batch.batch_id in failed:
            results_of[batch.batch_id] = _retried(store, landing, batch)
    return list(results_of.values())


def _retried(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    """Return the result of a batch that failed once; reject it if it fails each time."""
    for _ in range(TRIES - 1):
        result = register_batch(store, landing, batch)
        if not result.error:
            return result
    return _settle(landing, {batch.batch_id: _rejected(result)}, batch)


def register_one(store: OperationalStore, landing: Landing, batch_id: UUID) -> None:
    """Register a batch that has just landed. If it waits or fails, `register_landed` retries.

    If another process registers, newer batches land meanwhile: they are registered with this one.
    """
    if batch := landing.landed(batch_id):
        _register(store, landing, [batch], and_newer=True)


def register_batch(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    """Register one landed batch, exactly once, and write its registered form.

    A batch that is unreadable, or that PostgreSQL cannot store, is rejected. One that has to wait,
    or that fails for another reason of its own, stays.
    """
    [result] = _register(store, landing, [batch])
    return result


def _register(
    store: OperationalStore,
    landing: Landing,
    batches: Sequence[Batch],
    reading: Reading | None = None,
    *,
    and_newer: bool = False,
) -> list[RegistrationResult]:
    """Register the first batches in one transaction. Returns their results, at least one.

    If that fails, each of `batches` has a transaction of its own. Newer ones are left to others, so
    that no batch fails because of another.
    """
    gathered = Gathered()

    def choose(session: WriteSession, has_waited: bool) -> list[UUID]:
        nonlocal gathered
        listed = landing.incoming() if and_newer and has_waited else []
        newer = [batch for batch in listed if batch.batch_id > batches[-1].batch_id]
        latest = _latest_instant(session, store)
        gathered = gather(reading or partial(read, landing), [*batches, *newer], latest)
        return list(gathered.landed)

    def decide(session: WriteSession, batch_ids: Sequence[UUID]) -> list[Frames]:
        landed = [gathered.landed[batch_id] for batch_id in batch_ids]
        registered = decide_batches(session, landed, store.clock())
        for batch_id, frames in zip(batch_ids, registered, strict=True):
            gathered.results[batch_id] = _counts(batch_id, frames)
        return registered

    try:
        register_once(store, landing, "scrape", choose, decide)
    except Exception as error:
        if len(gathered.landed) > 1:
            log.warning(
                "batches failed together", batches=len(gathered.landed), error=type(error).__name__
            )
            failed = batches[: len(gathered.batches)]
            return [register_batch(store, landing, batch) for batch in failed]
        batch_id = next(iter(gathered.landed), batches[0].batch_id)
        gathered.batches.setdefault(batch_id, batches[0])
        gathered.results[batch_id] = _failed(batch_id, error, gathered)
    return list(at_once(partial(_settle, landing, gathered.results), gathered.batches.values()))


def _is_of_batch(error: Exception, gathered: Gathered) -> bool:
    """Return whether the batch causes the error, not the disk, the network or PostgreSQL."""
    if isinstance(error, UNSTORABLE):
        return False  # retrying is useless
    if isinstance(error, DBAPIError | psycopg.Error):
        sqlstate = getattr(getattr(error, "orig", error), "sqlstate", None) or ""
        return sqlstate.startswith(OF_ROWS)
    if isinstance(error, FileNotFoundError | PermissionError):
        return not gathered.landed
    return isinstance(error, OF_READING)


def _failed(batch_id: UUID, error: Exception, gathered: Gathered) -> RegistrationResult:
    """Return the result of a batch that failed alone. Raises errors that are not its own."""
    failed = RegistrationResult(batch_id, error=error)
    if isinstance(error, UNSTORABLE):
        return _rejected(failed)
    if not _is_of_batch(error, gathered):
        raise error
    return failed


def _rejected(result: RegistrationResult) -> RegistrationResult:
    """Return a failed result as rejected for that reason, others as they are."""
    if (error := result.error) is None:
        return result
    return replace(result, rejected=str(getattr(error, "orig", None) or error), error=None)


def _latest_instant(session: Session, store: OperationalStore) -> datetime | None:
    """Return up to when readings are accepted; null if TRACKER_NOW fixes business time."""
    return clock_of_database(session) + ALLOWED_LEAD if store.clock is system_clock else None


def _counts(batch_id: UUID, frames: Frames) -> RegistrationResult:
    return RegistrationResult(
        batch_id,
        video_readings=frames["video_snapshots"].height,
        fetches=frames["scrape_outcomes"].height + frames["comment_walks"].height,
        comments=frames["comments"].height,
    )


def _settle(
    landing: Landing, results: Mapping[UUID, RegistrationResult], batch: Batch
) -> RegistrationResult:
    """Remove a batch from those that wait for registration, unless it has to wait."""
    registered_before = RegistrationResult(batch.batch_id, was_registered=True)
    result = results.get(batch.batch_id, registered_before)
    if result.rejected:
        reason, batch_id = result.rejected, str(batch.batch_id)
        with suppress(FileNotFoundError):  # another process rejected it
            path = landing.reject(batch, reason)
            log.warning("batch set aside", batch_id=batch_id, reason=reason, path=path)
    elif not result.waits and not result.error:
        landing.drop(batch)
    return result
