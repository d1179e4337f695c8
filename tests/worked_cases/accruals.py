"""The accruals owed for a case, as in the JSON file."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any

from tests.oracles import payouts
from tests.worked_cases.drawing import Case, Drawing
from tests.worked_cases.tables import CaseRows, instant

CASES = 200
NAMES = (
    "period_start",
    "period_end",
    "version_number",
    "subject_id",
    "view_count",
    "amount_cents",
    "precise_amount",
    "limited_by",
)
"""Fields of an accrual. `subject_id` is the post of a threshold, or the conversion."""
FEW_ALIKE = 60
"""Maximum number of cases for each type of rule; each case owes something."""


def worked_cases() -> list[Case]:
    """Return the cases with the oracle's accruals."""
    cases: list[Case] = []
    for number in range(1, 10 * CASES):
        case = Drawing(number).case()
        kind = case["versions"][0]["criteria_type"]
        alike = sum(case_so_far["versions"][0]["criteria_type"] == kind for case_so_far in cases)
        owed = as_json(_owed(case))
        if owed and alike < FEW_ALIKE:
            cases.append({**case, "accruals": owed})
        if len(cases) == CASES:
            break
    return cases


def _owed(case: Case) -> list[dict[str, Any]]:
    rows = CaseRows(case)
    raw = {"video_snapshots": rows.readings, "account_snapshots": []}
    return payouts.owed(payouts.Facts(rows.tables, raw, instant(case["as_of"])))


def as_json(rows: Iterable[Mapping[str, Any]]) -> list[Case]:
    """Return accruals as JSON, in the order of their periods."""
    accruals = [{name: _value(row[name]) for name in NAMES} for row in rows]
    return sorted(accruals, key=_place)


def _value(value: object) -> str | int | None:
    """Return a JSON value; exact cents have nine decimals."""
    match value:
        case None | int():
            return value
        case Decimal():
            return f"{value:.9f}"
        case _:
            return str(value)


def _place(accrual: Case) -> tuple[str, str, int]:
    return accrual["period_start"], str(accrual["subject_id"]), accrual["view_count"] or 0
