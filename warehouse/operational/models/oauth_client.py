"""Programs that ask people for access to /api/mcp. Anyone may register one (RFC 7591)."""

from datetime import datetime

from sqlalchemy import Index, String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged


class OauthClient(Identified, Unlogged, Base):
    """A program as it described itself: nothing of it is verified, and it has no secret.

    `let_in_at` is when somebody let it in last, null for one that nobody ever did. Times are the
    real clock's.
    """

    __tablename__ = "oauth_clients"
    __table_args__ = (Index("ix_oauth_clients_let_in_at_created_at", "let_in_at", "created_at"),)

    name: Mapped[str]
    redirect_uris: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime]
    let_in_at: Mapped[datetime | None]
