"""Which scrape jobs a worker could claim now, and in which order."""

from uuid import UUID

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, or_, select, true
from sqlalchemy.orm import aliased

from warehouse.operational.leases import LONGEST_FETCH_LEASE, has_ended
from warehouse.operational.models import Account, AccountFetch, ScrapeJob, Video
from warehouse.scrape_jobs.pauses import LONGEST_PAUSE

_OPEN = [literal(status, literal_execute=True) for status in ("queued", "running")]
IS_OPEN = ScrapeJob.status.in_(_OPEN)
"""Without parameters, so that every plan uses the index of open jobs: ended ones stay for ever."""


def claimable(platform: str | None) -> Select[ScrapeJob]:
    """Select jobs of a platform (None: of all) that a worker could claim now, without pairs.

    No others fetch their account or post, nor could older jobs fetch it now. The open jobs are
    sorted: PostgreSQL expects few, since ended ones stay, and would join each with each.
    """
    is_leased = ~has_ended(ScrapeJob.lease_expires_at, func.now(), LONGEST_FETCH_LEASE)
    is_under_way = and_(ScrapeJob.status == "running", is_leased)
    turn = func.row_number().over(
        partition_by=func.coalesce(ScrapeJob.account_id, ScrapeJob.video_id),
        order_by=(is_under_way.desc(), ScrapeJob.created_at, ScrapeJob.id),
    )
    candidates = IS_OPEN, or_(is_ready(), is_under_way), is_on(platform) if platform else true()
    ordered = select(ScrapeJob, is_ready().label("is_ready"), turn.label("turn")).where(*candidates)
    jobs = ordered.subquery()
    job = aliased(ScrapeJob, jobs)
    is_fetched = exists().where(
        Account.id == job.account_id,
        AccountFetch.platform == Account.platform,
        AccountFetch.subject.in_([Account.platform_user_id, literal("@") + Account.handle]),
        AccountFetch.oldest_at.is_(None),
        ~has_ended(AccountFetch.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
    )
    return select(job).where(jobs.c.is_ready, jobs.c.turn == 1, ~is_fetched)


def next_ids(platform: str | None) -> Select[UUID]:
    """Select ids of claimable jobs in the order of claims: organizations take turns."""
    jobs = claimable(platform).subquery()
    by_age = (jobs.c.created_at, jobs.c.id)
    turn = func.row_number().over(partition_by=jobs.c.organization_id, order_by=by_age)
    return select(jobs.c.id).order_by(turn, *by_age)


def is_on(platform: str) -> ColumnElement[bool]:
    """Match jobs of a platform. Each is looked up: a list of all posts may not fit in memory."""
    of_account = select(Account.platform).where(Account.id == ScrapeJob.account_id)
    of_video = select(Video.platform).where(Video.id == ScrapeJob.video_id)
    return func.coalesce(of_account.scalar_subquery(), of_video.scalar_subquery()) == platform


def is_ready() -> ColumnElement[bool]:
    """Match jobs that wait for a worker, whatever happens to their account or post."""
    is_over = has_ended(ScrapeJob.not_before, func.now(), LONGEST_PAUSE)
    return and_(
        ScrapeJob.status.in_(_OPEN),
        has_ended(ScrapeJob.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
        or_(ScrapeJob.status == "running", and_(ScrapeJob.status == "queued", is_over)),
    )
