"""State shared by processes that scrape: jobs, schedule, paces, spending, batches."""

from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Identity, Index, Numeric, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import THIS_TRANSACTION, Base, Identified, Timestamped, Unlogged


class ScrapeJob(Identified, Timestamped, Base):
    """A requested fetch: an account's profile or posts, or a video's counters.

    Claimed with SKIP LOCKED under a lease in real time. A job whose lease expired is claimed again.
    None is claimed before `not_before`, the end of a pause that the platform requested.
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


class AccountFetch(Unlogged, Base):
    """What workers claim: an account with its posts, or a single post, for all projects together.

    `subject` is the account's user id on the platform, `@handle` while unknown, or `#post`.
    `account_due_at` is when its profile and newest posts are due (null for a single post),
    `due_at` when anything is, `pays_at` when a paying fetch is (null: none). `oldest_at` is the
    oldest last fetch in it (null: something was never fetched). `failing_since` is the first fetch
    since the last answer (null: the last one was answered). Claimed under a lease of the real
    clock, identified by its end.
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


class PlanReach(Unlogged, Base):
    """The only row: the schedule includes transactions of `origin` before `up_to`, by `rule`.

    `rule` has two digests: of the statements for membership and of those for due times
    (warehouse/fetch_schedule/changes.py).
    """

    __tablename__ = "plan_reach"

    origin: Mapped[str] = mapped_column(primary_key=True)
    rule: Mapped[str]
    up_to: Mapped[int] = mapped_column(BigInteger)


class PostSchedule(Unlogged, Base):
    """The fetch schedule of one scrapable post of a project (warehouse/fetch_schedule).

    `subject` names its AccountFetch. `looked_at` is the last fetch, whatever the outcome; `views`
    were read at `read_at` and grew by `views_a_day` before (null: unknown). From `pays_at` on a
    fetch affects pay (null: never). It can be recreated; nothing is computed from it.
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
    pays_at: Mapped[datetime | None]


class FetchDeadline(Unlogged, Base):
    """An instant before which a creator's posts have to be read: the end of a paying period.

    From the current publication, in the zone of the structure or goal (money.md M15).
    """

    __tablename__ = "look_deadlines"

    creator_id: Mapped[UUID] = mapped_column(
        ForeignKey("creators.id", ondelete="CASCADE"), primary_key=True
    )
    ends_at: Mapped[datetime] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)


class HostPace(Unlogged, Base):
    """The request pace of a host, per address of the requests (`egress`, a name set by operators).

    `state` is scrapers.transport.hosts.HostState; its instants are seconds of the database's clock
    since 1970.
    """

    __tablename__ = "host_paces"

    egress: Mapped[str] = mapped_column(primary_key=True)
    host: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[dict[str, Any]] = mapped_column(JSONB)


class ProviderSpending(Unlogged, Base):
    """Requests to a commercial provider on a day (UTC, real clock), and their cost.

    Counted before they are sent, so failed ones are included.
    """

    __tablename__ = "provider_spending"

    provider: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]
    usd: Mapped[Decimal] = mapped_column(Numeric(20, 10))


class SharedPublication(Unlogged, Base):
    """A publication shared through a bucket, for other machines (warehouse.publication.shared)."""

    __tablename__ = "shared_publications"

    publication_id: Mapped[UUID] = mapped_column(primary_key=True)
    position: Mapped[int] = mapped_column("place", BigInteger, Identity(always=True), unique=True)
    """Grows with each publication."""
    as_of: Mapped[datetime]
    published_at: Mapped[datetime]
    models_version: Mapped[str | None]
    """The models that computed it."""
    shared_at: Mapped[datetime | None]
    """When it was completely uploaded, by PostgreSQL's clock; null: not yet."""
    shard: Mapped[str | None]
    """Its shard; null: `main`, which is the only one without shards."""
    members: Mapped[str | None]
    """Digest of its Members (warehouse.shards); null: all organizations."""


class RegisteredBatch(Unlogged, Base):
    """A batch registered in PostgreSQL exactly once, written in the registering transaction."""

    __tablename__ = "registered_batches"

    batch_id: Mapped[UUID] = mapped_column(primary_key=True)
    kind: Mapped[str]
    registered_at: Mapped[datetime]
    batch_seq: Mapped[int | None] = mapped_column(BigInteger, unique=True, index=True)
    """Its number in the order of all batches (registration/order.py), also in the warehouse. Null
    for batches older than the numbering, until they are ingested; negative for one set aside.
    """
    form: Mapped[UUID | None]
    """The committed attempt; null if an older version wrote it in a folder."""
