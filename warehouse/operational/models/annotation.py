"""Notes that people pin to an instant of an entity's analytics."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped


class Annotation(Identified, Timestamped, Base):
    """A user's annotation of a creator, campaign or video; automatic ones are derived."""

    __tablename__ = "annotations"
    __table_args__ = (
        CheckConstraint("scope in ('creator', 'campaign', 'video')", name="scope"),
        Index("ix_annotations_entity_id_at", "entity_id", "at"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    scope: Mapped[str]
    entity_id: Mapped[UUID]
    at: Mapped[datetime]
    title: Mapped[str]
    body_md: Mapped[str | None]
    author_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
