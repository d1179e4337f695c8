"""Counters of accounts and posts: sums, times of readings, and the share of successful checks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from datetime import date, datetime
from typing import Any
from uuid import UUID

from pydantic import BaseModel, Field

from serving_api.kit.published import Published
from warehouse.reading import view_coverage as reading
from warehouse.reading.accounts import AccountCounts
from warehouse.reading.videos import VideoCounts


def as_of(
    known: VideoCounts | AccountCounts | None, counters: Sequence[str]
) -> dict[str, datetime | None]:
    """Return the time of each counter's last reading, or None."""
    return {
        name: getattr(known, f"{name.removesuffix('_count')}_captured_at", None)
        for name in counters
    }


def sum_of_known(counts: Iterable[int | None]) -> int | None:
    """Return the sum of the known counts, or None if none is known."""
    known = [count for count in counts if count is not None]
    return sum(known) if known else None


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
