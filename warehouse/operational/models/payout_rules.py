"""Payout structures and their versions, assignments, pauses and payout methods."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import (
    BigInteger,
    CheckConstraint,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    UniqueConstraint,
    text,
)
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Followed, Identified, Noted, Timestamped


class PayoutStructure(Identified, Noted, Timestamped, Followed, Base):
    """A payout structure; archived: `is_active` False since `archived_at`. Rules: PayoutVersion.

    `timezone` fixes the zone of its periods if it had frozen accruals when the organization's
    analytics_tz changed (money.md M15); null: the organization's.
    """

    __tablename__ = "payout_structures"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    archived_at: Mapped[datetime | None]
    timezone: Mapped[str | None]


class PayoutVersion(Identified, Followed, Base):
    """An immutable version of a structure's rule (contract, Payout structures; money.md M4).

    `criteria_params` is normalized: all parameters of its type with defaults, and rates as JSON
    numbers of at most six decimals. `period` is null for view thresholds and for conversions paid
    one by one. The scope belongs to the version. With `hold_anomalies`, amounts with anomalies
    behind them are held.
    """

    __tablename__ = "payout_versions"
    __table_args__ = (
        UniqueConstraint("structure_id", "number"),
        CheckConstraint("number >= 1", name="number"),
        CheckConstraint("period in ('daily', 'weekly', 'monthly')", name="period"),
        CheckConstraint("amount_cents >= 0", name="amount_cents"),
        CheckConstraint(
            "criteria_type in ('recurring', 'goals', 'cpm', 'view_threshold', 'conversion')",
            name="criteria_type",
        ),
        CheckConstraint("proration_mode in ('skip', 'prorate', 'full')", name="proration_mode"),
        CheckConstraint("period_anchor between 1 and 7", name="period_anchor"),
        CheckConstraint(
            "case platform_scope"
            " when 'all' then platform is null and account_id is null"
            " when 'platform' then platform is not null and account_id is null"
            " when 'account' then platform is null and account_id is not null"
            " else false end",
            name="scope",
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    structure_id: Mapped[UUID] = mapped_column(ForeignKey("payout_structures.id"))
    number: Mapped[int]
    period: Mapped[str | None]
    amount_cents: Mapped[int | None] = mapped_column(BigInteger)
    currency: Mapped[str] = mapped_column(default="USD", server_default="USD")
    criteria_type: Mapped[str]
    criteria_params: Mapped[dict[str, Any]] = mapped_column(JSONB, default=dict)
    proration_mode: Mapped[str]
    backfill_on_assignment: Mapped[bool] = mapped_column(
        default=False, server_default=text("false")
    )
    period_anchor: Mapped[int | None]
    platform_scope: Mapped[str] = mapped_column(default="all", server_default="all")
    platform: Mapped[str | None]
    account_id: Mapped[UUID | None] = mapped_column(ForeignKey("accounts.id"))
    hold_anomalies: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    created_at: Mapped[datetime]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class PayoutAssignment(Identified, Timestamped, Followed, Base):
    """The organization-local days on which a structure pays a creator, both inclusive."""

    __tablename__ = "payout_assignments"
    __table_args__ = (CheckConstraint("end_date >= start_date", name="days"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    structure_id: Mapped[UUID] = mapped_column(ForeignKey("payout_structures.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), index=True)
    start_date: Mapped[date]
    end_date: Mapped[date | None]
    ended_at: Mapped[datetime | None]


class PayoutPause(Identified, Followed, Base):
    """A pause of all payouts of a creator (money.md M6); open until restarted.

    Has the instants of the decisions; M6 derives the paused days of a structure.
    """

    __tablename__ = "payout_pauses"
    __table_args__ = (
        CheckConstraint("restarted_at >= paused_at", name="stretch"),
        Index(
            "uq_payout_pauses_open",
            "creator_id",
            unique=True,
            postgresql_where=text("restarted_at is null"),
        ),
        Index("ix_payout_pauses_creator_id", "creator_id"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"))
    paused_at: Mapped[datetime]
    paused_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    restarted_at: Mapped[datetime | None]
    restarted_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))


class PayoutMethod(Identified, Noted, Timestamped, Base):
    """A way of paying, such as a bank transfer. Default ones come with the organization."""

    __tablename__ = "payout_methods"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    icon_path: Mapped[str | None]
    is_default: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )


class PayoutAccount(Timestamped, Base):
    """A creator's account with a payout method. Its details are encrypted."""

    __tablename__ = "payout_accounts"

    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    payout_method_id: Mapped[UUID] = mapped_column(ForeignKey("payout_methods.id"), index=True)
    details_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)


class PayoutBudget(Identified, Timestamped, Followed, Base):
    """A budget in cents per month of the organization's zone, or for all time if `period` is null.

    It covers its campaign or structure, else the project. `thresholds` are percentages, distinct
    and ascending. No amount depends on a budget.
    """

    __tablename__ = "payout_budgets"
    __table_args__ = (
        CheckConstraint("amount_cents > 0", name="amount_cents"),
        CheckConstraint("period = 'monthly'", name="period"),
        CheckConstraint("on_exceeded in ('warn', 'stop_assignments')", name="on_exceeded"),
        CheckConstraint("campaign_id is null or structure_id is null", name="scope"),
        Index(
            "ix_payout_budgets_organization_id_created_at", "organization_id", "created_at", "id"
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    campaign_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("campaigns.id", ondelete="CASCADE"), index=True
    )
    structure_id: Mapped[UUID | None] = mapped_column(
        ForeignKey("payout_structures.id", ondelete="CASCADE"), index=True
    )
    name: Mapped[str]
    amount_cents: Mapped[int] = mapped_column(BigInteger)
    period: Mapped[str | None]
    thresholds: Mapped[list[int]] = mapped_column(ARRAY(Integer))
    on_exceeded: Mapped[str]
