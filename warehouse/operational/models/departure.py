"""Rows that were deleted for good: what the warehouse has to take out of its copies."""

from uuid import UUID

from sqlalchemy import BigInteger, Identity, Uuid
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import THIS_TRANSACTION, Base, Unlogged


class Departure(Unlogged, Base):
    """A row of a Followed table that is no more; triggers add it. `changed_by` is as a row's.

    `row_key` is its primary key, in the key's order; null where the whole table was emptied.
    """

    __tablename__ = "departures"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
    row_key: Mapped[list[UUID] | None] = mapped_column(ARRAY(Uuid))
    changed_by: Mapped[int] = mapped_column(BigInteger, server_default=THIS_TRANSACTION, index=True)
