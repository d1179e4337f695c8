"""A creator's public page, and the PIN that opens it."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Timestamped


class ShareLink(Timestamped, Base):
    """The settings of one creator's share page.

    The PIN is encrypted, because some may read it (contract, PIN visibility). `pin_id` names it
    and no other, also if the link is deleted and made anew: a session unlocked with another PIN is
    over. `failed_unlocks` counts the wrong PINs since the last right one; `locked_until` is the
    real clock's.
    """

    __tablename__ = "share_links"
    __table_args__ = (CheckConstraint("show_analytics or show_payouts", name="sections"),)

    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    is_enabled: Mapped[bool] = mapped_column(default=True, server_default=text("true"))
    show_analytics: Mapped[bool]
    show_payouts: Mapped[bool]
    pin_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    pin_id: Mapped[UUID]
    failed_unlocks: Mapped[int] = mapped_column(default=0, server_default="0")
    locked_until: Mapped[datetime | None]
