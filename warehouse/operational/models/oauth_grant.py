"""What a member allowed a program to do in one organization."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import CheckConstraint, ForeignKey, LargeBinary, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Unlogged


class OauthGrant(Identified, Unlogged, Base):
    """One consent: the code that stands for it until it is exchanged, and the family of its tokens.

    `expires_at` is when nothing of it is worth anything any more: first its code's end, then the
    end of the latest refresh token. Once `revoked_at` is set, no token of the family is worth
    anything. All times are the real clock's. `code_challenge` is the S256 one of PKCE.
    """

    __tablename__ = "oauth_grants"
    __table_args__ = (CheckConstraint("octet_length(code_hash) = 32", name="code_hash_length"),)

    client_id: Mapped[UUID] = mapped_column(ForeignKey("oauth_clients.id"), index=True)
    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), index=True)
    user_id: Mapped[UUID] = mapped_column(ForeignKey("users.id"), index=True)
    scopes: Mapped[list[str]] = mapped_column(ARRAY(String))
    resource: Mapped[str]
    redirect_uri: Mapped[str]
    code_hash: Mapped[bytes] = mapped_column(LargeBinary, unique=True, info=SECRET)
    code_challenge: Mapped[str]
    code_used_at: Mapped[datetime | None]
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime] = mapped_column(index=True)
    revoked_at: Mapped[datetime | None]
