"""Lists, sums and balances of an organization's present accruals."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final, NamedTuple, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.amounts import bounded_cents
from warehouse.reading.accruals.accrual import ACCRUAL_NAMES, Accrual, AccrualStatus, PeriodAmount
from warehouse.reading.accruals.filtered import filtered
from warehouse.reading.accruals.newer import Newer, current_accruals
from warehouse.reading.statements import named_rows, over, read_by_ids, statement

POSITIONS: Final = statement(__name__, "positions.sql")
AT_POSITIONS: Final = statement(__name__, "at_positions.sql")
BALANCES: Final = statement(__name__, "balances.sql")
SUBTOTALS: Final = statement(__name__, "subtotals.sql")
BY_AMOUNT: Final = statement(__name__, "by_amount.sql")
BY_CREATOR: Final = statement(__name__, "by_creator.sql")
VIEWS_PAID: Final = statement(__name__, "views_paid.sql")


ALL: Final = 2**31 - 1
Row = TypeVar("Row", "ListPosition", PeriodAmount)


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualFilter:
    """Filters accruals. Days are inclusive, by the period's end. None: any.

    `creator_ids` are comma-separated, which DuckDB binds many times faster than a list; so are
    `on_hold_ids`, accruals with anomalies. Payable ones among these are `is_on_hold`.
    `updated_since` selects those computed since, and the subjects in `updated_ids`.
    """

    organization_id: UUID
    project_id: UUID | None = None
    creator_id: UUID | None = None
    creator_ids: str | None = None
    structure_id: UUID | None = None
    status: AccrualStatus | None = None
    from_day: date | None = None
    to_day: date | None = None
    in_payment: bool | None = None
    is_on_hold: bool | None = None
    on_hold_ids: str | None = None
    updated_since: datetime | None = None
    updated_ids: str | None = None


class ListPosition(NamedTuple):
    """A position in a list, sorted by latest period, then largest id."""

    period_end: date
    accrual_id: UUID

    @classmethod
    def of(cls, accrual: Accrual) -> "ListPosition":
        return cls(accrual.period_end, accrual.accrual_id)


@dataclass(frozen=True, slots=True)
class Earned:
    """A creator's earnings in cents: due, and in periods not over or settled.

    Void accruals count in neither.
    """

    accrued_cents: int = 0
    open_cents: int = 0


def list_accruals(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    *,
    after: ListPosition | None,
    until: ListPosition | None = None,
    limit: int,
) -> list[Accrual]:
    """Return at most `limit` accruals after a position, the latest period first.

    With `until`, up to that position.
    """
    positions = _latest(cursor, filters, newer, _Window(after, limit, until), ListPosition)
    return _at(positions, cursor, filters.organization_id, newer)


def list_amounts(
    cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer, *, limit: int
) -> list[PeriodAmount]:
    """Return few columns of the latest accruals, by one scan where `list_accruals` needs two."""
    return _latest(cursor, filters, newer, _Window(None, limit), PeriodAmount)


def list_sorted(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    *,
    largest_first: bool | None,
    limit: int,
    offset: int,
    most_of_each: int = ALL,
) -> tuple[list[Accrual], Mapping[UUID, "Subtotal"]]:
    """Return at most `limit` accruals after the first `offset`, by amount or, if None, creator.

    By creator, of each at most the latest `most_of_each`, and their subtotals over all pages.
    """
    order = BY_CREATOR if largest_first is None else BY_AMOUNT
    query, parameters = _build_query(order, filters, newer)
    parameters |= {"limit": limit, "offset": offset}
    if largest_first is None:
        parameters["most_of_each"] = most_of_each
    else:
        parameters["largest_first"] = largest_first
    rows = cursor.execute(query, parameters).fetchall()
    positions = [ListPosition(*row[:2]) for row in rows]
    sums = {row[2]: Subtotal(row[3], bounded_cents(row[4])) for row in rows if row[2:]}
    listed = _at(positions, cursor, filters.organization_id, newer, creators=sums)
    accruals = {each.accrual_id: each for each in listed}
    return [accruals[position.accrual_id] for position in positions], sums


def last_position(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    *,
    after: ListPosition | None,
    limit: int,
) -> ListPosition | None:
    """Return where a page of `limit` accruals ends; None if it is the last."""
    window = _Window(after, limit=2, offset=limit - 1)
    positions = _latest(cursor, filters, newer, window, ListPosition)
    return positions[0] if len(positions) > 1 else None


def total_cents(cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer) -> int:
    """Return the sum of the accruals; void ones count 0 (M17)."""
    sums = subtotals(cursor, filters, newer)
    counted = (each.cents for part in sums for status, each in part.items() if status != "void")
    return bounded_cents(sum(counted))


def earned_by(
    cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer
) -> Mapping[UUID, Earned]:
    """Return earnings by creator (M19, Balance), without creators without accruals."""
    query, parameters = _build_query(BALANCES, filters, newer)
    rows = cursor.execute(query, parameters).fetchall()
    return {creator_id: Earned(*cents) for creator_id, *cents in rows}


class Subtotal(NamedTuple):
    """How many accruals there are, and their sum in cents."""

    number: int = 0
    cents: int = 0


class Subtotals(NamedTuple):
    """Subtotals by status, void accruals included: of those on hold, and of the others."""

    held: Mapping[AccrualStatus, Subtotal]
    others: Mapping[AccrualStatus, Subtotal]


def subtotals(cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer) -> Subtotals:
    query, parameters = _build_query(SUBTOTALS, filters, newer)
    sums: dict[bool, dict[AccrualStatus, Subtotal]] = {True: {}, False: {}}
    for status, is_on_hold, *columns in cursor.execute(query, parameters).fetchall():
        sums[is_on_hold][status] = Subtotal(*columns)
    return Subtotals(sums[True], sums[False])


def views_paid(
    cursor: DuckDBPyConnection, accruals: tuple[UUID, tuple[UUID, ...]]
) -> Mapping[UUID, int]:
    """Return the views that accruals of an organization count, or that reached a bonus."""
    views = read_by_ids(cursor, VIEWS_PAID, lambda number: number, *accruals)
    return {accrual_id: number for accrual_id, number in views.items() if number is not None}


@dataclass(frozen=True, slots=True)
class _Window:
    after: ListPosition | None
    limit: int
    until: ListPosition | None = None
    offset: int = 0

    @property
    def parameters(self) -> dict[str, Any]:
        return {
            "after_day": self.after and self.after.period_end,
            "after_id": self.after and self.after.accrual_id,
            "until_day": self.until and self.until.period_end,
            "until_id": self.until and self.until.accrual_id,
            "limit": self.limit,
            "offset": self.offset,
        }


def _latest(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    window: _Window,
    record: type[Row],
) -> list[Row]:
    """Return records of the accruals, which read no other columns than theirs."""
    query, parameters = _build_query(POSITIONS, filters, newer)
    parameters |= {"fields": f"^({'|'.join(record._fields)})$", **window.parameters}
    return [record(**row) for row in named_rows(cursor.execute(query, parameters))]


def _at(
    positions: Sequence[ListPosition],
    cursor: DuckDBPyConnection,
    organization_id: UUID,
    newer: Newer,
    *,
    creators: Collection[UUID] = (),
) -> list[Accrual]:
    """Return the accruals at positions, the latest period first; `creators` are theirs if known."""
    if not positions:
        return []
    days = [position.period_end for position in positions]
    accruals, parameters = current_accruals(organization_id, newer)
    parameters |= {
        "creators": ",".join(map(str, creators)) or None,
        "fields": ACCRUAL_NAMES,
        "first_day": min(days),
        "last_day": max(days),
        "ids": ",".join(str(position.accrual_id) for position in positions),
    }
    query = over(AT_POSITIONS, accruals=accruals)
    return [Accrual(**row) for row in named_rows(cursor.execute(query, parameters))]


def _build_query(query: str, filters: AccrualFilter, newer: Newer) -> tuple[str, dict[str, Any]]:
    """Return the query over filtered accruals, and its parameters."""
    accruals, parameters = current_accruals(filters.organization_id, newer)
    chosen, values = filtered(asdict(filters))
    return over(query, accruals=accruals, filtered=chosen), {**values, **parameters}
