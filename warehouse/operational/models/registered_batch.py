"""Which landed batches registration has carried into PostgreSQL: each exactly once."""

from datetime import datetime
from uuid import UUID

from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class RegisteredBatch(Unlogged, Base):
    """Written in the transaction that registers the batch."""

    __tablename__ = "registered_batches"

    batch_id: Mapped[UUID] = mapped_column(primary_key=True)
    kind: Mapped[str]
    registered_at: Mapped[datetime]
