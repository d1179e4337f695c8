"""The share of due readings of views that came, as accounts and campaigns show it."""

from collections.abc import Mapping
from dataclasses import asdict
from datetime import date
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.published import Published
from warehouse.reading import view_coverage as reading


class ViewCoverage(BaseModel):
    """How many of the readings of views that were due came.

    One is due of every counted post on each whole day, from the day after it was added, while it
    is tracked. Where few come, views stand still, and pay per view pays too little.
    """

    from_day: date = Field(
        description="First of the days: of accounts and campaigns the last seven whole ones, of an"
        " accrual those that its period covers and that are over"
    )
    to_day: date = Field(description="Inclusive")
    readings_due: int
    readings_came: int
    share: float = Field(description="From 0 to 1, four decimals")


def coverage_of(numbers: Published, organization_id: UUID, entity_id: UUID) -> ViewCoverage | None:
    """Return the coverage of an account or campaign; None where nothing was due."""
    coverage = numbers.look_up(reading.view_coverage, organization_id, [entity_id]).get(entity_id)
    if coverage is None:
        return None
    return with_share(asdict(coverage))


def with_share(counted: Mapping[str, Any]) -> ViewCoverage:
    """Return a coverage with the share of the readings that it counts; one at least was due."""
    share = round(counted["readings_came"] / counted["readings_due"], 4)
    return ViewCoverage.model_validate({**counted, "share": share})
