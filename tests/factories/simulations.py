"""Simulations that were asked for at length, as they are kept, worked out by nobody."""

from datetime import UTC, date, datetime
from typing import Any
from uuid import UUID

from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import PayoutSimulation, PayoutSimulationCreator

FOR_EVER = datetime(2100, 1, 1, tzinfo=UTC)
"""Simulations end by the real clock."""
EARNED = {
    "amount_cents": 1_255,
    "precise_amount": "1255.000000000",
    "limited_by": None,
    "held": {
        "reason": "Views without likes",
        "since_at": "2026-05-06T10:00:00Z",
        "readings_total": 0,
        "readings": [],
    },
    "summary": "10,000 views counted: 10,000 at $1.255 per thousand",
    "evidence": {},
    "videos": [],
}
PERIOD = {
    "period_start": "2026-05-04",
    "period_end": "2026-05-10",
    "subject_id": None,
    "view_count": None,
    "simulated": EARNED,
    "in_force": None,
}
"""A week that pays $12.55 for 10,000 views, and waits for a check; nothing was in force."""


def waiting(tenant: Tenant, creator_id: str, **changes: Any) -> str:
    """Keep a simulation of a new structure that nobody has begun; return its id."""
    columns = {
        "organization_id": tenant.organization_id,
        "project_id": tenant.project_id,
        "rule": {},
        "creators": [UUID(creator_id)],
        "from_day": date(2026, 5, 4),
        "to_day": date(2026, 5, 10),
        "timezone": "UTC",
        "expires_at": FOR_EVER,
    }
    with tenant.api.store.write_session() as session:
        simulation = PayoutSimulation(**columns | changes)
        session.add(simulation)
        session.flush()
        return str(simulation.id)


def succeeded(tenant: Tenant, creator_id: str) -> str:
    """Keep one by which the creator earns PERIOD; return its id."""
    done = {"creators_done": 1, "periods": 1, "simulated_cents": 1_255, "held_cents": 1_255}
    instants = {"as_of": NOW, "started_at": NOW, "finished_at": NOW}
    simulation_id = waiting(tenant, creator_id, status="succeeded", **done, **instants)
    with tenant.api.store.write_session() as session:
        session.add(
            PayoutSimulationCreator(
                simulation_id=UUID(simulation_id),
                position=0,
                creator_id=UUID(creator_id),
                simulated_cents=1_255,
                in_force_cents=0,
                held_cents=1_255,
                periods_before=0,
                periods=1,
                videos_before=0,
                videos=0,
                told=[PERIOD],
            )
        )
    return simulation_id
