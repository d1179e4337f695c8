"""What accruals are still to come to in the present month, from marts.payout_forecasts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

PayoutHidden = Literal["too_new", "too_few_tests", "no_better_than_baseline"]

OF_THESE = """
    select
        forecasts.entity_id,
        forecasts.day,
        forecasts.to_come_cents,
        forecasts.low_cents,
        forecasts.high_cents,
        forecasts.baseline_cents,
        forecasts.hidden_because,
        coalesce(accuracy.tests, 0),
        accuracy.mape,
        accuracy.baseline_mape,
        accuracy.coverage
    from marts.payout_forecasts as forecasts
    left join marts.forecast_accuracy as accuracy
        on
            forecasts.organization_id = accuracy.organization_id
            and forecasts.entity = accuracy.entity
            and forecasts.tested_days = accuracy.days
            and accuracy.metric = 'payouts'
    where
        forecasts.organization_id = $organization_id
        and list_contains($entity_ids::uuid[], forecasts.entity_id)
        and forecasts.day >= $today
    order by forecasts.entity_id
"""


@dataclass(frozen=True, slots=True)
class PayoutForecast:
    """What accruals whose periods end by `day` will come to on top of what they come to now.

    In cents; `day` is the last one of the month that was present. The interval holds eight of ten;
    None with too few tests. Errors and coverage are shares, of the tests that speak for it.
    """

    entity_id: UUID
    day: date
    to_come_cents: int
    low_cents: int | None
    high_cents: int | None
    baseline_cents: int
    hidden_because: PayoutHidden | None
    tests: int
    mape: Decimal | None
    baseline_mape: Decimal | None
    coverage: Decimal | None


def payout_forecasts(
    cursor: DuckDBPyConnection, organization_id: UUID, entity_ids: Collection[UUID], today: date
) -> dict[UUID, PayoutForecast]:
    """Return those of projects, structures, campaigns and creators.

    Nothing is known where nobody is paid now, nor of a month that began after the publication.
    """
    asked = {"organization_id": organization_id, "entity_ids": list(entity_ids), "today": today}
    found = [PayoutForecast(*row) for row in cursor.execute(OF_THESE, asked).fetchall()]
    return {one.entity_id: one for one in found}
