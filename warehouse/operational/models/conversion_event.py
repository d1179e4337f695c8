"""What kinds of outcomes a project records (contract, Conversion event)."""

from typing import Any
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, UniqueConstraint, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Followed, Identified, Timestamped


class ConversionEvent(Identified, Timestamped, Followed, Base):
    """An outcome type. `key` is taken for as long as the row exists, also while inactive.

    `default_value_cents` is the value of one conversion that names none, in cents of `currency`.
    """

    __tablename__ = "conversion_events"
    __table_args__ = (
        CheckConstraint("key = lower(key)", name="key_lower"),
        CheckConstraint("default_value_cents >= 0", name="default_value_cents"),
        UniqueConstraint("project_id", "key"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    project_id: Mapped[UUID] = mapped_column(ForeignKey("projects.id"))
    key: Mapped[str]
    name: Mapped[str]
    description: Mapped[str | None]
    default_value_cents: Mapped[int] = mapped_column(BigInteger, default=0, server_default="0")
    currency: Mapped[str] = mapped_column(default="USD", server_default="USD")
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
