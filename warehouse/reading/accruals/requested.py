"""The posts that could count in an accrual, for what its evidence alone cannot say."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any
from uuid import UUID

from warehouse.reading.statements import over, statement

Evidence = dict[str, Any]
SCOPE = ("platform_scope", "platform", "account_id", "view_lifetime_days")
"""What evidence of cpm says of which posts count, and how long; goals have their own scopes."""

_POSTS = {name: statement(__name__, f"{name}.sql") for name in ("requested", "posts")}


@dataclass(frozen=True, slots=True)
class Published:
    """An accrual's evidence as published, of whom it is, since and until when its period runs."""

    evidence: Evidence
    creator_id: UUID
    timezone: str
    period_start: date
    ends_at: datetime


def of_requested(query: str) -> str:
    """Return a query that reads the requested accruals, and the posts that could count in them.

    `requested` and `posts` are what it calls them; `parameters_of` has their parameters.
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
    """Return an instant as evidence has it."""
    return at.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
