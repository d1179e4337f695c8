"""What accruals are still to come to in the present month, from marts.payout_forecasts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

PayoutHidden = Literal["too_new", "too_few_tests", "no_better_than_baseline"]

OF_THESE = """
    select
        entity_id,
        day,
        to_come_cents,
        low_cents,
        high_cents,
        hidden_because
    from marts.payout_forecasts
    where organization_id = $organization_id and list_contains($entity_ids::uuid[], entity_id)
    order by entity_id
"""


@dataclass(frozen=True, slots=True)
class PayoutForecast:
    """What accruals whose periods end by `day` will come to on top of what they come to now.

    In cents; `day` is the last one of the month that was present. The interval holds eight of ten;
    None with too few tests.
    """

    entity_id: UUID
    day: date
    to_come_cents: int
    low_cents: int | None
    high_cents: int | None
    hidden_because: PayoutHidden | None


def payout_forecasts(
    cursor: DuckDBPyConnection, organization_id: UUID, entity_ids: Collection[UUID]
) -> dict[UUID, PayoutForecast]:
    """Return those of projects, structures and campaigns; nothing of those that pay nobody now."""
    asked = {"organization_id": organization_id, "entity_ids": list(entity_ids)}
    found = [PayoutForecast(*row) for row in cursor.execute(OF_THESE, asked).fetchall()]
    return {one.entity_id: one for one in found}
