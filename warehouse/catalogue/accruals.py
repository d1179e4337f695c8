"""Declares each column of an accrual once: name, types, meaning and rules.

From the fields of `Copied` follow dbt's macros and descriptions (`make catalogue`), the copies of
decisions and payments, and the columns read from a publication. A column is named again only in
the models that compute it, in PostgreSQL, and where interfaces show it.
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
"""DuckDB's default type for each Python type."""


@dataclass(frozen=True, slots=True)
class Of:
    """A column's meaning, and its type if it differs from the default of its Python type.

    `rules` are the criteria types that define it; it is null for others. An adjustment copies it
    from the `corrected` or `correcting` side (money.md M19), has its `own` value, or null. A column
    that `came_later` defaults to None: it is unknown in older copies and publications.
    """

    means: str
    type: Type | None = None
    rules: Collection[str] = CRITERIA_TYPES
    adjustment: Adjustment = "corrected"
    came_later: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Computed:
    """What models compute: the amount, its reason and its creator.

    Cents of `currency`; `precise_amount` is before rounding. Days are inclusive, in `timezone`.
    """

    organization_id: Annotated[UUID, Of("The tenant.")]
    project_id: Annotated[UUID, Of("The structure's project.")]
    structure_id: Annotated[UUID, Of("The structure that pays.")]
    version_id: Annotated[
        UUID, Of("The version of the structure that computed it.", adjustment="correcting")
    ]
    version_number: Annotated[
        int, Of("That version's number.", type="integer", adjustment="correcting")
    ]
    creator_id: Annotated[UUID, Of("The creator who earned it.")]
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
            "Number of posts behind the amount; null for other types, and if earlier periods"
            " add posts that the evidence does not list.",
            rules=("goals", "cpm", "view_threshold"),
            adjustment="null",
            came_later=True,
        ),
    ] = None
    currency: Annotated[str, Of("ISO 4217.")]
    amount_cents: Annotated[int, Of("The amount (cents).", adjustment="own")]
    precise_amount: Annotated[Decimal, Of("The exact amount (cents).", adjustment="own")]
    limited_by: Annotated[
        str | None, Of("The first limit that reduced the amount, or null.", adjustment="null")
    ]
    timezone: Annotated[str, Of("IANA zone of its period.")]


@dataclass(frozen=True, slots=True, kw_only=True)
class Copied(Computed):
    """The columns of an accrual that decisions and payments copy."""

    kind: Annotated[AccrualKind, Of("earning or adjustment.", adjustment="own")] = "earning"
    adjusts_accrual_id: Annotated[
        UUID | None, Of("The accrual that an adjustment corrects; else null.", adjustment="own")
    ] = None
    adjustment_number: Annotated[
        int | None,
        Of("An adjustment's n (money.md M19); else null.", type="integer", adjustment="own"),
    ] = None
    booked_in: Annotated[
        date | None,
        Of(
            "First day of the period in which an adjustment is booked; else null.", adjustment="own"
        ),
    ] = None
    reason: Annotated[str | None, Of("Why an adjustment exists; else null.", adjustment="own")] = (
        None
    )
    computed_at: Annotated[datetime, Of("When the amount was computed (UTC).", adjustment="own")]


@dataclass(frozen=True, slots=True, kw_only=True)
class AccrualColumn(Column):
    """A column with the rules that define it and its source in adjustments."""

    rules: Collection[str]
    adjustment: Adjustment


def columns_of(record: "type[DataclassInstance]") -> tuple[AccrualColumn, ...]:
    """Return the columns of a record's fields, in order."""
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
