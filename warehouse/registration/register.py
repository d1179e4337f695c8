"""Registers landed batches of scrapes: the order of steps, and rejection of bad batches."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache
from typing import Any
from uuid import UUID

import polars as pl
import psycopg
import structlog
from sqlalchemy import Select, exists, select
from sqlalchemy.exc import DataError
from sqlalchemy.orm import Session

from warehouse.clock import system_clock
from warehouse.fetch_schedule.noting import note_fetches
from warehouse.landing.batches import Batch, DamagedBatchError, NewerBatchError, read_landed
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.operational.clock import clock_of_database
from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.operational.tracked_videos import hold_limit
from warehouse.registration import (
    fetches,
    listings,
    pictures,
    profile_changes,
    profiles,
    readings,
    registry,
)
from warehouse.registration.comments import register_comments
from warehouse.registration.identities import accounts_of, find_accounts_of_posts
from warehouse.registration.once import Frames, register_once
from warehouse.registration.order import wait_turn
from warehouse.registration.registry import SAME_POST
from warehouse.registration.staging import POSTS, stage
from warehouse.settings import Settings


# Discovered posts cannot be refused, and may be older than known ones. A post paused in the batch
# that found it keeps that batch's reading.
def lock_organizations(session: Session) -> None:
    """Lock the organizations that get videos from the batch, in the order of ids.

    Comes before all other locks, as for all writers under the limit (`tracked_videos`).
    """
    session.execute(_growing_organizations())


@cache
def _growing_organizations() -> Select[Any]:
    accounts = accounts_of(POSTS)
    is_there = exists().where(
        SAME_POST,
        Video.project_id == Account.project_id,
        Video.account_id.in_(select(Account.id).where(Account.is_active).correlate(None)),
    )
    growing = (
        select(Account.organization_id)
        .join(accounts, accounts.c.account_id == Account.id)
        .join(POSTS, POSTS.c.row == accounts.c.row)
        .where(~is_there)
    )
    return (
        select(Organization.id)
        .where(Organization.id.in_(growing))
        .order_by(Organization.id)
        .with_for_update(key_share=True)
    )


def hold_limits(session: WriteSession, organization_ids: Collection[UUID]) -> None:
    """Pause videos beyond the limits of organizations that got videos."""
    for organization_id in sorted(organization_ids):
        hold_limit(session, organization_id)


UNSTORABLE = (DataError, psycopg.DataError)
"""PostgreSQL rejects a value: through SQLAlchemy, or in a COPY."""

ALLOWED_LEAD = timedelta(minutes=1)
"""Maximum by which a reading may be ahead of PostgreSQL's clock."""
SEEN_AT = {"profiles": "captured_at", "posts": "captured_at", "comments": "captured_at"}
FINISHED_AT = {"outcomes": "finished_at", "comment_walks": "finished_at"}

log = structlog.get_logger(__name__)


class FutureBatchError(Exception):
    """A batch was captured in the future: its worker's clock was wrong."""


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """The result of one landed batch. Counts are rows, over all projects.

    `was_registered` is True for a batch that landed twice and was dropped. `rejected` is the
    reason for which a damaged one was rejected, `waits` the reason for which one stays in place: a
    newer version wrote it, or it was captured in the future.
    """

    batch_id: UUID
    new_videos: int = 0
    video_readings: int = 0
    account_readings: int = 0
    fetches: int = 0
    comments: int = 0
    was_registered: bool = False
    rejected: str | None = None
    waits: str | None = None


def register_landed(store: OperationalStore, settings: Settings) -> list[RegistrationResult]:
    """Register all landed batches, oldest first. Damaged ones are rejected.

    Batches of a newer version stay in place until this program is upgraded, batches from the
    future until PostgreSQL's clock reaches them.
    """
    landing = open_landing(settings)
    results = [register_batch(store, landing, batch) for batch in landing.incoming()]
    if reasons := [result.waits for result in results if result.waits]:
        log.warning("batches wait", batches=len(reasons), reason=reasons[0])
    return [result for result in results if not result.waits]


def register_one(store: OperationalStore, landing: Landing, batch_id: UUID) -> None:
    """Register a batch that has just landed. If it has to wait, `register_landed` retries."""
    if batch := landing.landed(batch_id):
        register_batch(store, landing, batch)


