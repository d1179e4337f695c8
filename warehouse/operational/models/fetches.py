"""When to look and how it went: what the processes that scrape share."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Numeric, func, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import (
    THIS_TRANSACTION,
    Base,
    Identified,
    Timestamped,
    Unlogged,
)


# The queue of scrapes that people or the API asked for.
class ScrapeJob(Identified, Timestamped, Base):
    """One look asked for: an account's profile or posts, or one video's counters.

    Claimed with SKIP LOCKED under a lease in real time; a job whose lease ran out is claimed anew,
    and none before its `not_before`, the end of a pause that the platform asked for.
    """

    __tablename__ = "scrape_jobs"
    __table_args__ = (
        CheckConstraint(
            "job_type in ('creator_profiles', 'video_stats', 'discover_videos')", name="job_type"
        ),
        CheckConstraint("status in ('queued', 'running', 'succeeded', 'failed')", name="status"),
        CheckConstraint("num_nonnulls(account_id, video_id) = 1", name="one_target"),
        Index(
            "ix_scrape_jobs_open",
            "created_at",
            postgresql_where=text("status in ('queued', 'running')"),
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    video_id: Mapped[UUID | None] = mapped_column(ForeignKey("videos.id"), index=True)
    job_type: Mapped[str]
    is_manual: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    status: Mapped[str] = mapped_column(default="queued", server_default="queued")
    error: Mapped[str | None]
    videos_seen: Mapped[int | None]
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    lease_expires_at: Mapped[datetime | None]
    not_before: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]


# What is fetched together: an account with its posts, or a post that no account shows.
class AccountFetch(Unlogged, Base):
    """A subject of fetches, however many projects track it: what workers claim.

    `subject` is an account's user id on the platform, `@handle` while none is known, or `#post`.
    `account_due_at` is when its profile and newest posts are due (null for a post alone), `due_at`
    when anything of it is, `pays_at` when what money hangs on is (null: nothing). `oldest_at` is
    when that was fetched which waits for longest (null: something never was). `failing_since` is
    the first fetch since the last answer (null: the last one was answered). Claimed under a lease
    of the real clock, which its end identifies.
    """

    __tablename__ = "visits"
    __table_args__ = (Index("ix_visits_due", "platform", "due_at"),)

    platform: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    looked_at: Mapped[datetime | None]
    account_due_at: Mapped[datetime | None]
    due_at: Mapped[datetime]
    pays_at: Mapped[datetime | None]
    oldest_at: Mapped[datetime | None]
    failing_since: Mapped[datetime | None]
    reason: Mapped[str]
    lease_expires_at: Mapped[datetime | None]


# How far the fetch schedule has taken in what was decided (warehouse/fetch_schedule/changes.py).
class PlanReach(Unlogged, Base):
    """The only row: transactions of `origin` before `up_to` are in the plan, by that `rule`.

    That is a digest of what says what is in the plan, and one of what says when it is due.
    """

    __tablename__ = "plan_reach"

    origin: Mapped[str] = mapped_column(primary_key=True)
    rule: Mapped[str]
    up_to: Mapped[int] = mapped_column(BigInteger)


# When each post is fetched next, and why (warehouse/fetch_schedule).
class PostSchedule(Unlogged, Base):
    """The plan of one row of the registry that may be scraped.

    `subject` names the account fetch that shows it (Account fetch). `looked_at` is when it was last
    shown or asked for, in whatever way that ended; `views` were read at `read_at`, and grew by
    `views_a_day` before (null: not known yet). Bookkeeping that can be made anew: nothing is
    computed from it.
    """

    __tablename__ = "post_looks"
    __table_args__ = (
        Index("ix_post_looks_subject", "platform", "subject"),
        Index("ix_post_looks_post", "platform", "platform_video_id"),
    )

    video_id: Mapped[UUID] = mapped_column(
        ForeignKey("videos.id", ondelete="CASCADE"), primary_key=True
    )
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    platform: Mapped[str]
    platform_video_id: Mapped[str]
    subject: Mapped[str]
    looked_at: Mapped[datetime | None]
    read_at: Mapped[datetime | None]
    views: Mapped[int | None] = mapped_column(BigInteger)
    views_a_day: Mapped[float | None]
    due_at: Mapped[datetime]
    reason: Mapped[str]


# What hangs on a creator's posts being read in time.
class FetchDeadline(Unlogged, Base):
    """An instant before which a creator's posts are to be read: the end of a period that pays.

    Taken from the current publication, in the zone of what pays (money.md M15).
    """

    __tablename__ = "look_deadlines"

    creator_id: Mapped[UUID] = mapped_column(
        ForeignKey("creators.id", ondelete="CASCADE"), primary_key=True
    )
    ends_at: Mapped[datetime] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)


# What all processes that ask a platform's host agree on.
class HostPace(Unlogged, Base):
    """The pace of one host, as asked from one address (`egress`, a name that operators give).

    `state` is scrapers.transport.hosts.HostState; its instants are seconds of the database's clock
    since 1970.
    """

    __tablename__ = "host_paces"

    egress: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[dict[str, Any]] = mapped_column(JSONB)


# What a commercial provider of platform data cost on a day.
class ProviderSpending(Unlogged, Base):
    """The requests to one provider on one day (UTC) by the real clock, and their price.

    They are counted before they are sent: what was asked for in vain is in it too.
    """

    __tablename__ = "provider_spending"

    provider: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]
    usd: Mapped[Decimal] = mapped_column(Numeric(20, 10))


# Runs of commercial providers whose items have not landed yet.
class ProviderRun(Unlogged, Base):
    """A run that was started for what `wanted` names, and the units that are counted for it.

    `day` is the day of its start (UTC) on which they count. A run goes when its items have landed.
    """

    __tablename__ = "provider_runs"

    provider: Mapped[str] = mapped_column(primary_key=True)
    wanted: Mapped[str] = mapped_column(primary_key=True)
    run_id: Mapped[str]
    items_id: Mapped[str]
    units: Mapped[int] = mapped_column(BigInteger)
    day: Mapped[date]
    started_at: Mapped[datetime] = mapped_column(server_default=func.now(), index=True)


# Publications for other machines than the one that builds, in the order in which they were made.
class SharedPublication(Unlogged, Base):
    """A publication that was made where there is a bucket (warehouse.publication.shared)."""

    __tablename__ = "shared_publications"

    publication_id: Mapped[UUID] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column("place", BigInteger, Identity(always=True), unique=True)
    """Later publications have higher ones."""
    as_of: Mapped[datetime]
    published_at: Mapped[datetime]
    models_version: Mapped[str | None]
    """Which models computed it."""
    shared_at: Mapped[datetime | None]
    """Since when all of it is in the bucket, by PostgreSQL's clock; null: it is not."""
    shard: Mapped[str | None]
    """Whose it is; null: of `main`, which is all there is where nothing is sharded."""
    members: Mapped[str | None]
    """Whom it has: the digest of Members (warehouse.shards); null: everybody."""


# Which landed batches registration has carried into PostgreSQL: each exactly once.
class RegisteredBatch(Unlogged, Base):
    """Written in the transaction that registers the batch."""

    __tablename__ = "registered_batches"

    batch_id: Mapped[UUID] = mapped_column(primary_key=True)
    kind: Mapped[str]
    registered_at: Mapped[datetime]
    batch_seq: Mapped[int | None] = mapped_column(BigInteger, unique=True, index=True)
    """Its place in the order of all batches (registration/order.py), also in the warehouse.

    Unknown of those that were registered before it was kept here, until an ingestion notes it.
    """
    form: Mapped[UUID | None]
    """Which of the attempts at it in a bucket was committed; none where it lies in a folder."""
