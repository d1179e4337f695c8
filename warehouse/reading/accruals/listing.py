"""Lists, sums and balances of an organization's accruals as they stand now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import Accrual, AccrualStatus
from warehouse.reading.accruals.newer import COLUMNS, Newer, current_accruals

PLACES = """
    select
        period_end,
        accrual_id
    from ({accruals}) as accruals
    where {conditions}
    order by period_end desc, accrual_id desc
    limit $limit
    offset $offset
"""

# All columns of the accruals at some places: a page is found by two, and read by its days.

AT_PLACES = """
    select {columns}
    from ({accruals}) as accruals
    where
        period_end between $first_day and $last_day
        and accrual_id in (select cast(unnest(string_split($ids, ',')) as uuid))
    order by period_end desc, accrual_id desc
"""

TOTAL = """
    select cast(coalesce(sum(amount_cents), 0) as bigint) as total_cents
    from ({accruals}) as accruals
    where {conditions} and status != 'void'
"""

BALANCES = """
    select
        creator_id,
        cast(
            coalesce(
                sum(amount_cents) filter (where status in ('final', 'approved', 'paid')), 0
            ) as bigint
        ) as accrued_cents,
        cast(
            coalesce(sum(amount_cents) filter (where status in ('open', 'settling')), 0) as bigint
        ) as open_cents
    from ({accruals}) as accruals
    where {conditions}
    group by creator_id
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualFilter:
    """Which accruals; days are inclusive, of the period's end. None: any.

    `creator_ids` are ids as one text with commas: that binds many times faster than a list.
    """

    organization_id: UUID
    project_id: UUID | None = None
    creator_id: UUID | None = None
    creator_ids: str | None = None
    structure_id: UUID | None = None
    status: AccrualStatus | None = None
    from_day: date | None = None
    to_day: date | None = None


@dataclass(frozen=True, slots=True)
class Place:
    """Where a page ended: lists begin with the latest period, equal ones with the largest id."""

    period_end: date
    accrual_id: UUID

    @classmethod
    def of(cls, accrual: Accrual) -> "Place":
        """Return the place of an accrual."""
        return cls(accrual.period_end, accrual.accrual_id)


@dataclass(frozen=True, slots=True)
class Earned:
    """What a creator was found to have earned, in cents: due, and in periods not over or settled.

    Void accruals count in neither.
    """

    accrued_cents: int = 0
    open_cents: int = 0


_CONDITIONS = {
    "project_id": "project_id = $project_id",
    "creator_id": "creator_id = $creator_id",
    "creator_ids": "creator_id in (select cast(unnest(string_split($creator_ids, ',')) as uuid))",
    "structure_id": "structure_id = $structure_id",
    "status": "status = $status",
    "from_day": "period_end >= $from_day",
    "to_day": "period_end <= $to_day",
}
_AFTER = """
    period_end <= $after_day and (period_end < $after_day or accrual_id < $after_id)
"""


def list_accruals(
    cursor: DuckDBPyConnection,
    wanted: AccrualFilter,
    newer: Newer,
    *,
    after: Place | None,
    limit: int,
) -> list[Accrual]:
    """Return the accruals that come after a place, the latest period first, at most `limit`."""
    places = _places(cursor, wanted, newer, _Window(after, limit))
    if not places:
        return []
    accruals, parameters = current_accruals(wanted.organization_id, newer)
    statement = AT_PLACES.format(columns=", ".join(COLUMNS), accruals=accruals)
    parameters |= {
        "first_day": places[-1].period_end,
        "last_day": places[0].period_end,
        "ids": ",".join(str(place.accrual_id) for place in places),
    }
    rows = cursor.execute(statement, parameters).fetchall()
    return [Accrual(**dict(zip(COLUMNS, row, strict=True))) for row in rows]


def last_place(
    cursor: DuckDBPyConnection,
    wanted: AccrualFilter,
    newer: Newer,
    *,
    after: Place | None,
    limit: int,
) -> Place | None:
    """Return where a page of so many accruals ends; None if nothing comes after it."""
    places = _places(cursor, wanted, newer, _Window(after, limit=2, offset=limit - 1))
    return places[0] if len(places) > 1 else None


def total_cents(cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer) -> int:
    """Return what the accruals come to; void ones count 0 (M17)."""
    statement, parameters = _asked(TOTAL, wanted, newer)
    return int(cursor.execute(statement, parameters).fetchall()[0][0])


def earned_by(
    cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer
) -> Mapping[UUID, Earned]:
    """Return what creators earned (M19, Balance); one without accruals is left out."""
    statement, parameters = _asked(BALANCES, wanted, newer)
    rows = cursor.execute(statement, parameters).fetchall()
    return {creator_id: Earned(*cents) for creator_id, *cents in rows}


@dataclass(frozen=True, slots=True)
class _Window:
    after: Place | None
    limit: int
    offset: int = 0


def _places(
    cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer, window: _Window
) -> list[Place]:
    statement, parameters = _asked(PLACES, wanted, newer, window.after)
    bounds = {"limit": window.limit, "offset": window.offset}
    rows = cursor.execute(statement, {**parameters, **bounds}).fetchall()
    return [Place(*row) for row in rows]


def _asked(
    template: str, wanted: AccrualFilter, newer: Newer, after: Place | None = None
) -> tuple[str, dict[str, Any]]:
    """Return a query of the accruals that the filters leave, and its parameters."""
    accruals, parameters = current_accruals(wanted.organization_id, newer)
    filters = {name: getattr(wanted, name) for name in _CONDITIONS}
    sent = {name: value for name, value in filters.items() if value is not None}
    conditions = [_CONDITIONS[name] for name in sent]
    if after is not None:
        conditions.append(_AFTER)
        sent |= {"after_day": after.period_end, "after_id": after.accrual_id}
    statement = template.format(accruals=accruals, conditions=" and ".join(conditions) or "true")
    return statement, {**parameters, **sent}
