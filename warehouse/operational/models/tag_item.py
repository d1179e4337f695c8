"""What carries which tag."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base


class TagItem(Base):
    """One tag on one creator, campaign, account or video: of the type that the tag is for."""

    __tablename__ = "tag_items"
    __table_args__ = (Index("ix_tag_items_item_id", "item_id"),)

    tag_id: Mapped[UUID] = mapped_column(
        ForeignKey("tags.id", ondelete="CASCADE"), primary_key=True
    )
    item_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    created_at: Mapped[datetime]
