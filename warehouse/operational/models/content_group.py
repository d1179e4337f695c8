"""The same content on several platforms, linked; its videos name it in `content_group_id`."""

from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped


class ContentGroup(Identified, Timestamped, Base):
    """A group of videos of one project; a video is in one group at most."""

    __tablename__ = "content_groups"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    title: Mapped[str]
    notes: Mapped[str | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
