"""What a commercial provider of platform data cost on a day."""

from datetime import date
from decimal import Decimal

from sqlalchemy import Numeric
from sqlalchemy.orm import Mapped, mapped_column

from warehouse.operational.base import Base, Unlogged


class ProviderSpending(Unlogged, Base):
    """The requests to one provider on one day (UTC) by the real clock, and their price.

    They are counted before they are sent: what was asked for in vain is in it too.
    """

    __tablename__ = "provider_spending"

    provider: Mapped[str] = mapped_column(primary_key=True)
    day: Mapped[date] = mapped_column(primary_key=True)
    requests: Mapped[int]
    usd: Mapped[Decimal] = mapped_column(Numeric(20, 10))
