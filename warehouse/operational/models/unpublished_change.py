"""What was written that no publication shows yet."""

from sqlalchemy import BigInteger, Identity
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class UnpublishedChange(Unlogged, Base):
    """A transaction wrote something that the warehouse copies; `table_name` is where it began.

    Triggers of every copied table add it, once a transaction, where a column that is copied is
    written. It is copied in the same snapshot as what it tells of, and goes when a publication was
    made of that copy.
    """

    __tablename__ = "unpublished_changes"

    id: Mapped[int] = mapped_column(BigInteger, Identity(always=True), primary_key=True)
    table_name: Mapped[str]
