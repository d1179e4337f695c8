"""Simulations that take longer than a request: proposals and results."""

from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, Index, Uuid, text
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped, Unlogged


class PayoutSimulation(Identified, Timestamped, Unlogged, Base):
    """A simulated rule and the progress of its computation. Nothing else depends on it.

    `structure_id` is the structure whose rule it replaces, null for a new one; it may be deleted
    meanwhile. `rule` has the rule's columns of payout_versions. The first `creators_done` of
    `creators` are computed over one publication and the same `decisions` (a digest), with sums of
    `periods`, `videos` and cents. Held cents are summed up at the end, and null if a worker of an
    earlier version computed some of them. Claimed under a lease of the real clock, identified by
    its end; `expires_at` is the real clock's too.
    """

    __tablename__ = "payout_simulations"
    __table_args__ = (
        CheckConstraint("status in ('queued', 'running', 'succeeded', 'failed')", name="status"),
        CheckConstraint("(status = 'failed') = (error is not null)", name="error"),
        Index(
            "ix_payout_simulations_open",
            "created_at",
            postgresql_where=text("status in ('queued', 'running')"),
        ),
        Index(
            "ix_payout_simulations_organization_id_created_at",
            "organization_id",
            "created_at",
            "id",
        ),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    structure_id: Mapped[UUID | None]
    rule: Mapped[dict[str, Any]] = mapped_column(JSONB)
    creators: Mapped[list[UUID]] = mapped_column(ARRAY(Uuid()))
    from_day: Mapped[date]
    to_day: Mapped[date]
    timezone: Mapped[str]
    status: Mapped[str] = mapped_column(default="queued", server_default="queued")
    error: Mapped[str | None]
    publication_id: Mapped[UUID | None]
    as_of: Mapped[datetime | None]
    decisions: Mapped[str | None]
    creators_done: Mapped[int] = mapped_column(default=0, server_default="0")
    periods: Mapped[int] = mapped_column(default=0, server_default="0")
    videos: Mapped[int] = mapped_column(default=0, server_default="0")
    simulated_cents: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    in_force_cents: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    held_cents: Mapped[int | None] = mapped_column(BigInteger)
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    lease_expires_at: Mapped[datetime | None]
    started_at: Mapped[datetime | None]
    finished_at: Mapped[datetime | None]
    expires_at: Mapped[datetime] = mapped_column(index=True)


class PayoutSimulationCreator(Unlogged, Base):
    """A creator's simulated earnings, and the number of rows of creators before it.

    `position` counts from 0 in the requested order. `told` has the creator's periods, as in a small
    simulation's response. The cents in force are 0 for a new structure.
    """

    __tablename__ = "payout_simulation_creators"

    simulation_id: Mapped[UUID] = mapped_column(
        ForeignKey("payout_simulations.id", ondelete="CASCADE"), primary_key=True
    )
    position: Mapped[int] = mapped_column("place", primary_key=True)
    creator_id: Mapped[UUID]
    simulated_cents: Mapped[int] = mapped_column(BigInteger)
    in_force_cents: Mapped[int] = mapped_column(BigInteger)
    held_cents: Mapped[int | None] = mapped_column(BigInteger)
    periods_before: Mapped[int]
    periods: Mapped[int]
    videos_before: Mapped[int]
    videos: Mapped[int]
    told: Mapped[list[dict[str, Any]]] = mapped_column(JSONB, deferred=True)
