"""Repeated parts of a rule: tiers, bonuses and rates, one row of fields each.

Empty rows are ignored.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from serving_api.desk.forms import number_in
from serving_api.desk.rules.words import (
    WRITE_DOLLARS,
    basis_points_in,
    cents_in,
    exact_cents_in,
    hundredth_of,
)
from serving_api.errors import InvalidBody, Issue
from serving_api.resources.payouts.structures.criteria import MAX_RATES, MAX_THRESHOLDS, MAX_TIERS

UP_TO, PRICE = "up_to_impressions", "cents_per_thousand"
REACHED, AMOUNT = "view_count", "amount_cents"
EVENT, PERCENT = "conversion_event_id", "percent_bps"

LEAST_ROWS = 4
_NEEDED = "This field is required"

Fields = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class RepeatedRows:
    """The path of a rule's rows, labels of their columns, the maximum, and the parser of a row."""

    path: str
    title: str
    hint: str
    columns: Mapping[str, str]
    most: int
    row_in: Callable[[Fields, str], dict[str, Any] | None]

    def names(self) -> tuple[str, ...]:
        """Return all row fields, and the path for errors of all rows."""
        rows = (f"{self.path}.{n}.{column}" for n in range(self.most) for column in self.columns)
        return (*rows, self.path)

    def within(self, fields: Fields) -> list[dict[str, Any]]:
        """Return the filled-in rows. Raises InvalidBody with the errors of all rows."""
        rows, issues = [], list[Issue]()
        for n in range(self.most):
            try:
                rows.append(self.row_in(fields, f"{self.path}.{n}"))
            except InvalidBody as error:
                issues += error.issues
        if issues:
            raise InvalidBody(issues)
        return [row for row in rows if row is not None]

    def filled(self, rows: list[dict[str, Any]]) -> dict[str, str]:
        return {
            f"{self.path}.{n}.{column}": _written(column, row.get(column))
            for n, row in enumerate(rows)
            for column in self.columns
        }

    def rows_for(self, values: Fields) -> int:
        """Return the number of rows to show: two more than are filled in."""
        filled = [
            n
            for n in range(self.most)
            if any(values.get(f"{self.path}.{n}.{column}", "").strip() for column in self.columns)
        ]
        return min(self.most, max(LEAST_ROWS, filled[-1] + 3 if filled else 0))


def _tier_in(fields: Fields, row: str) -> dict[str, Any] | None:
    views = number_in(fields, f"{row}.{UP_TO}")
    cents = exact_cents_in(fields, f"{row}.{PRICE}")
    if views is not None and cents is None:
        raise InvalidBody.at(f"{row}.{PRICE}", WRITE_DOLLARS)
    return None if cents is None else {UP_TO: views, PRICE: float(cents)}


def _threshold_in(fields: Fields, row: str) -> dict[str, Any] | None:
    views = number_in(fields, f"{row}.{REACHED}")
    cents = cents_in(fields, f"{row}.{AMOUNT}")
    if (views is None) != (cents is None):
        raise InvalidBody.at(f"{row}.{REACHED if views is None else AMOUNT}", _NEEDED)
    return None if views is None else {REACHED: views, AMOUNT: cents}


def _rate_in(fields: Fields, row: str) -> dict[str, Any] | None:
    event = fields.get(f"{row}.{EVENT}", "")
    cents = cents_in(fields, f"{row}.{AMOUNT}")
    percent = basis_points_in(fields, f"{row}.{PERCENT}")
    if not event and cents is None and percent is None:
        return None
    if not event:
        raise InvalidBody.at(f"{row}.{EVENT}", "Choose a conversion")
    if (cents is None) == (percent is None):
        raise InvalidBody.at(f"{row}.{PERCENT}", "Enter either dollars or a percentage")
    if percent is None:
        return {EVENT: event, "rate_type": "flat", AMOUNT: cents}
    return {EVENT: event, "rate_type": "percent", PERCENT: percent}


def _written(column: str, value: Any) -> str:
    if column in (PRICE, AMOUNT, PERCENT):
        return hundredth_of(value)
    return f"{value:,}" if isinstance(value, int) else value or ""


TIERS = RepeatedRows(
    "criteria_params.tiers",
    "Tiers",
    "Limits count all views of the period: after 10,000, a limit of 50,000 pays the next 40,000."
    " The last tier has no limit.",
    {UP_TO: "Up to views", PRICE: "Dollars per 1,000"},
    MAX_TIERS,
    _tier_in,
)
THRESHOLDS = RepeatedRows(
    "criteria_params.thresholds",
    "Bonuses",
    "Each is paid once per post.",
    {REACHED: "At views", AMOUNT: "Dollars"},
    MAX_THRESHOLDS,
    _threshold_in,
)
RATES = RepeatedRows(
    "criteria_params.rates",
    "Rates",
    "Dollars per conversion, or a percentage of its value.",
    {EVENT: "Conversion", AMOUNT: "Dollars", PERCENT: "Percent"},
    MAX_RATES,
    _rate_in,
)
