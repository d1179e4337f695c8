"""Registering landed batches of scrapes: the order of the steps, and what is done with bad ones."""

from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

import polars as pl
import psycopg
import structlog
from sqlalchemy.exc import DataError

from warehouse.landing.batches import Batch, DamagedBatchError, NewerBatchError, read_landed
from warehouse.landing.landing import Landing
from warehouse.landing.opening import open_landing
from warehouse.looks.noting import note_looks
from warehouse.operational.session import WriteSession
from warehouse.operational.store import OperationalStore
from warehouse.registration import (
    listings,
    looks,
    pictures,
    plan_limits,
    profile_changes,
    profiles,
    readings,
    registry,
)
from warehouse.registration.comments import register_comments
from warehouse.registration.identities import find_accounts_of_posts
from warehouse.registration.once import Frames, register_once
from warehouse.registration.order import take_turn
from warehouse.registration.staging import stage
from warehouse.settings import Settings

UNSTORABLE = (DataError, psycopg.DataError)
"""PostgreSQL refuses a value: through SQLAlchemy, or in a COPY beside it."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class RegistrationResult:
    """What became of one landed batch. Counts are rows, over all projects.

    `was_registered` is True for a batch that came twice: it was dropped. `rejected` is the reason
    for which a damaged one was set aside, `newer` what this version does not know of one that waits
    for an upgrade.
    """

    batch_id: UUID
    new_videos: int = 0
    video_readings: int = 0
    account_readings: int = 0
    looks: int = 0
    comments: int = 0
    was_registered: bool = False
    rejected: str | None = None
    newer: str | None = None


def register_landed(store: OperationalStore, settings: Settings) -> list[RegistrationResult]:
    """Register every landed batch, oldest first; damaged ones are set aside and named.

    Batches of a newer version stay where they are until this program is upgraded.
    """
    landing = open_landing(settings)
    results = [register_batch(store, landing, batch) for batch in landing.incoming()]
    if newer := [result.newer for result in results if result.newer]:
        log.warning("batches of a newer version wait: upgrade", batches=len(newer), reason=newer[0])
    return [result for result in results if not result.newer]


def register_batch(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    """Carry one landed batch into PostgreSQL, exactly once, and write its registered form.

    A batch that cannot be read, or that PostgreSQL cannot hold, is set aside. One of a newer
    version is left alone.
    """
    try:
        return _register_or_set_aside(store, landing, batch)
    except FileNotFoundError:
        if landing.has(batch):
            raise
        return RegistrationResult(batch.batch_id, was_registered=True)  # by somebody faster


def _register_or_set_aside(
    store: OperationalStore, landing: Landing, batch: Batch
) -> RegistrationResult:
    try:
        result = _register(store, landing, batch)
    except NewerBatchError as newer:
        return RegistrationResult(batch.batch_id, newer=str(newer))
    except (DamagedBatchError, *UNSTORABLE) as error:
        return _set_aside(landing, batch, str(getattr(error, "orig", None) or error))
    landing.drop(batch)
    return result


def _set_aside(landing: Landing, batch: Batch, reason: str) -> RegistrationResult:
    aside = landing.reject(batch, reason)
    log.warning("batch set aside", batch_id=str(batch.batch_id), reason=reason, path=aside)
    return RegistrationResult(batch.batch_id, rejected=reason)


def _register(store: OperationalStore, landing: Landing, batch: Batch) -> RegistrationResult:
    with landing.at_hand(batch) as here:
        landed = read_landed(here)
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
        looks=counts["scrape_outcomes"] + counts["comment_walks"],
        comments=counts["comments"],
    )


def decide_batch(
    session: WriteSession, landed: dict[str, pl.DataFrame], now: datetime
) -> tuple[Frames, int]:
    """Apply a landed batch to the registry; return its registered frames and the new videos.

    The order matters: looks name the handles that were asked for, so they are assigned before
    renames; profiles give accounts their user ids, by which posts find their accounts; posts
    must be in the registry, under their accounts, before readings are given out; plan limits come
    last, so that what they pause has this batch's reading. What was read decides when to look next.
    """
    take_turn(session)
    read = stage(session, landed)
    plan_limits.lock_organizations(session)
    profiles.lock_accounts(session)
    about = looks.looked_at_accounts(session)
    listed = listings.accounts_listed(session)
    with profile_changes.noted(session):
        profiles.update_profiles(session, now)
    find_accounts_of_posts(session)
    filed = registry.file_under_accounts(session, now)
    new_videos = registry.add_new_videos(session, now)
    registry.describe_videos(session, now)
    pictures.note_pictures(session, now)
    about = about.vstack(looks.looked_at_posts(session))
    outcomes = looks.scrape_outcomes(landed["outcomes"], about)
    looks.mark_discovered(
        session, outcomes, now, listings.keep(session, landed["listings"], listed)
    )
    looks.note_profile_outcomes(session, outcomes)
    looks.finish_jobs(session, landed["outcomes"], about)
    frames = {
        "video_snapshots": readings.video_snapshots(session, read.posts),
        "account_snapshots": readings.account_snapshots(session, read.profiles),
        "scrape_outcomes": outcomes,
        **register_comments(session, landed, now),
    }
    plan_limits.hold_limits(session, {*filed, *new_videos})
    note_looks(session, read.posts, outcomes)
    return frames, new_videos.total()
