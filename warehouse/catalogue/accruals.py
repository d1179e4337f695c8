"""The columns of an accrual, each declared here once: its name, types, meaning and rules.

From the fields of `Copied` follow dbt's macros and descriptions (`make catalogue`), the copies of
decisions and payments in the warehouse, and what is read of a publication. A column is named again
only where a person decides about it: in the models that compute it, in PostgreSQL, and where
interfaces show it.
"""

from collections.abc import Collection
from dataclasses import dataclass, fields
from datetime import date, datetime
from decimal import Decimal
from types import NoneType
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args, get_origin, get_type_hints
from uuid import UUID

from warehouse.catalogue.table import Column, Type

if TYPE_CHECKING:
    from _typeshed import DataclassInstance

AccrualKind = Literal["earning", "adjustment"]
Adjustment = Literal["corrected", "correcting", "own", "null"]
CRITERIA_TYPES = ("recurring", "goals", "cpm", "view_threshold", "conversion")

TYPES: dict[Any, Type] = {
    UUID: "uuid",
    str: "varchar",
    int: "bigint",
    date: "date",
    datetime: "timestamptz",
    Decimal: "decimal(38, 9)",
}
"""DuckDB's usual type for each of Python's."""


@dataclass(frozen=True, slots=True)
class Of:
    """What a column means, and its type where that is not the usual one of its Python type.

    `rules` are the types of criteria that define it: it is null for all others. An adjustment has
    it from what is `corrected` or `correcting` (money.md M19), has its `own` value, or null. One
    that `came_later` has None as its default: it is unknown in older copies and publications.
    """

    means: str
    type: Type | None = None
    rules: Collection[str] = CRITERIA_TYPES
    adjustment: Adjustment = "corrected"
    came_later: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What models compute: what is owed, for what and to whom.

    Cents of `currency`; `precise_amount` is before rounding. Days are inclusive and of `timezone`.
    """

    organization_id: Annotated[UUID, Of("The tenant.")]
    project_id: Annotated[UUID, Of("The structure's project.")]
    structure_id: Annotated[UUID, Of("The structure that pays.")]
    version_id: Annotated[UUID, Of("The version it was computed with.", adjustment="correcting")]
    version_number: Annotated[
        int, Of("That version's number.", type="integer", adjustment="correcting")
    ]
    creator_id: Annotated[UUID, Of("Who earned it.")]
    criteria_type: Annotated[str, Of("recurring, goals, cpm, view_threshold or conversion.")]
    period_start: Annotated[date, Of("First day of its period, in `timezone`.")]
    period_end: Annotated[date, Of("Last day, inclusive.")]
    subject_id: Annotated[
        UUID | None,
        Of(
            "The video of a view threshold, the conversion of every_conversion; else null.",
            rules=("view_threshold", "conversion"),
        ),
    ]
    view_count: Annotated[
        int | None, Of("The threshold; null for other types.", rules=("view_threshold",))
    ]
    post_count: Annotated[
        int | None,
        Of(
            "How many posts it was computed from; null for other types and where earlier periods"
            " add posts that evidence does not list.",
            rules=("goals", "cpm", "view_threshold"),
            adjustment="null",
            came_later=True,
        ),
    ] = None
    currency: Annotated[str, Of("ISO 4217.")]
    amount_cents: Annotated[int, Of("The amount (cents).", adjustment="own")]
    precise_amount: Annotated[Decimal, Of("The exact amount (cents).", adjustment="own")]
    limited_by: Annotated[
        str | None, Of("What first cut the amount; null where nothing did.", adjustment="null")
    ]
    timezone: Annotated[str, Of("IANA zone of its period.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied(Computed):
    """What a decision or payment copies of an accrual; of an adjustment, also what it corrects."""

    kind: Annotated[AccrualKind, Of("earning or adjustment.", adjustment="own")] = "earning"
    adjusts_accrual_id: Annotated[
        UUID | None, Of("What an adjustment corrects; else null.", adjustment="own")
    ] = None
    adjustment_number: Annotated[
        int | None,
        Of("An adjustment's n (money.md M19); else null.", type="integer", adjustment="own"),
    ] = None
    booked_in: Annotated[
        date | None,
        Of("First day of the period that an adjustment is booked in; else null.", adjustment="own"),
    ] = None
    reason: Annotated[
        str | None, Of("Why an adjustment is there; else null.", adjustment="own")
    ] = None
    computed_at: Annotated[datetime, Of("When the amount was computed (UTC).", adjustment="own")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualColumn(Column):
    """A column with the rules that define it, and where an adjustment has it from."""

    rules: Collection[str]
    adjustment: Adjustment


def columns_of(record: "type[DataclassInstance]") -> tuple[AccrualColumn, ...]:
    """Return the columns that the fields of a record are, in their order."""
    hints = get_type_hints(record, include_extras=True)
    return tuple(_column(field.name, hints[field.name]) for field in fields(record))


def _column(name: str, hint: Any) -> AccrualColumn:
    kind, of = get_args(hint) if get_origin(hint) is Annotated else (hint, Of(""))
    [python_type] = {*get_args(kind)} - {NoneType} if NoneType in get_args(kind) else {kind}
    usual_type = TYPES[str if get_origin(python_type) is Literal else python_type]
    return AccrualColumn(
        name,
        of.type or usual_type,
        of.means,
        nullable=python_type is not kind,
        came_later=of.came_later,
        rules=of.rules,
        adjustment=of.adjustment,
    )


COMPUTED = columns_of(Computed)
COPIED = columns_of(Copied)
