"""The video registry: new posts, posts that get an owner, and their descriptions.

Statuses and owners are written with dated rows (money.md M3, M14): the first owner also owns
earlier readings.
"""

from collections import Counter
from datetime import datetime
from functools import cache
from typing import Any
from uuid import UUID

import polars as pl
from sqlalchemy import (
    Row,
    Select,
    String,
    Update,
    and_,
    case,
    cast,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)
from sqlalchemy.dialects.postgresql import insert as upsert
from sqlalchemy.orm import Session
from sqlalchemy.sql.dml import ReturningUpdate

from warehouse.ids import uuid7
from warehouse.operational.dated import Owned, date_owners
from warehouse.operational.models import (
    Account,
    AccountDeactivation,
    Organization,
    Video,
    VideoOwner,
    VideoStatus,
)
from warehouse.registration.posting_times import is_awaited
from warehouse.registration.scrapable import scrapable_video
from warehouse.registration.staging import NEW_VIDEOS, NOW, POST_ACCOUNTS, POSTS, copy_into
from warehouse.registration.statistics import refresh_statistics
from warehouse.registration.tracking_modes import Tracking, status_of_new_post
from warehouse.webhooks.discovered import record_discovered

SAME_POST = and_(
    Video.platform == POSTS.c.platform, Video.platform_video_id == POSTS.c.platform_video_id
)
IDS = ("account_id", "creator_id", "project_id", "organization_id")
FACTS = ("caption", "media_type", "duration_seconds", "thumbnail_url")
STAGED = ("platform", "platform_video_id", "url", "posted_at", "posted_at_is_estimate", *FACTS)


def file_under_accounts(session: Session, now: datetime) -> set[UUID]:
    """Assign posts without an account, or of a removed one, to the account of their author.

    Returns their organizations. Concerns posts added by URL, and handles added again after
    removal, whose posts are then tracked again (decisions, 'Creators, accounts, videos').
    """
    filed = session.execute(_filing(), {"now": now}).all()
    if filed:
        date_owners(session, [Owned(*row) for row in filed], now)
    return {row.organization_id for row in filed}


@cache
def _filing() -> ReturningUpdate[UUID, UUID, UUID | None, UUID | None]:
    is_unowned = or_(
        Video.account_id.is_(None),
        Video.account_id.not_in(select(Account.id).where(Account.is_active)),
    )
    return (
        update(Video)
        .where(
            SAME_POST,
            POSTS.c.row == POST_ACCOUNTS.c.row,
            Video.project_id == POST_ACCOUNTS.c.project_id,
            is_unowned,
        )
        .values(
            account_id=POST_ACCOUNTS.c.account_id,
            creator_id=POST_ACCOUNTS.c.creator_id,
            frozen_at=None,
            stopped_at=None,
            updated_at=NOW,
        )
        .returning(Video.id, Video.organization_id, Video.account_id, Video.creator_id)
    )


def add_new_videos(session: Session, now: datetime) -> Counter[UUID]:
    """Add posts that a project's tracking covers for the first time.

    Returns the number by organization.
    """
    candidates = session.execute(_candidates())
    rows = [row for candidate in candidates if (row := _new_video(candidate))]
    if not rows:
        return Counter()
    schema = {column.name: pl.String for column in NEW_VIDEOS.columns} | {"row": pl.Int64}
    copy_into(session, NEW_VIDEOS, pl.DataFrame(rows, schema=schema, orient="row"))
    session.execute(_insert_videos(now))
    # Another writer may have added a post meanwhile; dated rows are only for ours.
    ours = exists().where(Video.id == NEW_VIDEOS.c.id)
    session.execute(
        insert(VideoStatus).from_select(
            ["id", "organization_id", "video_id", "tracking_status", "valid_from"],
            select(
                NEW_VIDEOS.c.status_id,
                NEW_VIDEOS.c.organization_id,
                NEW_VIDEOS.c.id,
                NEW_VIDEOS.c.tracking_status,
                literal(now),
            ).where(ours),
        )
    )
    added = session.execute(
        insert(VideoOwner)
        .from_select(
            ["id", "organization_id", "video_id", "account_id", "creator_id", "valid_from"],
            select(
                NEW_VIDEOS.c.owner_id,
                NEW_VIDEOS.c.organization_id,
                NEW_VIDEOS.c.id,
                NEW_VIDEOS.c.account_id,
                NEW_VIDEOS.c.creator_id,
                literal(now),
            ).where(ours),
        )
        .returning(VideoOwner.organization_id)
    )
    counted = Counter(added.scalars())
    record_discovered(session, counted, now)
    refresh_statistics(session)
    return counted


