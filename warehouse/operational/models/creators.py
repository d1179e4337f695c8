"""Creators and their accounts: tracked, connected, deactivated, renamed."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    CheckConstraint,
    ForeignKey,
    Index,
    LargeBinary,
    String,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import (
    SECRET,
    Base,
    Followed,
    Identified,
    Noted,
    Timestamped,
    Unlogged,
)
from warehouse.platforms import PLATFORMS


class Creator(Identified, Noted, Timestamped, Followed, Base):
    """A person or brand whose accounts are tracked. `is_active` is False once removed."""

    __tablename__ = "creators"
    __table_args__ = (
        Index("ix_creators_listed", "organization_id", "created_at", "id"),
        Index("ix_creators_updated", "organization_id", "updated_at"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    display_name: Mapped[str | None]
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    removed_at: Mapped[datetime | None]
    deactivated_at: Mapped[datetime | None]
    deactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    deactivation_video_choice: Mapped[str | None]
    deactivation_reason: Mapped[str | None]


class Account(Identified, Timestamped, Followed, Base):
    """A creator's handle on a platform. Removed: `is_active` False.

    Deactivated: `deactivated_at` set.

    `platform_alt_id` is TikTok's secUid or Instagram's Facebook-side id. Registration writes
    profile fields, `last_*_at` and the outcome of the last profile fetch (`profile_outcome`, at
    `profile_looked_at`); counters are in the warehouse. `listing` is the progress of an
    interrupted listing of all posts (warehouse/registration/listings).
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
        Index("ix_accounts_updated", "organization_id", "updated_at"),
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
    listing: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    profile_outcome: Mapped[str | None]
    profile_looked_at: Mapped[datetime | None]

    def discover_again(self) -> None:
        """Make the next discovery go back to the start."""
        self.last_discovered_at = self.listing = None


class AccountProfileChange(Identified, Unlogged, Base):
    """A profile reading that changed known fields, written by registration.

    `changes` is `{field: {"from": ..., "to": ...}}`. The first value of a field is no change.
    """

    __tablename__ = "account_profile_changes"
    __table_args__ = (UniqueConstraint("account_id", "observed_at"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    observed_at: Mapped[datetime]
    changes: Mapped[dict[str, Any]] = mapped_column(JSONB)


class AccountDeactivation(Identified, Followed, Base):
    """A deactivation of an account (dated, M3); open while `reactivated_at` is null.

    At most one begins at an instant: the next interval reuses the row of an empty one.
    Registration treats posts published in the interval as `missed_posts` says.
    """

    __tablename__ = "account_deactivations"
    __table_args__ = (
        CheckConstraint(
            "video_choice in ('keep_tracking', 'freeze', 'stop_tracking')", name="video_choice"
        ),
        CheckConstraint("missed_posts in ('inbox', 'track', 'ignore')", name="missed_posts"),
        CheckConstraint("existing_videos in ('resume', 'keep', 'stop')", name="existing_videos"),
        CheckConstraint("reactivated_at >= deactivated_at", name="stretch"),
        Index(
            "uq_account_deactivations_open",
            "account_id",
            unique=True,
            postgresql_where=text("reactivated_at is null"),
        ),
        UniqueConstraint("account_id", "deactivated_at"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    deactivated_at: Mapped[datetime]
    deactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    via_creator: Mapped[bool]
    video_choice: Mapped[str]
    reason: Mapped[str | None]
    reactivated_at: Mapped[datetime | None]
    reactivated_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    missed_posts: Mapped[str | None]
    existing_videos: Mapped[str | None]
    note: Mapped[str | None]


class AccountConnection(Identified, Timestamped, Base):
    """A creator's consent to read an account through its platform's API, with encrypted tokens.

    `subject` is the platform's id of the account. `expires_at` is the end of the consent unless
    renewed. Only the creator can repair a broken one (`broken_at`). A disconnected one
    (`ended_at`) is deleted once its platform is notified. While a platform refuses the consent
    without ending it (`refused_since`), it is retried at `retry_at`. Instants are the real
    clock's, except `created_at` and `updated_at`.
    """

    __tablename__ = "account_connections"
    __table_args__ = (
        CheckConstraint(f"platform in {PLATFORMS}", name="platform"),
        CheckConstraint("broken_reason in ('expired', 'revoked')", name="broken_reason"),
        CheckConstraint("(broken_at is null) = (broken_reason is null)", name="broken"),
        Index("ix_account_connections_subject", "platform", "subject"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"), unique=True)
    platform: Mapped[str]
    subject: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    tokens_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    access_expires_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    connected_at: Mapped[datetime]
    broken_at: Mapped[datetime | None]
    broken_reason: Mapped[str | None]
    refused_since: Mapped[datetime | None]
    retry_at: Mapped[datetime | None]
    ended_at: Mapped[datetime | None]


class ConnectAttempt(Unlogged, Base):
    """A creator who was sent to a platform to connect an account and has not returned yet.

    The platform returns `state`, which is valid once. Of state and browser only the SHA-256 is
    stored; PKCE's verifier is encrypted. `expires_at` is the real clock's.
    """

    __tablename__ = "connect_attempts"

    state_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    browser_hash: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    verifier_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    expires_at: Mapped[datetime] = mapped_column(index=True)
