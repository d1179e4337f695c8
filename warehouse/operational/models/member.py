"""A user's place in an organization."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Noted


class Member(Noted, Base):
    """One user in one organization, with a role there."""

    __tablename__ = "members"
    __table_args__ = (CheckConstraint("role in ('admin', 'member')", name="role"),)

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), primary_key=True, index=True)
    role: Mapped[str]
    joined_at: Mapped[datetime]
