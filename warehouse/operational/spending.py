"""Counts spending at commercial providers by day (UTC), and stores their runs.

Runs are stored from start until their items have landed. Counting is one statement, so concurrent
processes never exceed a day's budget.
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

_NOTE_RUN = """
    with old as (delete from provider_runs where started_at < now() - interval '1 day')
    insert into provider_runs (provider, wanted, run_id, items_id, units, day)
    values (:provider, :wanted, :run_id, :items_id, :units, :day)
    on conflict (provider, wanted) do update
    set run_id = excluded.run_id,
        items_id = excluded.items_id,
        units = excluded.units,
        day = excluded.day,
        started_at = now()
"""

_FIND_RUN = """
    select run_id, items_id, units, day, extract(epoch from now() - started_at)::float8 as age
    from provider_runs where provider = :provider and wanted = :wanted
"""

_NOTE_COST = """
    update provider_runs as run set units = :units
    from (
        select provider, wanted, units from provider_runs
        where provider = :provider and run_id = :run_id
        for update
    ) as before
    where run.provider = before.provider and run.wanted = before.wanted
    returning before.units
"""

_FORGET_RUN = "delete from provider_runs where provider = :provider and run_id = :run_id"

_NO_LIMIT = {"most_requests": 2**31 - 1, "most_usd": Decimal(10**9)}


@dataclass(frozen=True, slots=True)
class Spent:
    requests: int = 0
    usd: Decimal = Decimal(0)


@dataclass(frozen=True, slots=True)
class Run:
    """A started run, with the units counted for it on the `day` of its start."""

    run_id: str
    items_id: str
    units: int
    day: date
    seconds_ago: float = 0.0


def note_run(connection: Connection, provider: str, request: str, run: Run) -> None:
    """Store a run under its request."""
    values = {"run_id": run.run_id, "items_id": run.items_id, "units": run.units, "day": run.day}
    connection.execute(text(_NOTE_RUN), {"provider": provider, "wanted": request, **values})


def find_run(connection: Connection, provider: str, request: str) -> Run | None:
    """Return the run of a request with its age by PostgreSQL's clock."""
    values = {"provider": provider, "wanted": request}
    row = connection.execute(text(_FIND_RUN), values).first()
    return None if row is None else Run(row.run_id, row.items_id, row.units, row.day, row.age)


def note_cost(connection: Connection, provider: str, run_id: str, units: int) -> int | None:
    """Update the units counted for a run. Returns the previous number.

    None if the run was deleted: the process that landed its items has settled it.
    """
    values = {"provider": provider, "run_id": run_id, "units": units}
    before: int | None = connection.execute(text(_NOTE_COST), values).scalar()
    return before


def forget_run(connection: Connection, provider: str, run_id: str) -> None:
    connection.execute(text(_FORGET_RUN), {"provider": provider, "run_id": run_id})


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
