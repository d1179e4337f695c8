"""How creators are paid."""

from typing import Any
from uuid import UUID

from sqlalchemy import ForeignKey, text
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Noted, Timestamped


class PayoutMethod(Identified, Noted, Timestamped, Base):
    """A way of paying, such as a bank transfer. Default ones come with the organization."""

    __tablename__ = "payout_methods"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    icon_path: Mapped[str | None]
    is_default: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    is_active: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    details: Mapped[dict[str, Any]] = mapped_column(
        "metadata", JSONB, default=dict, server_default=text("'{}'")
    )
