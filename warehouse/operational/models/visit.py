"""What is looked at together: an account with its posts, or a post that no account shows."""

from datetime import datetime

from sqlalchemy import Index
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class Visit(Unlogged, Base):
    """A subject of looks, however many projects track it: what workers claim.

    `subject` is an account's user id on the platform, `@handle` while none is known, or `#post`.
    `account_due_at` is when its profile and newest posts are due (null for a post alone), `due_at`
    when anything of it is. Claimed under a lease of the real clock.
    """

    __tablename__ = "visits"
    __table_args__ = (Index("ix_visits_due", "platform", "due_at"),)

    platform: Mapped[str] = mapped_column(primary_key=True)
    subject: Mapped[str] = mapped_column(primary_key=True)
    looked_at: Mapped[datetime | None]
    account_due_at: Mapped[datetime | None]
    due_at: Mapped[datetime]
    reason: Mapped[str]
    lease_expires_at: Mapped[datetime | None]
