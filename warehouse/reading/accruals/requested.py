"""The posts that could count in an accrual, for lookups beyond its evidence."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

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
