"""Wrong passwords, counted by address whether or not anybody has it."""

from datetime import datetime

from sqlalchemy import LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class SignInFailure(Unlogged, Base):
    """Tries for one e-mail address (its SHA-256) since the last right password.

    Addresses that nobody has are counted too, so that a lock tells nothing. Times are the real
    clock's.
    """

    __tablename__ = "sign_in_failures"

    email_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True)
    failed: Mapped[int]
    tried_at: Mapped[datetime] = mapped_column(index=True)
    locked_until: Mapped[datetime | None]
