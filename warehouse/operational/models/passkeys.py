"""Passkeys with which people sign in to the desk, and what their next use has to answer."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import BigInteger, CheckConstraint, ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Unlogged


# What a device signs with instead of a password: we keep the public half alone.
class Passkey(Identified, Unlogged, Base):
    """A passkey of a person, under the name that the person gave it.

    `public_key` is as the device told it (COSE). `sign_count` is what the device counted last, 0
    from devices that count nothing. Times are the real clock's.
    """

    __tablename__ = "passkeys"

    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    name: Mapped[str]
    credential_id: Mapped[bytes] = mapped_column(LargeBinary, unique=True)
    public_key: Mapped[bytes] = mapped_column(LargeBinary)
    sign_count: Mapped[int] = mapped_column(BigInteger)
    created_at: Mapped[datetime]
    last_used_at: Mapped[datetime | None]


# What a browser has been asked to sign: worth one answer.
class PasskeyChallenge(Unlogged, Base):
    """The latest challenge of one browser, by the SHA-256 of its token.

    `user_id` is who adds a passkey, null where somebody signs in. Times are the real clock's.
    """

    __tablename__ = "passkey_challenges"
    __table_args__ = (CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),)

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"), index=True)
    challenge: Mapped[bytes] = mapped_column(LargeBinary)
    expires_at: Mapped[datetime] = mapped_column(index=True)
