"""Dated goals (money.md M3, M21): what a goal was from when, its deletion included."""

from datetime import date, datetime
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class GoalState(Identified, Unlogged, Followed, Base):
    """From `valid_from` on the goal is this; outlives the goal, whose last state says deleted."""

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
