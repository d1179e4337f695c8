"""What another rate would have paid, and which rate would have met a budget.

One structure pays creators for views of posts that are read several times a day.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from uuid import UUID

import duckdb

from orchestration.building.manifests import earning_statements
from tests.factories.marts import create_marts
from tests.qa.benchmarks.child import Watch
from tests.qa.benchmarks.world import SQL
from warehouse.connection import open_warehouse
from warehouse.control import begin_run
from warehouse.settings import Settings
from warehouse.simulation.decided import COLUMNS, as_copied
from warehouse.simulation.engine import simulate
from warehouse.simulation.inputs import Row, Tables
from warehouse.simulation.proposal import Proposal
from warehouse.simulation.search import SearchTarget, search

BEGINS = datetime(2026, 5, 1, tzinfo=UTC)
MILLIONTHS = 10**6
MOST = 10**8 * MILLIONTHS
SPENT = 0.6
"""The target budget as a share of what the current rate pays."""


@dataclass(frozen=True)
class Workload:
    """The simulated creators and posts, and the number of readings."""

    creators: int
    posts: int
    days: int
    readings_a_day: int

    @property
    def readings(self) -> int:
        return self.creators * self.posts * (self.days - 1) * self.readings_a_day


def make_publication(folder: Path, size: Workload) -> None:
    """Write the inputs of simulations, and this version's statements."""
    settings = Settings(home=folder, _env_file=None)
    with open_warehouse(settings) as connection:
        run = begin_run(connection, as_of=BEGINS + timedelta(days=size.days))
    (folder / "statements.json").write_text(json.dumps([*earning_statements(run)]))
    with duckdb.connect(folder / "publication.duckdb") as connection:
        create_marts(connection)
        parameters = {**vars(size), "begins": BEGINS}
        for statement in duckdb.extract_statements((SQL / "simulated.sql").read_text()):
            values = {name: parameters[name] for name in statement.named_parameters}
            connection.execute(statement, values)


def run_simulation(watch: Watch, folder: Path, size: Workload) -> None:
    """Simulate a rate above the current one, with Python's caches warm."""
    publication, statements, facts, proposal = _opened(folder, size)
    simulate(publication, statements, facts, proposal)
    with watch.running():
        simulate(publication, statements, facts, proposal)


def run_search(watch: Watch, folder: Path, question: Workload) -> None:
    """Search for the rate that meets a budget."""
    publication, statements, facts, proposal = _opened(folder, question)
    earned = simulate(publication, statements, facts, proposal)
    in_force = sum(amount.accrual.amount_cents for amount in earned if not amount.is_proposed)
    target = SearchTarget(MOST, lambda steps: _rule(steps / MILLIONTHS), round(SPENT * in_force))
    with watch.running():
        search(publication, statements, facts, proposal, target)


def _opened(
    folder: Path, size: Workload
) -> tuple[duckdb.DuckDBPyConnection, Sequence[str], Tables, Proposal]:
    statements = json.loads((folder / "statements.json").read_text())
    publication = duckdb.connect(folder / "publication.duckdb", read_only=True)
    creators = [_id(3, number) for number in range(size.creators)]
    proposal = Proposal(
        organization_id=_id(1, 1),
        project_id=_id(2, 1),
        version=_rule(125.5),
        creators=creators,
        from_day=BEGINS.date() + timedelta(days=1),
        to_day=BEGINS.date() + timedelta(days=size.days - 1),
        zone="UTC",
    )
    return publication, statements, _facts(size), proposal


def _facts(size: Workload) -> Tables:
    """Return PostgreSQL's rows of the same creators and posts."""
    structure, begins = {"structure_id": _id(7, 1)}, {"created_at": BEGINS}
    posts = [
        (number // size.posts, {"account_id": _id(4, number // size.posts)}, _id(5, number))
        for number in range(size.creators * size.posts)
    ]
    version = {name: as_copied(value) for name, value in _rule(100).items()}
    known: dict[str, list[Row]] = {
        "organizations": [{"id": _id(1, 1), "analytics_tz": "UTC", "payout_settling_days": 3}],
        "accounts": [
            {
                "id": _id(4, number_of_creator),
                "creator_id": _id(3, number_of_creator),
                "platform": "tiktok",
                "is_active": True,
            }
            for number_of_creator in range(size.creators)
        ],
        "videos": [
            {
                "id": video,
                "creator_id": _id(3, creator),
                "platform": "tiktok",
                "tracking_status": "auto_tracked",
                "posted_at": BEGINS,
                **account,
            }
            for creator, account, video in posts
        ],
        "video_owners": [
            {"video_id": video, "creator_id": _id(3, creator), "valid_from": BEGINS, **account}
            for creator, account, video in posts
        ],
        "payout_structures": [{"id": _id(7, 1)}],
        "payout_versions": [{"id": _id(8, 1), "number": 1, **structure, **begins, **version}],
        "payout_assignments": [
            {"creator_id": _id(3, number_of_creator), "start_date": BEGINS.date(), **structure}
            for number_of_creator in range(size.creators)
        ],
    }
    owned = {"organization_id": _id(1, 1), "project_id": _id(2, 1)}
    return {
        name: [
            {column: {**owned, **row}.get(column) for column in columns}
            for row in known.get(name, ())
        ]
        for name, columns in COLUMNS.items()
    }


def _rule(rate: float) -> Row:
    tiers = [{"up_to_impressions": None, "cents_per_thousand": rate}]
    return {
        "criteria_type": "cpm",
        "criteria_params": {"tiers": tiers, "min_impressions": 0},
        "period": "weekly",
        "amount_cents": 0,
        "proration_mode": "skip",
        "backfill_on_assignment": False,
        "platform_scope": "all",
    }


def _id(kind: int, number: int) -> UUID:
    return UUID(f"{kind:08d}-0000-0000-0000-{number:012d}")
