"""Applies landed batches to the registry: the order of steps."""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import Select, exists, select
from sqlalchemy.orm import Session

from warehouse.fetch_schedule.noting import note_fetches
from warehouse.landing.schema import LANDED
from warehouse.operational.models import Account, Organization, Video
from warehouse.operational.session import WriteSession
from warehouse.operational.tracked_videos import hold_limit
from warehouse.registration import (
    fetches,
    job_results,
    listings,
    pictures,
    profile_changes,
    profiles,
    readings,
    registry,
)
from warehouse.registration.comments import register_comments
from warehouse.registration.identities import accounts_of, find_accounts_of_posts, lock_accounts
from warehouse.registration.once import Frames
from warehouse.registration.order import wait_turn
from warehouse.registration.registry import SAME_POST
from warehouse.registration.staging import BATCH, POSTS, stage
from warehouse.registration.statistics import refresh_statistics


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
        .cte()
        .prefix_with("materialized")  # or, without statistics of new accounts, for each of them
    )
    return (
        select(Organization.id)
        .where(Organization.id.in_(select(growing.c.organization_id)))
        .order_by(Organization.id)
        .with_for_update(key_share=True)
    )


def hold_limits(session: WriteSession, organization_ids: Collection[UUID]) -> None:
    """Pause videos beyond the limits of organizations that got videos."""
    for organization_id in sorted(organization_ids):
        hold_limit(session, organization_id)


class DependentError(Exception):
    """A batch depends on another one of the transaction.

    A handle changed, by which others may name the account, or they name an account by different
    names.
    """


def decide_batches(
    session: WriteSession, batches: Sequence[Mapping[str, pl.DataFrame]], now: datetime
) -> list[Frames]:
    """Apply landed batches to the registry. Returns the registered frames of each.

    The order matters: fetches name requested handles, so they are assigned before renames;
    profiles set user ids, by which posts find their accounts; posts must be in the registry, under
    their accounts, before readings are assigned; plan limits come last, so that paused videos keep
    this reading. Readings determine the next fetches. Raises DependentError if it has to see the
    batches one by one.
    """
    landed = _numbered(batches)
    read = stage(session, landed)
    wait_turn(session)
    refresh_statistics(session)
    lock_organizations(session)
    if lock_accounts(session):
        raise DependentError
    about = fetches.fetched_accounts(session)
    listed = listings.accounts_listed(session, landed["listings"])
    with profile_changes.noted(session):
        if profiles.update_profiles(session, now) and len(batches) > 1:
            raise DependentError
    find_accounts_of_posts(session)
    filed = registry.file_under_accounts(session, now)
    new_videos = registry.add_new_videos(session, now)
    registry.describe_videos(session, now)
    pictures.note_pictures(session, now)
    about = about.vstack(fetches.fetched_posts(session))
    outcomes = fetches.scrape_outcomes(landed["outcomes"], about)
    listed_since = listings.store(session, landed["listings"], listed)
    fetches.set_discovered(session, landed["outcomes"], about, now, listed_since)
    fetches.note_profile_outcomes(session, outcomes)
    job_results.finish_jobs(session, landed["outcomes"], about)
    frames = {
        "video_snapshots": readings.video_snapshots(session, read.posts),
        "account_snapshots": readings.account_snapshots(session, read.profiles),
        "scrape_outcomes": outcomes,
        **register_comments(session, landed, now),
    }
    hold_limits(session, {*filed, *new_videos})
    note_fetches(session, read.posts, outcomes)
    return _by_batch(frames, len(batches))


def _numbered(batches: Sequence[Mapping[str, pl.DataFrame]]) -> dict[str, pl.DataFrame]:
    """Return the frames of landed batches as one, with BATCH."""
    return {
        name: pl.concat(
            landed[name].with_columns(pl.lit(position).alias(BATCH))
            for position, landed in enumerate(batches)
        )
        for name in LANDED
    }


def _by_batch(frames: Mapping[str, pl.DataFrame], count: int) -> list[Mapping[str, pl.DataFrame]]:
    """Return the rows of each of `count` batches, without BATCH."""
    parts = {
        name: frame.partition_by(BATCH, as_dict=True, include_key=False, maintain_order=True)
        for name, frame in frames.items()
    }
    return [
        {
            name: parts[name].get((position,), frame.clear().drop(BATCH))
            for name, frame in frames.items()
        }
        for position in range(count)
    ]
