"""Programs that ask people for access to /api/mcp. Anyone may register one (RFC 7591)."""

from datetime import datetime

from sqlalchemy import String
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Identified, Unlogged


class OauthClient(Identified, Unlogged, Base):
    """A program as it described itself: nothing of it is verified, and it has no secret.

    `created_at` is the real clock's.
    """

    __tablename__ = "oauth_clients"

    name: Mapped[str]
    redirect_uris: Mapped[list[str]] = mapped_column(ARRAY(String))
    created_at: Mapped[datetime]
