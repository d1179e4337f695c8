"""`tracker simulations`, as a process: it ends what waits, and says how."""

import json
from datetime import UTC, date, datetime
from pathlib import Path

from tests.orchestration.commands import environment, tracker_here
from warehouse.operational.models import PayoutSimulation
from warehouse.operational.organizations import NewOrganization
from warehouse.operational.store import OperationalStore


def test_what_waits_ends_and_is_told(
    tmp_path: Path, database_url: str, store: OperationalStore, organization: NewOrganization
) -> None:
    """Nothing was published here."""
    simulation = PayoutSimulation(
        organization_id=organization.organization_id,
        project_id=organization.project_id,
        rule={},
        creators=[],
        from_day=date(2026, 5, 1),
        to_day=date(2026, 5, 2),
        timezone="UTC",
        expires_at=datetime(9000, 1, 1, tzinfo=UTC),
    )
    with store.write_session() as session:
        session.add(simulation)
    for ended in ({"failed": 1}, {}):
        done = tracker_here("simulations", "--json", env=environment(tmp_path, database_url))
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout) == {"simulations": ended}
