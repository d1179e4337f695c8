"""Tracked posts with their history: owners, statuses, comment crawls, pictures."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ColumnElement,
    ForeignKey,
    Index,
    UniqueConstraint,
    func,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.ext.hybrid import hybrid_property
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped, Unlogged
from warehouse.platforms import PLATFORMS


class Video(Identified, Noted, Timestamped, Followed, Base):
    """A post that a project tracks, reviews or has excluded.

    Account and creator are null for a post added by URL without owner. `author_handle` is its
    author at the last reading, or from the URL that added it; the account's handle may have
    changed since.

    Not scraped while `tracking_disabled`, `plan_limit_paused_at`, `frozen_at` or `stopped_at` is
    set. The history of the status is VideoStatus, of the owner VideoOwner.
    """

    __tablename__ = "videos"
    __table_args__ = (
        CheckConstraint(f"platform in {PLATFORMS}", name="platform"),
        CheckConstraint(
            "tracking_status in "
            "('auto_tracked', 'pending_review', 'included', 'excluded', 'direct_add')",
            name="tracking_status",
        ),
        CheckConstraint(
            "posted_at is not null or not posted_at_is_estimate", name="posted_at_is_estimate"
        ),
        UniqueConstraint("project_id", "platform", "platform_video_id"),
        Index("ix_videos_listed", "organization_id", "created_at", "id"),
        Index(
            "ix_videos_posted",
            "project_id",
            text("coalesce(posted_at, created_at)"),
            "id",
            postgresql_where=text("tracking_status <> 'excluded'"),
        ),
        Index("ix_videos_platform_post", "platform", "platform_video_id"),
        Index(
            "ix_videos_grouped",
            "content_group_id",
            postgresql_where=text("content_group_id is not null"),
        ),
        # The oldest tracked videos, which the plan's limit pauses (`tracked_videos`).
        Index(
            "ix_videos_tracked",
            "organization_id",
            "posted_at",
            "created_at",
            "id",
            postgresql_where=text(
                "tracking_status in ('auto_tracked', 'included', 'direct_add')"
                " and tracking_disabled is false and plan_limit_paused_at is null"
                " and frozen_at is null and stopped_at is null"
            ),
        ),
        # The inbox: few of very many videos wait for review.
        Index(
            "ix_videos_waiting",
            "project_id",
            "created_at",
            "id",
            postgresql_where=text("tracking_status = 'pending_review'"),
        ),
        # A new account takes over posts of its handle that have no owner.
        Index(
            "ix_videos_of_nobody",
            "project_id",
            "platform",
            "author_handle",
            postgresql_where=text("account_id is null"),
        ),
        # Few of very many videos have notes; lists of notes read only those.
        Index("ix_videos_noted", "organization_id", postgresql_where=text("readme is not null")),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    creator_id: Mapped[UUID | None] = mapped_column(ForeignKey("creators.id"), index=True)
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"), index=True)
    content_group_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("content_groups.id", ondelete="SET NULL")
    )
    platform: Mapped[str]
    platform_video_id: Mapped[str]
    author_handle: Mapped[str | None]
    url: Mapped[str]
    custom_title: Mapped[str | None]
    caption: Mapped[str | None]
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
    thumbnail_url: Mapped[str | None]
    media_type: Mapped[str | None]
    duration_seconds: Mapped[int | None]
    tracking_status: Mapped[str]
    tracking_disabled: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    tracking_disabled_at: Mapped[datetime | None]
    tracking_exempted: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    plan_limit_paused_at: Mapped[datetime | None]
    frozen_at: Mapped[datetime | None]
    stopped_at: Mapped[datetime | None]
    posted_at: Mapped[datetime | None]
    posted_at_is_estimate: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    last_scraped_at: Mapped[datetime | None]

    @hybrid_property
    def posted_or_created_at(self) -> datetime:
        """When it was posted, or if unknown, when it was found."""
        return self.posted_at or self.created_at

    @posted_or_created_at.inplace.expression
    @classmethod
    def _posted_or_created_at(cls) -> ColumnElement[datetime]:
        return func.coalesce(cls.posted_at, cls.created_at)


class VideoOwner(Identified, Unlogged, Followed, Base):
    """A video's owner from `valid_from` on (money.md M14).

    The first one also owns earlier readings.
    """

    __tablename__ = "video_owners"
    __table_args__ = (UniqueConstraint("video_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"))
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))
    creator_id: Mapped[UUID | None] = mapped_column(ForeignKey("creators.id"))
    valid_from: Mapped[datetime]


class VideoStatus(Identified, Unlogged, Followed, Base):
    """A video's tracking_status from `valid_from` on (money.md M3, M13), one per instant."""

    __tablename__ = "video_statuses"
    __table_args__ = (UniqueConstraint("video_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"))
    tracking_status: Mapped[str]
    valid_from: Mapped[datetime]


class CommentCollection(Unlogged, Base):
    """A video's comment crawls, and when the next one is due (`due_at`).

    `walked_at` is the end of the last crawl, whatever its outcome; `failures` counts crawls since
    the last ok one. Crawled comments are in raw.comments and raw.comment_walks. A null `due_at`,
    from crawls before schema 0058, means due.
    """

    __tablename__ = "comment_collections"
    __table_args__ = (
        # The videos of an organization crawled on a day.
        Index("ix_comment_collections_walked", "organization_id", "walked_at"),
        Index("ix_comment_collections_due", "organization_id", "due_at"),
    )

    video_id: Mapped[UUID] = mapped_column(ForeignKey("videos.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    walked_at: Mapped[datetime]
    outcome: Mapped[str]
    failures: Mapped[int]
    due_at: Mapped[datetime | None]


class PostPicture(Unlogged, Base):
    """A post's picture or its last URL, shared by all projects that track the post.

    `due_at` (real clock) is when to fetch it; null once it is stored under `path`, or after too
    many failures.
    """

    __tablename__ = "post_pictures"
    __table_args__ = (
        CheckConstraint("path is null or due_at is null", name="path"),
        Index("ix_post_pictures_due", "due_at", postgresql_where=text("due_at is not null")),
    )

    platform: Mapped[str] = mapped_column(primary_key=True)
    platform_video_id: Mapped[str] = mapped_column(primary_key=True)
    url: Mapped[str]
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    due_at: Mapped[datetime | None]
    path: Mapped[str | None]


class HandledComment(Base):
    """A comment that a member handled. Deleted when they undo it.

    `comment_id` is of marts.comments. Nothing is computed from it, so it is not copied.
    """

    __tablename__ = "handled_comments"

    comment_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    handled_at: Mapped[datetime]
    handled_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class Import(Followed, Base):
    """A file loaded into a project: its readings (`id` is their batch), or its posts.

    Readings of a retracted import stay stored and are not counted. `file` and `imported_by`, the
    system account of the command, are null for imports older than this table.
    """

    __tablename__ = "imports"
    __table_args__ = (
        CheckConstraint(
            "(retracted_at is null) = (retraction_reason is null)", name="has_a_reason"
        ),
    )

    id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    kind: Mapped[str]
    file: Mapped[str | None]
    row_count: Mapped[int] = mapped_column(BigInteger)
    imported_by: Mapped[str | None]
    imported_at: Mapped[datetime]
    retracted_at: Mapped[datetime | None]
    retracted_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    """Null if the command retracted it."""
    retraction_reason: Mapped[str | None]
