"""What a write under an Idempotency-Key answered (contract, Conventions, Idempotency)."""

from datetime import datetime
from uuid import UUID

from sqlalchemy import ForeignKey, LargeBinary, String
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class IdempotencyOutcome(Unlogged, Base):
    """The answer to the first request with a key, written in that request's own transaction.

    Secrets are null in `response_body`. `created_at` is the real clock's: a key is forgotten 24
    hours later, whatever business time says.
    """

    __tablename__ = "idempotency_outcomes"

    organization_id: Mapped[UUID] = mapped_column(ForeignKey("organizations.id"), primary_key=True)
    key: Mapped[str] = mapped_column(String(255), primary_key=True)
    endpoint: Mapped[str]
    request_hash: Mapped[bytes] = mapped_column(LargeBinary)
    status: Mapped[int]
    response_body: Mapped[bytes] = mapped_column(LargeBinary)
    created_at: Mapped[datetime] = mapped_column(index=True)
