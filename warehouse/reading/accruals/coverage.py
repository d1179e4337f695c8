"""Posts that could count in an accrual, and the share of their due view readings that succeeded.

As in marts.view_coverage (macros/counts/view_readings_due.sql), but over the covered past days of
the period, and for each post those in its lifetime. Looked up when evidence is read, as in
`readings_behind`.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import over, statement

Evidence = dict[str, Any]
SCOPE = ("platform_scope", "platform", "account_id", "view_lifetime_days")
"""Fields of cpm evidence that select posts and their lifetime. Goals have their own scopes."""

_POSTS = {name: statement(__name__, f"{name}.sql") for name in ("requested", "posts")}


@dataclass(frozen=True, slots=True)
class Published:
    """An accrual's published evidence, creator and period."""

    evidence: Evidence
    creator_id: UUID
    timezone: str
    period_start: date
    ends_at: datetime


def of_requested(query: str) -> str:
    """Return a query with the CTEs `requested` (accruals) and `posts` that could count in them.

    `parameters_of` returns their parameters.
    """
    return over(query, **_POSTS)


def parameters_of(organization_id: UUID, published: Mapping[UUID, Published]) -> dict[str, Any]:
    """Return the parameters of a query `of_requested`."""
    rows = [_row_of(accrual_id, of) for accrual_id, of in published.items()]
    return {"organization_id": organization_id, "requested": json.dumps(rows)}


def _row_of(accrual_id: UUID, of: Published) -> dict[str, Any]:
    covered = of.evidence.get("covered") or [{"from": str(of.period_start)}]
    return {
        "accrual_id": str(accrual_id),
        "creator_id": str(of.creator_id),
        "timezone": of.timezone,
        "from_day": covered[0]["from"],
        "ends_at": of.ends_at.isoformat(),
        **{name: of.evidence.get(name) for name in SCOPE},
    }


def instant(at: datetime) -> str:
    """Format an instant as in evidence."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")


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