def describe_videos(session: Session, now: datetime) -> None:
    """Update captions and other facts to the newest reading. Missing facts stay as they were.

    The true posting time replaces an estimate only while it is awaited.
    """
    session.execute(_description(), {"now": now})


@cache
def _description() -> Update:
    better_time = or_(
        Video.posted_at.is_(None),
        and_(is_awaited(NOW), POSTS.c.posted_at_is_estimate.is_(False)),
    ) & POSTS.c.posted_at.is_not(None)
    return (
        update(Video)
        .where(
            SAME_POST,
            scrapable_video(),
            or_(Video.last_scraped_at.is_(None), Video.last_scraped_at < POSTS.c.captured_at),
        )
        .values(
            **{name: func.coalesce(POSTS.c[name], getattr(Video, name)) for name in FACTS},
            author_handle=func.coalesce(POSTS.c.handle, Video.author_handle),
            posted_at=case((better_time, POSTS.c.posted_at), else_=Video.posted_at),
            posted_at_is_estimate=case(
                (better_time, POSTS.c.posted_at_is_estimate), else_=Video.posted_at_is_estimate
            ),
            last_scraped_at=func.greatest(Video.last_scraped_at, POSTS.c.read_at),
            updated_at=NOW,
        )
        .execution_options(synchronize_session=False)
    )


@cache
def _candidates() -> Select[Any]:
    """Return posts whose project has their account but no row yet, with the facts that decide."""
    in_registry = exists().where(SAME_POST, Video.project_id == POST_ACCOUNTS.c.project_id)
    posted_at = func.coalesce(POSTS.c.posted_at, POSTS.c.captured_at)
    published_meanwhile = and_(
        AccountDeactivation.account_id == Account.id,
        AccountDeactivation.deactivated_at <= posted_at,
        AccountDeactivation.reactivated_at > posted_at,
    )
    return (
        select(
            POSTS.c.row,
            POSTS.c.caption,
            posted_at.label("posted_at"),
            AccountDeactivation.missed_posts,
            *(cast(POST_ACCOUNTS.c[name], String).label(name) for name in IDS),
            Account.tracking_mode,
            Account.tracking_hashtags,
            Account.hashtag_inbox_non_matching,
            Account.tracking_start_date,
            Account.tracking_end_date,
            Organization.analytics_tz,
        )
        .join(POST_ACCOUNTS, POST_ACCOUNTS.c.row == POSTS.c.row)
        .join(Account, Account.id == POST_ACCOUNTS.c.account_id)
        .join(Organization, Organization.id == Account.organization_id)
        .outerjoin(AccountDeactivation, published_meanwhile)
        .where(~in_registry)
        .order_by(POSTS.c.row, Account.id)
    )


def _new_video(candidate: Row[Any]) -> tuple[object, ...] | None:
    """Return the row of NEW_VIDEOS for a candidate, or None outside of its window."""
    status = status_of_new_post(
        Tracking.of(candidate, candidate.analytics_tz),
        caption=candidate.caption,
        posted_at=candidate.posted_at,
        missed_posts=candidate.missed_posts,
    )
    if status is None:
        return None
    new_ids = (str(uuid7()), str(uuid7()), str(uuid7()))
    owners = (candidate.account_id, candidate.creator_id, candidate.project_id)
    return (candidate.row, *new_ids, *owners, candidate.organization_id, status)


def _insert_videos(now: datetime) -> Any:
    is_tracked = NEW_VIDEOS.c.tracking_status != "excluded"
    columns = {
        "id": NEW_VIDEOS.c.id,
        **{name: NEW_VIDEOS.c[name] for name in (*IDS, "tracking_status")},
        **{name: POSTS.c[name] for name in STAGED},
        "last_scraped_at": case((is_tracked, POSTS.c.read_at)),
        "created_at": literal(now),
        "updated_at": literal(now),
    }
    posts = select(*columns.values()).join(POSTS, POSTS.c.row == NEW_VIDEOS.c.row)
    return upsert(Video).from_select(list(columns), posts).on_conflict_do_nothing()
