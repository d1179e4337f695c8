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


# A creator owns accounts and has no handle of its own.
class Creator(Identified, Noted, Timestamped, Followed, Base):
    """A person or brand whose accounts are tracked. `is_active` is False once removed."""

    __tablename__ = "creators"
    __table_args__ = (Index("ix_creators_listed", "organization_id", "created_at", "id"),)

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


# One platform presence of a creator: where tracking is configured (contract, Account).
class Account(Identified, Timestamped, Followed, Base):
    """A handle on a platform. Removed: `is_active` False. Deactivated: `deactivated_at` set.

    `platform_alt_id` is TikTok's secUid or Instagram's Facebook-side id. Profile fields,
    `last_*_at` and how the last look at the profile ended (`profile_outcome`, at
    `profile_looked_at`) are written by registration; counters live in the warehouse. `listing` is
    how far a listing of all posts has come that was cut (warehouse/registration/listings).
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
    listing: Mapped[dict[str, Any] | None] = mapped_column(JSONB(none_as_null=True))
    profile_outcome: Mapped[str | None]
    profile_looked_at: Mapped[datetime | None]

    def discover_anew(self) -> None:
        """Have the next discovery go back all the way."""
        self.last_discovered_at = self.listing = None


# What platforms showed of an account's profile that was different from before.
class AccountProfileChange(Identified, Unlogged, Base):
    """One profile read at `observed_at` that changed known fields, written by registration.

    `changes` is `{field: {"from": ..., "to": ...}}`; a first sight of a field is no change.
    """

    __tablename__ = "account_profile_changes"
    __table_args__ = (UniqueConstraint("account_id", "observed_at"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    observed_at: Mapped[datetime]
    changes: Mapped[dict[str, Any]] = mapped_column(JSONB)


# When accounts were deactivated, with which choices, and when they came back (dated, M3).
class AccountDeactivation(Identified, Followed, Base):
    """One stretch in which an account was deactivated; open while `reactivated_at` is null.

    At an instant at most one begins: the account's next stretch takes the row of one that had no
    length.

    Registration files posts published in the stretch as `missed_posts` says.
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


# A creator's consent to have an account of theirs read through its platform's official API.
class AccountConnection(Identified, Timestamped, Base):
    """The consent for one account, and its tokens, encrypted.

    `subject` is the platform's own id of the account, as the tokens know it. `expires_at` is when
    the consent ends unless it is renewed. Once it broke (`broken_at`), only the creator can mend
    it; one that is let go (`ended_at`) is deleted as soon as its platform was told. While a
    platform refuses it without saying that it is over (`refused_since`), it is tried again at
    `retry_at`. But for `created_at` and `updated_at` instants are the real clock's.
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


# A creator who was sent to a platform to connect an account, and has not come back yet.
class ConnectAttempt(Unlogged, Base):
    """What a platform's answer is held to: it names the attempt by `state`, which is used once.

    Of the state and of the browser that may come back with it only the SHA-256 is stored; the
    verifier of PKCE is encrypted. `expires_at` is the real clock's.
    """

    __tablename__ = "connect_attempts"

    state_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    browser_hash: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    verifier_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    expires_at: Mapped[datetime] = mapped_column(index=True)
