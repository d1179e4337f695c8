"""Lists, sums and balances of an organization's accruals as they stand now."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import Accrual, AccrualStatus
from warehouse.reading.accruals.newer import COLUMNS, Newer, current_accruals

PAGE = """
    select {columns}
    from ({accruals}) as accruals
    where {conditions}
    order by period_end desc, accrual_id desc
    limit $limit
    offset $offset
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
    period_end <= $last_day and (period_end < $last_day or accrual_id < $last_id)
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
    page = _Page(", ".join(COLUMNS), after, limit)
    rows = _rows(cursor, wanted, newer, page)
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
    page = _Page("period_end, accrual_id", after, limit=2, offset=limit - 1)
    rows = _rows(cursor, wanted, newer, page)
    return Place(*rows[0]) if len(rows) > 1 else None


def total_cents(cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer) -> int:
    """Return what the accruals come to; void ones count 0 (M17)."""
    conditions, parameters = _conditions(wanted)
    with current_accruals(cursor, newer) as accruals:
        statement = TOTAL.format(accruals=accruals, conditions=conditions)
        return int(cursor.execute(statement, parameters).fetchall()[0][0])


def earned_by(
    cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer
) -> Mapping[UUID, Earned]:
    """Return what creators earned (M19, Balance); one without accruals is left out."""
    conditions, parameters = _conditions(wanted)
    with current_accruals(cursor, newer) as accruals:
        statement = BALANCES.format(accruals=accruals, conditions=conditions)
        rows = cursor.execute(statement, parameters).fetchall()
    return {creator_id: Earned(*cents) for creator_id, *cents in rows}


def _conditions(wanted: AccrualFilter) -> tuple[str, dict[str, Any]]:
    """Return the filters as SQL, and their parameters."""
    asked = {name: value for name in _CONDITIONS if (value := getattr(wanted, name)) is not None}
    conditions = " and ".join(_CONDITIONS[name] for name in asked) or "true"
    return conditions, {"organization_id": wanted.organization_id, **asked}


@dataclass(frozen=True, slots=True)
class _Page:
    columns: str
    after: Place | None
    limit: int
    offset: int = 0


def _rows(
    cursor: DuckDBPyConnection, wanted: AccrualFilter, newer: Newer, page: _Page
) -> list[tuple[Any, ...]]:
    conditions, parameters = _conditions(wanted)
    if page.after is not None:
        conditions = f"{conditions} and {_AFTER}"
        parameters |= {"last_day": page.after.period_end, "last_id": page.after.accrual_id}
    with current_accruals(cursor, newer) as accruals:
        statement = PAGE.format(columns=page.columns, accruals=accruals, conditions=conditions)
        bounds = {"limit": page.limit, "offset": page.offset}
        return cursor.execute(statement, {**parameters, **bounds}).fetchall()
