"""Counts spending at commercial providers by day (UTC).

Counting is one statement, so concurrent processes never exceed a day's budget.
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
"""Returns and counts nothing if the budget does not allow it."""

_NO_LIMIT = {"most_requests": 2**31 - 1, "most_usd": Decimal(10**9)}


@dataclass(frozen=True, slots=True)
class Spent:
    requests: int = 0
    usd: Decimal = Decimal(0)


def spend(connection: Connection, provider: str, day: date, cost: Spent, most: Spent) -> bool:
    """Count a cost on that day unless it would exceed `most`. Returns whether it was counted."""
    limits = {"most_requests": most.requests, "most_usd": most.usd}
    return _count(connection, provider, day, cost, limits)


def add(connection: Connection, provider: str, day: date, cost: Spent) -> None:
    """Count a cost that has been spent already, regardless of the budget."""
    _count(connection, provider, day, cost, _NO_LIMIT)


def spent_on(session: Session, day: date) -> dict[str, Spent]:
    """Return the cost of each provider on a day, without those that cost nothing."""
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
