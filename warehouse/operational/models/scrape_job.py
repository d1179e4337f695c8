"""The queue of scrapes that people or the API asked for."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped


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
