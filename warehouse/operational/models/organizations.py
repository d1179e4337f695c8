"""Organizations with their settings, members, projects and annotations."""

from datetime import datetime
from typing import get_args
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
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.fetch_schedule.freshness import Freshness
from warehouse.operational.base import (
    SECRET,
    Base,
    Followed,
    Identified,
    Noted,
    Timestamped,
    Unlogged,
)


class Organization(Identified, Noted, Timestamped, Followed, Base):
    """A tenant. `analytics_tz` is the present zone; its history is OrganizationZone.

    `freshness` sets how often its posts are fetched (warehouse/fetch_schedule/freshness.py).
    `created_by_user_id` is null if the command line created it.
    """

    __tablename__ = "organizations"
    __table_args__ = (
        CheckConstraint("plan in ('free', 'starter', 'ultra')", name="plan"),
        CheckConstraint("payout_settling_days between 0 and 30", name="payout_settling_days"),
        CheckConstraint(f"freshness in {get_args(Freshness)}", name="freshness"),
    )

    name: Mapped[str]
    plan: Mapped[str] = mapped_column(default="free", server_default="free")
    analytics_tz: Mapped[str] = mapped_column(default="UTC", server_default="UTC")
    is_suspended: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    freshness: Mapped[str] = mapped_column(default="standard", server_default="standard")
    payout_settling_days: Mapped[int] = mapped_column(default=0, server_default="0")
    conversion_payouts_enabled: Mapped[bool] = mapped_column(
        default=True, server_default=text("true")
    )
    logo_path: Mapped[str | None]
    created_by_user_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("users.id", use_alter=True), index=True
    )


class OrganizationZone(Identified, Unlogged, Followed, Base):
    """An organization's time zone from `valid_from` on (dated, money.md M3, M15)."""

    __tablename__ = "organization_zones"
    __table_args__ = (UniqueConstraint("organization_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    analytics_tz: Mapped[str]
    valid_from: Mapped[datetime]


class OrganizationConversionPayouts(Identified, Unlogged, Followed, Base):
    """Whether conversions recorded from `valid_from` on (inclusive) create accruals (dated, M3).

    Independent of their `occurred_at`. Without a row they do.
    """

    __tablename__ = "organization_conversion_payouts"
    __table_args__ = (UniqueConstraint("organization_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    is_enabled: Mapped[bool]
    valid_from: Mapped[datetime]


DEFAULT_MIN_COMMENT_COUNT = 5


class CommentSettings(Timestamped, Followed, Base):
    """Comment settings of an organization; without a row, the defaults (decisions.md, Aggregates).

    A video's comments are collected if its platform shows at least `min_comment_count`.
    """

    __tablename__ = "comment_settings"
    __table_args__ = (
        CheckConstraint("min_comment_count between 0 and 100000", name="min_comment_count"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    min_comment_count: Mapped[int] = mapped_column(
        default=DEFAULT_MIN_COMMENT_COUNT, server_default=str(DEFAULT_MIN_COMMENT_COUNT)
    )
    brand_terms: Mapped[list[str]] = mapped_column(ARRAY(String), default=list, server_default="{}")
    competitor_terms: Mapped[list[str]] = mapped_column(
        ARRAY(String), default=list, server_default="{}"
    )


class Member(Noted, Base):
    """A user's role in an organization."""

    __tablename__ = "members"
    __table_args__ = (CheckConstraint("role in ('admin', 'member')", name="role"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    role: Mapped[str]
    joined_at: Mapped[datetime]


# Only the SHA-256 of a token is stored.
class Invitation(Identified, Timestamped, Base):
    """An invitation to become a member, valid until `expires_at` (real clock)."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("role in ('admin', 'member')", name="role"),
        CheckConstraint("status in ('pending', 'accepted', 'revoked')", name="status"),
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    email: Mapped[str]
    role: Mapped[str]
    status: Mapped[str] = mapped_column(default="pending", server_default="pending")
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    invited_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    accepted_by_user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    expires_at: Mapped[datetime]


class Project(Identified, Noted, Timestamped, Followed, Base):
    """A project of an organization. An archived one does not count towards the plan's limit."""

    __tablename__ = "projects"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    is_archived: Mapped[bool] = mapped_column(default=False, server_default=text("false"))


class Annotation(Identified, Timestamped, Base):
    """A user's note on a creator, campaign or video at an instant. Automatic ones are derived."""

    __tablename__ = "annotations"
    __table_args__ = (
        CheckConstraint("scope in ('creator', 'campaign', 'video')", name="scope"),
        Index("ix_annotations_entity_id_at", "entity_id", "at"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    scope: Mapped[str]
    entity_id: Mapped[UUID]
    at: Mapped[datetime]
    title: Mapped[str]
    body_md: Mapped[str | None]
    author_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
