"""API keys: only the SHA-256 of a key is ever stored (contract, Authentication 2)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped


class ApiKey(Identified, Timestamped, Base):
    """A key of one organization that acts as one of its members."""

    __tablename__ = "api_keys"
    __table_args__ = (
        CheckConstraint("status in ('active', 'revoked', 'deactivated')", name="status"),
        CheckConstraint("octet_length(key_hash) = 32", name="key_hash_length"),
    )

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    name: Mapped[str]
    key_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    key_prefix: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    acts_as_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    created_by_user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"))
    status: Mapped[str] = mapped_column(default="active", server_default="active")
    deactivation_reason: Mapped[str | None]
    expires_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
