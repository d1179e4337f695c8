"""Goals of creators, and conversions."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    Computed,
    ForeignKey,
    Index,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Timestamped, Unlogged


class Goal(Identified, Timestamped, Base):
    """A creator's target per period (contract, Goal; money.md M20, M21). History: GoalState.

    Dates are days of the organization's zone, inclusive. Account scope names an account of the
    creator, platform scope a platform.
    """

    __tablename__ = "goals"
    __table_args__ = (
        CheckConstraint("metric in ('posts', 'views', 'engagement', 'followers')", name="metric"),
        CheckConstraint("period in ('daily', 'weekly', 'monthly')", name="period"),
        CheckConstraint("target_value > 0", name="target_value"),
        CheckConstraint("end_date >= start_date", name="days"),
        CheckConstraint(
            "case platform_scope"
            " when 'all' then platform is null and account_id is null"
            " when 'platform' then platform is not null and account_id is null"
            " when 'account' then platform is null and account_id is not null"
            " else false end",
            name="scope",
        ),
        Index("ix_goals_creator_id_created_at", "creator_id", "created_at", "id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    metric: Mapped[str]
    period: Mapped[str]
    target_value: Mapped[int] = mapped_column(BigInteger)
    start_date: Mapped[date | None]
    end_date: Mapped[date | None]
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    platform_scope: Mapped[str] = mapped_column(default="all", server_default="all")
    platform: Mapped[str | None]
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))


class GoalState(Identified, Unlogged, Followed, Base):
    """A goal's state from `valid_from` on (dated, money.md M3, M21). Outlives a deleted goal."""

    __tablename__ = "goal_states"
    __table_args__ = (UniqueConstraint("goal_id", "valid_from"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    goal_id: Mapped[UUID]
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    metric: Mapped[str]
    period: Mapped[str]
    target_value: Mapped[int] = mapped_column(BigInteger)
    start_date: Mapped[date | None]
    end_date: Mapped[date | None]
    is_active: Mapped[bool]
    platform_scope: Mapped[str]
    platform: Mapped[str | None]
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))
    is_deleted: Mapped[bool]
    valid_from: Mapped[datetime]


class ConversionEvent(Identified, Timestamped, Followed, Base):
    """A type of conversion (contract, Conversion event). `key` stays reserved while inactive.

    `default_value_cents` is the value of a conversion without one, in cents of `currency`.
    """

    __tablename__ = "conversion_events"
    __table_args__ = (
        CheckConstraint("key = lower(key)", name="key_lower"),
        CheckConstraint("default_value_cents >= 0", name="default_value_cents"),
        UniqueConstraint("project_id", "key"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    key: Mapped[str]
    name: Mapped[str]
    description: Mapped[str | None]
    default_value_cents: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    currency: Mapped[str] = mapped_column(default="USD", server_default="USD")
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )


class Conversion(Identified, Unlogged, Followed, Base):
    """A conversion (contract, Conversion), written once and at most voided.

    `value_cents` is per unit, in the event's currency. Creator and account are those of the target
    when it was recorded.
    """

    __tablename__ = "conversions"
    __table_args__ = (
        CheckConstraint("target_type in ('creator', 'account', 'video')", name="target_type"),
        CheckConstraint("value_cents >= 0", name="value_cents"),
        CheckConstraint("quantity between 1 and 1000000", name="quantity"),
        Index(
            "uq_conversions_external_id",
            "project_id",
            "external_id",
            unique=True,
            postgresql_where=text("external_id is not null"),
        ),
        Index("ix_conversions_project_id_occurred_at", "project_id", "occurred_at", "id"),
        Index("ix_conversions_updated", "project_id", text("coalesce(voided_at, created_at)")),
        Index("ix_conversions_event_occurred_at", "conversion_event_id", "occurred_at", "id"),
        Index("ix_conversions_creator_id_occurred_at", "creator_id", "occurred_at", "id"),
        Index(
            "ix_conversions_account_id_occurred_at",
            "account_id",
            "occurred_at",
            "id",
            postgresql_where=text("account_id is not null"),
        ),
        Index(
            "ix_conversions_video_id_occurred_at",
            "video_id",
            "occurred_at",
            "id",
            postgresql_where=text("video_id is not null"),
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    conversion_event_id: Mapped[UUID] = mapped_column(ForeignKey("conversion_events.id"))
    target_type: Mapped[str]
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))
    video_id: Mapped[UUID | None] = mapped_column(ForeignKey("videos.id"))
    value_cents: Mapped[int] = mapped_column(BigInteger)
    quantity: Mapped[int]
    total_value_cents: Mapped[int] = mapped_column(
        BigInteger, Computed("value_cents * quantity", persisted=True)
    )
    external_id: Mapped[str | None]
    source: Mapped[str | None]
    label: Mapped[str | None]
    note: Mapped[str | None]
    details: Mapped[dict[str, Any]] = mapped_column("metadata", JSONB, default=dict)
    voided_at: Mapped[datetime | None]
    voided_reason: Mapped[str | None]
    occurred_at: Mapped[datetime]
    created_at: Mapped[datetime]
