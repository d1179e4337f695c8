"""A creator owns accounts and has no handle of its own."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, Index, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


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
