"""Invitations to an organization: only the SHA-256 of a token is ever stored."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped


class Invitation(Identified, Timestamped, Base):
    """An offer to become a member; expired once `expires_at` passed (real clock)."""

    __tablename__ = "invitations"
    __table_args__ = (
        CheckConstraint("role in ('admin', 'member')", name="role"),
        CheckConstraint("status in ('pending', 'accepted', 'revoked')", name="status"),
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    email: Mapped[str]
    role: Mapped[str]
    status: Mapped[str] = mapped_column(default="pending", server_default="pending")
    token_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    invited_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    accepted_by_user_id: Mapped[UUID | None] = mapped_column(ForeignKey("users.id"))
    expires_at: Mapped[datetime]
