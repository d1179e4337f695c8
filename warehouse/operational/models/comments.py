"""Comments that members marked as handled."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base


class HandledComment(Base):
    """A comment that a member handled. Deleted when they undo it.

    `comment_id` is of marts.comments. Nothing is computed from it, so it is not copied.
    """

    __tablename__ = "handled_comments"

    comment_id: Mapped[UUID] = mapped_column(primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"), index=True)
    handled_at: Mapped[datetime]
    handled_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
