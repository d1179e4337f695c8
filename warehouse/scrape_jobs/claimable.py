"""Which scrape jobs a worker could claim now, and in which order.

One fetch serves all projects, so jobs wait for those of the same account or post in other projects.
"""

from uuid import UUID

from sqlalchemy import (
    ColumnElement,
    CompoundSelect,
    Select,
    and_,
    exists,
    func,
    literal,
    or_,
    select,
    true,
    union_all,
)
from sqlalchemy.dialects.postgresql import distinct_on
from sqlalchemy.orm import aliased

from warehouse.operational.leases import LONGEST_FETCH_LEASE, has_ended
from warehouse.operational.models import Account, AccountFetch, ScrapeJob, Video
from warehouse.scrape_jobs.pauses import LONGEST_PAUSE

IS_OPEN = ScrapeJob.status.in_(
    [literal(status, literal_execute=True) for status in ("queued", "running")]
)
"""Without parameters, so that every plan uses the index of open jobs: ended ones stay for ever."""


def claimable(platform: str | None) -> ColumnElement[bool]:
    """Match jobs of a platform (None: of all) of which a worker could claim one for each target."""
    is_free = func.coalesce(ScrapeJob.account_id, ScrapeJob.video_id).not_in(_under_way())
    is_ours = true() if platform is None else is_on(platform)
    return and_(IS_OPEN, _is_ready(), is_free, ~_is_listed(), is_ours)


def select_next(limit: int, platform: str | None) -> Select[ScrapeJob]:
    """Select claimable jobs; of one account or post, in any project, that of the first turn."""
    by_age = (ScrapeJob.created_at, ScrapeJob.id)
    turn = func.row_number().over(partition_by=ScrapeJob.organization_id, order_by=by_age)
    subject = (
        func.coalesce(Account.platform, Video.platform),
        func.coalesce(Account.handle, Video.platform_video_id),
    )
    turns = (
        select(ScrapeJob.id, turn.label("turn"))
        .outerjoin(Account, Account.id == ScrapeJob.account_id)
        .outerjoin(Video, Video.id == ScrapeJob.video_id)
        .where(claimable(platform))
        .ext(distinct_on(*subject))
        .order_by(*subject, "turn", *by_age)
        .subquery()
    )
    return (
        select(ScrapeJob)
        .join(turns, turns.c.id == ScrapeJob.id)
        .where(_is_ready())
        .order_by(turns.c.turn, *by_age)
        .limit(limit)
    )


def is_on(platform: str) -> ColumnElement[bool]:
    """Match jobs of a platform."""
    return or_(
        ScrapeJob.account_id.in_(select(Account.id).where(Account.platform == platform)),
        ScrapeJob.video_id.in_(select(Video.id).where(Video.platform == platform)),
    )


def _is_ready() -> ColumnElement[bool]:
    is_over = has_ended(ScrapeJob.not_before, func.now(), LONGEST_PAUSE)
    return and_(
        has_ended(ScrapeJob.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
        or_(ScrapeJob.status == "running", and_(ScrapeJob.status == "queued", is_over)),
    )


def _is_listed() -> ColumnElement[bool]:
    """Match jobs of accounts whose first listing the fetch schedule has under way."""
    return exists().where(
        Account.id == ScrapeJob.account_id,
        AccountFetch.platform == Account.platform,
        AccountFetch.subject.in_([Account.platform_user_id, literal("@") + Account.handle]),
        AccountFetch.oldest_at.is_(None),
        ~has_ended(AccountFetch.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
    )


def _under_way() -> CompoundSelect[UUID]:
    """Select the accounts and posts that workers fetch for jobs, with those of other projects."""
    is_leased = ~has_ended(ScrapeJob.lease_expires_at, func.now(), LONGEST_FETCH_LEASE)
    is_running = and_(IS_OPEN, ScrapeJob.status == "running", is_leased)
    account, post = aliased(Account), aliased(Video)
    is_same_account = and_(account.platform == Account.platform, account.handle == Account.handle)
    is_same_post = and_(
        post.platform == Video.platform, post.platform_video_id == Video.platform_video_id
    )
    accounts = select(account.id).join(Account, is_same_account)
    posts = select(post.id).join(Video, is_same_post)
    return union_all(
        accounts.join(ScrapeJob, ScrapeJob.account_id == Account.id).where(is_running),
        posts.join(ScrapeJob, ScrapeJob.video_id == Video.id).where(is_running),
    )
