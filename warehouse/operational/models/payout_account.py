"""Where a creator's money goes."""

from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Timestamped


class PayoutAccount(Timestamped, Base):
    """A creator's account with a payout method; its details are stored encrypted."""

    __tablename__ = "payout_accounts"

    creator_id: Mapped[UUID] = mapped_column(ForeignKey("creators.id"), primary_key=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    payout_method_id: Mapped[UUID] = mapped_column(ForeignKey("payout_methods.id"), index=True)
    details_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
