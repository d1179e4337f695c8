"""The share of planned checks of views that succeeded, for accounts and campaigns."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.published import Published
from warehouse.reading import view_coverage as reading


class ViewCoverage(BaseModel):
    """How many of the planned checks of views succeeded.

    Each counted post is due once per complete day while it is tracked, from the day after it was
    added. If few succeed, views do not change and pay per view is too low.
    """

    from_day: date = Field(
        description="First day. For accounts and campaigns, the last seven complete days; for an"
        " accrual, the complete days of its period"
    )
    to_day: date = Field(description="Inclusive")
    readings_due: int
    readings_came: int
    share: float = Field(description="From 0 to 1, four decimals")


def coverage_of(numbers: Published, organization_id: UUID, entity_id: UUID) -> ViewCoverage | None:
    """Return the coverage of an account or campaign, or None if no check was due."""
    coverage = numbers.look_up(reading.view_coverage, organization_id, [entity_id]).get(entity_id)
    if coverage is None:
        return None
    return with_share(asdict(coverage))


def with_share(counted: Mapping[str, Any]) -> ViewCoverage:
    """Return the coverage with its share; at least one check was due."""
    share = round(counted["readings_came"] / counted["readings_due"], 4)
    return ViewCoverage.model_validate({**counted, "share": share})