def register_batch(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    """Register one landed batch, exactly once, and write its registered form.

    A batch that is unreadable, or that PostgreSQL cannot store, is rejected. One that has to wait
    stays.
    """
    try:
        return _register_or_set_aside(store, landing, batch)
    except FileNotFoundError:
        if landing.has(batch):
            raise
        return RegistrationResult(batch.batch_id, was_registered=True)  # by another process


def _register_or_set_aside(
    store: OperationalStore, landing: Landing, batch: Batch
) -> RegistrationResult:
    try:
        result = _register(store, landing, batch)
    except NewerBatchError as newer:
        return RegistrationResult(
            batch.batch_id, waits=f"written by a newer version ({newer}): upgrade"
        )
    except FutureBatchError as future:
        return RegistrationResult(batch.batch_id, waits=str(future))
    except (DamagedBatchError, *UNSTORABLE) as error:
        return _set_aside(landing, batch, str(getattr(error, "orig", None) or error))
    landing.drop(batch)
    return result


def refuse_future(store: OperationalStore, landed: dict[str, pl.DataFrame]) -> None:
    """Raise FutureBatchError if the worker's clock was ahead of PostgreSQL's.

    Not checked if TRACKER_NOW fixes business time.
    """
    if store.clock is not system_clock:
        return
    instants = [landed[name][at].max() for name, at in (SEEN_AT | FINISHED_AT).items()]
    with store.read_session() as session:
        latest = clock_of_database(session) + ALLOWED_LEAD
    if future := [at for at in instants if isinstance(at, datetime) and at > latest]:
        raise FutureBatchError(
            f"captured in the future ({max(future).isoformat()}): the clock of its worker was wrong"
        )


def _set_aside(landing: Landing, batch: Batch, reason: str) -> RegistrationResult:
    aside = landing.reject(batch, reason)
    log.warning("batch set aside", batch_id=str(batch.batch_id), reason=reason, path=aside)
    return RegistrationResult(batch.batch_id, rejected=reason)


def _register(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    with landing.at_hand(batch) as here:
        landed = read_landed(here)
    refuse_future(store, landed)
    counts: dict[str, int] = {}

    def decide(session: WriteSession) -> Frames:
        frames, new_videos = decide_batch(session, landed, store.clock())
        counts.update({name: frame.height for name, frame in frames.items()}, new=new_videos)
        return frames

    if not register_once(store, landing, batch.batch_id, "scrape", decide):
        return RegistrationResult(batch.batch_id, was_registered=True)
    return RegistrationResult(
        batch.batch_id,
        new_videos=counts["new"],
        video_readings=counts["video_snapshots"],
        account_readings=counts["account_snapshots"],
        fetches=counts["scrape_outcomes"] + counts["comment_walks"],
        comments=counts["comments"],
    )


def decide_batch(
    session: WriteSession, landed: dict[str, pl.DataFrame], now: datetime
) -> tuple[Frames, int]:
    """Apply a landed batch to the registry. Returns its registered frames, and the new videos.

    Staging depends on the batch only, so it runs before the lock, concurrently with other batches.
    The order matters: fetches name requested handles, so they are assigned before renames;
    profiles set user ids, by which posts find their accounts; posts must be in the registry, under
    their accounts, before readings are assigned; plan limits come last, so that paused videos keep
    this batch's reading. Readings determine the next fetches.
    """
    read = stage(session, landed)
    wait_turn(session)
    lock_organizations(session)
    profiles.lock_accounts(session)
    about = fetches.fetched_accounts(session)
    listed = listings.accounts_listed(session, landed["listings"])
    with profile_changes.noted(session):
        profiles.update_profiles(session, now)
    find_accounts_of_posts(session)
    filed = registry.file_under_accounts(session, now)
    new_videos = registry.add_new_videos(session, now)
    registry.describe_videos(session, now)
    pictures.note_pictures(session, now)
    about = about.vstack(fetches.fetched_posts(session))
    outcomes = fetches.scrape_outcomes(landed["outcomes"], about)
    fetches.set_discovered(
        session, outcomes, now, listings.store(session, landed["listings"], listed)
    )
    fetches.note_profile_outcomes(session, outcomes)
    fetches.finish_jobs(session, landed["outcomes"], about)
    frames = {
        "video_snapshots": readings.video_snapshots(session, read.posts),
        "account_snapshots": readings.account_snapshots(session, read.profiles),
        "scrape_outcomes": outcomes,
        **register_comments(session, landed, now),
    }
    hold_limits(session, {*filed, *new_videos})
    note_fetches(session, read.posts, outcomes)
    return frames, new_videos.total()
