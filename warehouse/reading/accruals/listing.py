"""Lists, sums and balances of an organization's present accruals."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from typing import Any, Final, Literal, NamedTuple
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import ACCRUAL_NAMES, Accrual, AccrualStatus
from warehouse.reading.accruals.newer import Newer, current_accruals
from warehouse.reading.statements import named_rows, over, read_by_ids, statement

FILTERED: Final = statement(__name__, "filtered.sql")
POSITIONS: Final = statement(__name__, "positions.sql")
AT_POSITIONS: Final = statement(__name__, "at_positions.sql")
TOTAL: Final = statement(__name__, "total.sql")
BALANCES: Final = statement(__name__, "balances.sql")
SUBTOTALS: Final = statement(__name__, "subtotals.sql")
BY_AMOUNT: Final = statement(__name__, "by_amount.sql")
BY_CREATOR: Final = statement(__name__, "by_creator.sql")
VIEWS_PAID: Final = statement(__name__, "views_paid.sql")


ALL: Final = 2**31 - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualFilter:
    """Filters accruals. Days are inclusive, by the period's end. None: any.

    `creator_ids` are comma-separated, which DuckDB binds many times faster than a list; so are
    `on_hold_ids`, accruals with anomalies. `is_on_hold` selects payable ones among these.
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


@dataclass(frozen=True, slots=True)
class ListPosition:
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
    positions = _positions(cursor, filters, newer, _Window(after, limit, until))
    return _at(positions, cursor, filters, newer)


def list_sorted(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    *,
    largest_first: bool | None,
    limit: int,
    offset: int,
    most_of_each: int = ALL,
) -> list[Accrual]:
    """Return at most `limit` accruals after the first `offset`, by amount or, if None, creator.

    By creator, of each at most the latest `most_of_each`.
    """
    order = BY_CREATOR if largest_first is None else BY_AMOUNT
    query, parameters = _build_query(order, filters, newer)
    parameters |= {"limit": limit, "offset": offset}
    if largest_first is None:
        parameters["most_of_each"] = most_of_each
    else:
        parameters["largest_first"] = largest_first
    positions = [ListPosition(*row) for row in cursor.execute(query, parameters).fetchall()]
    accruals = {each.accrual_id: each for each in _at(positions, cursor, filters, newer)}
    return [accruals[position.accrual_id] for position in positions]


def last_position(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    *,
    after: ListPosition | None,
    limit: int,
) -> ListPosition | None:
    """Return where a page of `limit` accruals ends; None if it is the last."""
    positions = _positions(cursor, filters, newer, _Window(after, limit=2, offset=limit - 1))
    return positions[0] if len(positions) > 1 else None


def total_cents(cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer) -> int:
    """Return the sum of the accruals; void ones count 0 (M17)."""
    query, parameters = _build_query(TOTAL, filters, newer)
    [(cents,)] = cursor.execute(query, parameters).fetchall()
    return int(cents)


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


def subtotals(
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
    of: Literal["creator_id", "status"] = "creator_id",
) -> Mapping[Any, Subtotal]:
    """Return subtotals by the column, void accruals included."""
    query, parameters = _build_query(SUBTOTALS, filters, newer)
    rows = cursor.execute(query, {**parameters, "of": [of]}).fetchall()
    return {value: Subtotal(*columns) for value, *columns in rows}


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
        """Parameters of POSITIONS."""
        return {
            "after_day": self.after and self.after.period_end,
            "after_id": self.after and self.after.accrual_id,
            "until_day": self.until and self.until.period_end,
            "until_id": self.until and self.until.accrual_id,
            "limit": self.limit,
            "offset": self.offset,
        }


def _positions(
    cursor: DuckDBPyConnection, filters: AccrualFilter, newer: Newer, window: _Window
) -> list[ListPosition]:
    query, parameters = _build_query(POSITIONS, filters, newer)
    rows = cursor.execute(query, {**parameters, **window.parameters}).fetchall()
    return [ListPosition(*row) for row in rows]


def _at(
    positions: Sequence[ListPosition],
    cursor: DuckDBPyConnection,
    filters: AccrualFilter,
    newer: Newer,
) -> list[Accrual]:
    """Return the accruals at positions, the latest period first."""
    if not positions:
        return []
    days = [position.period_end for position in positions]
    query, parameters = _build_query(AT_POSITIONS, filters, newer)
    parameters |= {
        "fields": ACCRUAL_NAMES,
        "first_day": min(days),
        "last_day": max(days),
        "ids": ",".join(str(position.accrual_id) for position in positions),
    }
    return [Accrual(**row) for row in named_rows(cursor.execute(query, parameters))]


def _build_query(query: str, filters: AccrualFilter, newer: Newer) -> tuple[str, dict[str, Any]]:
    """Return the query over filtered accruals, and its parameters."""
    accruals, parameters = current_accruals(filters.organization_id, newer)
    return over(query, accruals=accruals, filtered=FILTERED), {**asdict(filters), **parameters}
