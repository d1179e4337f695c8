"""What commercial providers of platform data cost, counted by day (UTC) so that restarts keep it.

One statement a request: however many processes ask, a day's budget is never overdrawn.
"""

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from sqlalchemy import Connection, select, text
from sqlalchemy.orm import Session

from warehouse.operational.models import ProviderSpending

_COUNT = """
    insert into provider_spending (provider, day, requests, usd)
    select :provider, :day, :requests, :usd
    where :requests <= :most_requests and :usd <= :most_usd
    on conflict (provider, day) do update
    set requests = provider_spending.requests + excluded.requests,
        usd = provider_spending.usd + excluded.usd
    where provider_spending.requests + excluded.requests <= :most_requests
      and provider_spending.usd + excluded.usd <= :most_usd
    returning requests
"""
"""Returns nothing, and counts nothing, where the budget does not allow it."""

_NO_LIMIT = {"most_requests": 2**31 - 1, "most_usd": Decimal(10**9)}


@dataclass(frozen=True, slots=True)
class Spent:
    """What was asked and spent."""

    requests: int = 0
    usd: Decimal = Decimal(0)


def spend(connection: Connection, provider: str, day: date, cost: Spent, most: Spent) -> bool:
    """Count a cost of that day, unless it would exceed the most; tell whether it was counted."""
    limits = {"most_requests": most.requests, "most_usd": most.usd}
    return _count(connection, provider, day, cost, limits)


def add(connection: Connection, provider: str, day: date, cost: Spent) -> None:
    """Count a cost that has been spent already, whatever the budget."""
    _count(connection, provider, day, cost, _NO_LIMIT)


def spent_on(session: Session, day: date) -> dict[str, Spent]:
    """Return what each provider cost on a day, those without any left out."""
    rows = session.execute(
        select(ProviderSpending.provider, ProviderSpending.requests, ProviderSpending.usd)
        .where(ProviderSpending.day == day)
        .order_by(ProviderSpending.provider)
    )
    return {row.provider: Spent(row.requests, row.usd) for row in rows}


def _count(
    connection: Connection, provider: str, day: date, cost: Spent, limits: dict[str, object]
) -> bool:
    values = {"provider": provider, "day": day, "requests": cost.requests, "usd": cost.usd}
    return connection.execute(text(_COUNT), values | limits).first() is not None
