"""Tokens of programs that people allowed in: only the SHA-256 of a token is ever stored."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Unlogged


class OauthToken(Unlogged, Base):
    """An access or refresh token of a grant. A refresh token is used once (`used_at`).

    `scopes` may be fewer than the grant's, where the program asked for less. Times are the real
    clock's.
    """

    __tablename__ = "oauth_tokens"
    __table_args__ = (
        CheckConstraint("kind in ('access', 'refresh')", name="kind"),
        CheckConstraint("octet_length(token_hash) = 32", name="token_hash_length"),
    )

    token_hash: Mapped[bytes] = mapped_column(LargeBinary, primary_key=True, info=SECRET)
    grant_id: Mapped[UUID] = mapped_column(
        ForeignKey("oauth_grants.id", ondelete="CASCADE"), index=True
    )
    kind: Mapped[str]
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    expires_at: Mapped[datetime]
    used_at: Mapped[datetime | None]
