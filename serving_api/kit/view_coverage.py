"""The share of due readings of views that came, as accounts and campaigns show it."""

from datetime import date
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.published import Published
from warehouse.reading import view_coverage as reading


class ViewCoverage(BaseModel):
    """How many of the readings of views that were due came.

    One is due of every counted post on each whole day, from the day after it was added, while it
    is tracked. Where few come, views stand still, and pay per view pays too little.
    """

    from_day: date = Field(description="First of the last seven whole days")
    to_day: date = Field(description="Inclusive")
    readings_due: int
    readings_came: int
    share: float = Field(description="From 0 to 1, four decimals")


def coverage_of(numbers: Published, organization_id: UUID, one: UUID) -> ViewCoverage | None:
    """Return the coverage of an account or campaign; None where nothing was due."""
    found = numbers.look_up(reading.view_coverage, organization_id, [one]).get(one)
    if found is None:
        return None
    return ViewCoverage(
        from_day=found.from_day,
        to_day=found.to_day,
        readings_due=found.readings_due,
        readings_came=found.readings_came,
        share=round(found.readings_came / found.readings_due, 4),
    )
