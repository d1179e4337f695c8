"""The vocabulary of tags of an organization, one for each type of item."""

from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, UniqueConstraint
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Timestamped


class Tag(Identified, Timestamped, Base):
    """A label for items of one type. `name` keeps its casing; `name_key` is what is matched.

    `usage_count` items carry it, removed creators and accounts and excluded videos left out. Who
    writes TagItem keeps it, and triggers of the items (migration 0014); no log tells of it.
    """

    __tablename__ = "tags"
    __table_args__ = (
        CheckConstraint(
            "entity_type in ('creator', 'campaign', 'account', 'video')", name="entity_type"
        ),
        CheckConstraint("created_via in ('ui', 'api', 'mcp')", name="created_via"),
        CheckConstraint(
            "color in ('gray', 'blue', 'green', 'orange', 'purple', 'pink', 'red', 'yellow')",
            name="color",
        ),
        UniqueConstraint("organization_id", "entity_type", "name_key"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    entity_type: Mapped[str]
    name: Mapped[str]
    name_key: Mapped[str]
    color: Mapped[str | None]
    created_by: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    created_via: Mapped[str]
    usage_count: Mapped[int] = mapped_column(default=0, server_default="0")
