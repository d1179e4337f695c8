"""Targets of creators as they are now; what they were, and when, is GoalState's."""

from datetime import date
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped


class Goal(Identified, Timestamped, Base):
    """A target for each period of a kind (contract, Goal; money.md M20, M21).

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
