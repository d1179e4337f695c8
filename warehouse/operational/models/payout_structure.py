"""Earning rules of a project."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class PayoutStructure(Identified, Noted, Timestamped, Followed, Base):
    """A payout structure; archived: `is_active` False since `archived_at`. Rules: PayoutVersion.

    `timezone` is the zone of its periods where a new analytics_tz of the organization found it
    with frozen accruals (money.md M15); null: the organization's.
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
