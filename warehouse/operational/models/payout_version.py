"""The rules of payout structures, version by version; a version never changes."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified


class PayoutVersion(Identified, Followed, Base):
    """One version of a structure's rule (contract, Payout structures; money.md M4).

    `criteria_params` is normalized: every parameter of its type is there, defaults included, rates
    are JSON numbers of at most six decimals. `period` is null for view thresholds and for
    conversions paid one by one. Scope is of the version.
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
    created_at: Mapped[datetime]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
