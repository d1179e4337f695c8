"""What readings contribute to simulated amounts, in the form of the evidence of accruals."""

from collections.abc import Sequence
from dataclasses import replace
from uuid import UUID

from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.published import with_what_was_read
from warehouse.reading.accruals.requested import Published
from warehouse.simulation.engine import Earned


def explained(
    publication: DuckDBPyConnection, organization_id: UUID, earned: Sequence[Earned]
) -> Sequence[Earned]:
    """Return amounts with their full evidence, from the publication they were simulated on."""
    evidence_of = with_what_was_read(
        publication,
        organization_id,
        {amount.accrual.accrual_id: _left(amount) for amount in earned},
    )
    return [replace(amount, evidence=evidence_of[amount.accrual.accrual_id]) for amount in earned]


def _left(earned: Earned) -> Published:
    """Return what the rule itself leaves as evidence."""
    accrual = earned.accrual
    return Published(
        evidence=dict(earned.evidence),
        creator_id=accrual.creator_id,
        timezone=accrual.timezone,
        period_start=accrual.period_start,
        ends_at=accrual.ends_at,
    )
