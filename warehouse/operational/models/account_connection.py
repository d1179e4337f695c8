"""A creator's consent to have an account of theirs read through its platform's official API."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, Index, LargeBinary, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped
from warehouse.platforms import PLATFORMS


class AccountConnection(Identified, Timestamped, Base):
    """The consent for one account, and its tokens, encrypted.

    `subject` is the platform's own id of the account, as the tokens know it. `expires_at` is when
    the consent ends unless it is renewed. Once it broke (`broken_at`), only the creator can mend
    it; one that is let go (`ended_at`) is deleted as soon as its platform was told. But for
    `created_at` and `updated_at` instants are the real clock's.
    """

    __tablename__ = "account_connections"
    __table_args__ = (
        CheckConstraint(f"platform in {PLATFORMS}", name="platform"),
        CheckConstraint("broken_reason in ('expired', 'revoked')", name="broken_reason"),
        CheckConstraint("(broken_at is null) = (broken_reason is null)", name="broken"),
        Index("ix_account_connections_subject", "platform", "subject"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    account_id: Mapped[UUID] = mapped_column(ForeignKey("accounts.id"), unique=True)
    platform: Mapped[str]
    subject: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    tokens_encrypted: Mapped[bytes] = mapped_column(LargeBinary, info=SECRET)
    access_expires_at: Mapped[datetime]
    expires_at: Mapped[datetime]
    connected_at: Mapped[datetime]
    broken_at: Mapped[datetime | None]
    broken_reason: Mapped[str | None]
    ended_at: Mapped[datetime | None]
