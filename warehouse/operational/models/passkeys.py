"""Passkeys for signing in to the desk, and their challenges."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Unlogged


class Passkey(Identified, Unlogged, Base):
    """A user's passkey, with the name they gave it.

    `public_key` is in COSE format. `sign_count` is the authenticator's last counter, 0 if it has
    none. Times are the real clock's.
    """

    __tablename__ = "passkeys"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str]
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


class PasskeyChallenge(Unlogged, Base):
    """The latest challenge of a browser, by the SHA-256 of its token. Valid for one answer.

    `user_id` is the user who adds a passkey, null at sign-in. Times are the real clock's.
    """

    __tablename__ = "passkey_challenges"
    __table_args__ = (CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"), index=True)
    challenge: Mapped[bytes] = mapped_column(LargeBinary)
    expires_at: Mapped[datetime] = mapped_column(index=True)
