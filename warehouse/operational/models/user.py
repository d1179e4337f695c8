"""A person. What a person may do depends on the membership, not on the user."""

from sqlalchemy import Index, func, text
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import SECRET, Base, Identified, Timestamped


class User(Identified, Timestamped, Base):
    """A person who can be a member of organizations."""

    __tablename__ = "users"

    email: Mapped[str]
    display_name: Mapped[str]
    password_hash: Mapped[str | None] = mapped_column(info=SECRET)
    is_platform_admin: Mapped[bool] = mapped_column(default=False, server_default=text("false"))
    is_banned: Mapped[bool] = mapped_column(default=False, server_default=text("false"))


Index("uq_users_email_lower", func.lower(User.email), unique=True)
