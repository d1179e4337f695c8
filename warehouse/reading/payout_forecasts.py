"""Forecasts of accruals in the present month, from marts.payout_forecasts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.forecast_accuracy import ACCURACY, TestedForecast

PayoutHidden = Literal["too_new", "too_few_tests", "no_better_than_baseline"]

OF_THESE = f"""
    select
        {ACCURACY}
        forecasts.entity_id,
        forecasts.day,
        forecasts.to_come_cents,
        forecasts.low_cents,
        forecasts.high_cents,
        forecasts.baseline_cents,
        forecasts.hidden_because
    from marts.payout_forecasts as forecasts
    left join marts.forecast_accuracy as accuracy
        on
            forecasts.project_id = accuracy.project_id
            and forecasts.entity = accuracy.entity
            and forecasts.tested_days = accuracy.days
            and accuracy.metric = 'payouts'
    where
        forecasts.organization_id = $organization_id
        and list_contains($entity_ids::uuid[], forecasts.entity_id)
        and forecasts.day >= $today
    order by forecasts.entity_id
"""  # noqa: S608  (columns of ours)


@dataclass(frozen=True, slots=True)
class PayoutForecast(TestedForecast):
    """Expected additional cents of accruals whose periods end by `day`.

    `day` is the last day of the month. The interval covers eight of ten; None with too few tests.
    """

    entity_id: UUID
    day: date
    to_come_cents: int
    low_cents: int | None
    high_cents: int | None
    baseline_cents: int
    hidden_because: PayoutHidden | None


def payout_forecasts(
    cursor: DuckDBPyConnection, organization_id: UUID, entity_ids: Collection[UUID], today: date
) -> dict[UUID, PayoutForecast]:
    """Return forecasts of projects, structures, campaigns and creators, by id.

    There are none without a present payee, or for a month that began after the publication.
    """
    parameters = {
        "organization_id": organization_id,
        "entity_ids": list(entity_ids),
        "today": today,
    }
    rows = cursor.execute(OF_THESE, parameters).fetchall()
    forecasts = [PayoutForecast(*row) for row in rows]
    return {forecast.entity_id: forecast for forecast in forecasts}
