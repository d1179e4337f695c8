"""A mixed-platform grouping of creators, videos and sub-campaigns."""

from datetime import datetime
from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, ForeignKey, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class Campaign(Identified, Noted, Timestamped, Followed, Base):
    """A campaign of a project; its members are CampaignItem rows."""

    __tablename__ = "campaigns"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    name: Mapped[str]
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
    target_views: Mapped[int | None] = mapped_column(BigInteger)
    target_at: Mapped[datetime | None]
