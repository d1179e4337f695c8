"""A project holds creators, campaigns and what is paid for them."""

from uuid import UUID

from sqlalchemy import ForeignKey, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Noted, Timestamped


class Project(Identified, Noted, Timestamped, Followed, Base):
    """A project of an organization; an archived one frees a slot of the plan."""

    __tablename__ = "projects"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    is_archived: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
