"""Share of due view readings that succeeded, over the paid days of a cpm accrual.

As in marts.view_coverage (macros/counts/view_readings_due.sql), but over the covered past days of
the period, and for each post those in its lifetime. Looked up when evidence is read, as in
`readings_behind`.
"""

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.requested import Published, of_requested, parameters_of
from warehouse.reading.statements import statement

ONE_DAY: Final = timedelta(days=1)
COVERAGE: Final = of_requested(statement(__name__, "coverage.sql"))


def view_coverage(
    cursor: DuckDBPyConnection, organization_id: UUID, published: Mapping[UUID, Published]
) -> Mapping[UUID, dict[str, Any] | None]:
    """Return the coverage of each cpm accrual, None if no reading was due.

    Covers the creator's present posts in the version's scope. For disabled posts, and those of
    removed accounts, no reading was due.
    """
    cpm_accruals = {
        accrual_id: of for accrual_id, of in published.items() if "platform_scope" in of.evidence
    }
    if not cpm_accruals:
        return {}
    spans = _spans(cpm_accruals)
    if not spans:
        return dict.fromkeys(cpm_accruals)
    parameters = {
        **parameters_of(organization_id, cpm_accruals),
        "spans": json.dumps(spans),
        **_between(spans),
    }
    rows = cursor.execute(COVERAGE, parameters).fetchall()
    coverage_of = {
        accrual_id: dict(zip(_NAMES, columns, strict=True)) for accrual_id, *columns in rows
    }
    return {accrual_id: coverage_of.get(accrual_id) for accrual_id in cpm_accruals}


_NAMES = ("from_day", "to_day", "readings_due", "readings_came")


def _between(spans: Sequence[Mapping[str, str]]) -> dict[str, datetime]:
    """Return instants around the days in any zone, so that no other months are read."""
    days = [date.fromisoformat(span[end]) for span in spans for end in ("first", "last")]
    first, last = (datetime.combine(day, time(), UTC) for day in (min(days), max(days)))
    return {"from_at": first - ONE_DAY, "until_at": last + 2 * ONE_DAY}


def _spans(published: Mapping[UUID, Published]) -> list[dict[str, str]]:
    return [
        {"accrual_id": str(accrual_id), "first": span["from"], "last": span["to"]}
        for accrual_id, of in published.items()
        for span in of.evidence.get("covered", [])
    ]
