"""Which scrape jobs a worker could claim now, and in which order."""

from sqlalchemy import ColumnElement, Select, and_, exists, func, literal, or_, select, true, tuple_
from sqlalchemy.orm import aliased

from warehouse.operational.leases import LONGEST_FETCH_LEASE, has_ended
from warehouse.operational.models import Account, AccountFetch, ScrapeJob, Video
from warehouse.scrape_jobs.pauses import LONGEST_PAUSE

_OPEN = [literal(status, literal_execute=True) for status in ("queued", "running")]
IS_OPEN = ScrapeJob.status.in_(_OPEN)
"""Without parameters, so that every plan uses the index of open jobs: ended ones stay for ever."""


def claimable(platform: str | None) -> ColumnElement[bool]:
    """Match jobs of a platform (None: of all) that a worker could claim now, without pairs."""
    return and_(_is_ready(ScrapeJob), _is_next(), true() if platform is None else is_on(platform))


def select_next(limit: int, platform: str | None) -> Select[ScrapeJob]:
    by_age = (ScrapeJob.created_at, ScrapeJob.id)
    turn = func.row_number().over(partition_by=ScrapeJob.organization_id, order_by=by_age)
    turns = select(ScrapeJob.id, turn.label("turn")).where(claimable(platform)).subquery()
    return (
        select(ScrapeJob)
        .join(turns, turns.c.id == ScrapeJob.id)
        .where(_is_ready(ScrapeJob))
        .order_by(turns.c.turn, *by_age)
        .limit(limit)
    )


def is_on(platform: str) -> ColumnElement[bool]:
    """Match jobs of a platform."""
    return or_(
        ScrapeJob.account_id.in_(select(Account.id).where(Account.platform == platform)),
        ScrapeJob.video_id.in_(select(Video.id).where(Video.platform == platform)),
    )


def _is_ready(job: type[ScrapeJob]) -> ColumnElement[bool]:
    is_over = has_ended(job.not_before, func.now(), LONGEST_PAUSE)
    return and_(
        job.status.in_(_OPEN),
        has_ended(job.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
        or_(job.status == "running", and_(job.status == "queued", is_over)),
    )


def _is_next() -> ColumnElement[bool]:
    """Match jobs whose account or post nobody else fetches, nor an older job could fetch now."""
    other = aliased(ScrapeJob)
    age, age_of_other = ((job.created_at, job.id) for job in (ScrapeJob, other))
    is_leased = ~has_ended(other.lease_expires_at, func.now(), LONGEST_FETCH_LEASE)
    is_older = and_(_is_ready(other), tuple_(*age_of_other) < tuple_(*age))
    return ~exists().where(
        func.coalesce(other.account_id, other.video_id)
        == func.coalesce(ScrapeJob.account_id, ScrapeJob.video_id),
        other.status.in_(_OPEN),
        or_(and_(other.status == "running", is_leased), is_older),
    ) & ~exists().where(
        Account.id == ScrapeJob.account_id,
        AccountFetch.platform == Account.platform,
        AccountFetch.subject.in_([Account.platform_user_id, literal("@") + Account.handle]),
        AccountFetch.oldest_at.is_(None),
        ~has_ended(AccountFetch.lease_expires_at, func.now(), LONGEST_FETCH_LEASE),
    )
