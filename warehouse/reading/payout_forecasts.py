"""Forecasts of accruals in the present month, from marts.payout_forecasts."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from typing import Literal
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.statements import read_by_ids

PayoutHidden = Literal["too_new", "too_little_history"]

OF_THESE = """
    select
        entity_id,
        day,
        to_come_cents,
        low_cents,
        high_cents,
        baseline_cents,
        hidden_because
    from marts.payout_forecasts
    where
        organization_id = $organization_id
        and entity_id in (select cast(unnest(string_split($ids, ',')) as uuid))
        and day >= $today
"""


@dataclass(frozen=True, slots=True)
class PayoutForecast:
    """Expected additional cents of accruals whose periods end by `day`.

    `day` is the last day of the month. The interval covers eight of ten; None with too little
    history.
    """

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
    return read_by_ids(
        cursor, OF_THESE, PayoutForecast, organization_id, entity_ids, more={"today": today}
    )
