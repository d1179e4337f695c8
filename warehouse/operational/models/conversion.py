"""Outcomes that creators' posts led to: facts, written once and at most voided."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, Computed, ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Unlogged


class Conversion(Identified, Unlogged, Followed, Base):
    """One outcome (contract, Conversion). `value_cents` is of one, in the event's currency.

    Creator and account are those of the target when it was recorded.
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
