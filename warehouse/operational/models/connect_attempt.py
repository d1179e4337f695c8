"""A creator who was sent to a platform to connect an account, and has not come back yet."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Unlogged


class ConnectAttempt(Unlogged, Base):
    """What a platform's answer is held to: it names the attempt by `state`, which is used once.

    Of the state and of the browser that may come back with it only the SHA-256 is stored; the
    verifier of PKCE is encrypted. `expires_at` is the real clock's.
    """

    __tablename__ = "connect_attempts"

    state_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"))
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"))
    browser_hash: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    verifier_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    expires_at: Mapped[datetime] = mapped_column(index=True)
