"""Posts that could count in an accrual, and the share of their due view readings that succeeded.

As in marts.view_coverage (macros/counts/view_readings_due.sql), but over the covered past days of
the period, and for each post those in its lifetime. Looked up when evidence is read, as in
`readings_behind`.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Final
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import over, statement
from warehouse.zones import start_of

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
    first_day = date.fromisoformat(covered[0]["from"])
    return {
        "accrual_id": str(accrual_id),
        "creator_id": str(of.creator_id),
        "begins_at": start_of(first_day, of.timezone).isoformat(),
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
    days = list(_days(cpm_accruals))
    if not days:
        return dict.fromkeys(cpm_accruals)
    parameters = {
        **parameters_of(organization_id, cpm_accruals),
        "days": json.dumps(days),
        "from_at": datetime.fromisoformat(min(day["starts_at"] for day in days)),
        "until_at": datetime.fromisoformat(max(day["over_at"] for day in days)),
    }
    rows = cursor.execute(COVERAGE, parameters).fetchall()
    coverage_of = {
        accrual_id: dict(zip(_NAMES, columns, strict=True)) for accrual_id, *columns in rows
    }
    return {accrual_id: coverage_of.get(accrual_id) for accrual_id in cpm_accruals}


_NAMES = ("from_day", "to_day", "readings_due", "readings_came")


def _days(published: Mapping[UUID, Published]) -> Iterator[dict[str, str]]:
    """Yield the covered days with their instants, which SQL cannot compute where clocks change."""
    for accrual_id, of in published.items():
        for span in of.evidence.get("covered", []):
            first, last = (date.fromisoformat(span[end]) for end in ("from", "to"))
            for number in range((last - first).days + 1):
                day = first + number * ONE_DAY
                yield {
                    "accrual_id": str(accrual_id),
                    "day": day.isoformat(),
                    "starts_at": start_of(day, of.timezone).isoformat(),
                    "over_at": start_of(day + ONE_DAY, of.timezone).isoformat(),
                }
