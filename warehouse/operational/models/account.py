"""One platform presence of a creator: where tracking is configured (contract, Account)."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, String, text
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Timestamped
from warehouse.platforms import PLATFORMS


class Account(Identified, Timestamped, Followed, Base):
    """A handle on a platform. Removed: `is_active` False. Deactivated: `deactivated_at` set.

    `platform_alt_id` is TikTok's secUid or Instagram's Facebook-side id. Profile fields,
    `last_*_at` and how the last look at the profile ended (`profile_outcome`, at
    `profile_looked_at`) are written by registration; counters live in the warehouse.
    """

    __tablename__ = "accounts"
    __table_args__ = (
        CheckConstraint(f"platform in {PLATFORMS}", name="platform"),
        CheckConstraint("tracking_mode in ('auto', 'selective', 'hashtag')", name="tracking_mode"),
        CheckConstraint("tracking_end_date >= tracking_start_date", name="tracking_window"),
        CheckConstraint("handle = lower(handle)", name="handle_lower"),
        Index(
            "uq_accounts_tracked_handle",
            "project_id",
            "platform",
            "handle",
            unique=True,
            postgresql_where=text("is_active"),
        ),
        Index("ix_accounts_listed", "organization_id", "created_at", "id"),
        Index("ix_accounts_platform_handle", "platform", "handle"),
        Index("ix_accounts_platform_user", "platform", "platform_user_id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), index=True)
    platform: Mapped[str]
    handle: Mapped[str]
    platform_user_id: Mapped[str | None]
    platform_alt_id: Mapped[str | None]
    display_name: Mapped[str | None]
    avatar_url: Mapped[str | None]
    bio_link: Mapped[str | None]
    is_private: Mapped[bool | None]
    tracking_mode: Mapped[str] = mapped_column(default="auto", server_default="auto")
    tracking_hashtags: Mapped[list[str]] = mapped_column(
        ARRAY(String), default=list, server_default=text("'{}'")
    )
    hashtag_inbox_non_matching: Mapped[bool] = mapped_column(
        default=True, server_default=text("true")
    )
    tracking_start_date: Mapped[date | None]
    tracking_end_date: Mapped[date | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    removed_at: Mapped[datetime | None]
    deactivated_at: Mapped[datetime | None]
    deactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    deactivated_via_cascade: Mapped[bool] = mapped_column(
        default=False, server_default=text("false")
    )
    deactivation_video_choice: Mapped[str | None]
    deactivation_reason: Mapped[str | None]
    last_scraped_at: Mapped[datetime | None]
    last_discovered_at: Mapped[datetime | None]
    profile_outcome: Mapped[str | None]
    profile_looked_at: Mapped[datetime | None]
