"""Plays random histories into a warehouse run by run and computes the expected marts."""

import json
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, ClassVar

from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.histories import Row, Step, Tables
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.payout_ledger import Ledger
from tests.oracles import analytics, payouts
from tests.oracles.goals import Goals
from warehouse.control import Run

STAGES = ("int_payout_cpm_totals", "int_payout_goal_gains", "payout_earned", "payout_accruals")
"""Last models of runs that are not published."""

NEEDED = selected(
    "payout_accruals",
    "payout_payments",
    "payout_costs",
    "campaign_costs",
    "video_past_owners",
    "budget_committed",
    "payout_holds",
    "view_baselines",
)

MARTS = ("payout_earnings", "payout_accruals", "payout_holds")


class Story:
    """Plays a history run by run into a warehouse and computes the expected marts."""

    NEEDED: ClassVar[tuple[str, ...]] = selected(
        "videos",
        "accounts",
        "view_baselines",
        "video_daily",
        "account_daily",
        "view_coverage",
        "creator_milestones",
        "creator_videos",
        "creator_quarter_hours",
        "campaign_daily",
        "campaign_creator_daily",
        "campaign_quarter_hours",
        "campaign_videos",
        "campaign_accounts",
        "scrape_freshness",
        "goal_compliance",
    )
    """Models that runs build after the first, which builds all."""

    def __init__(self, folder: Path) -> None:
        self.harness = Harness(folder)
        self.facts: Tables = {
            "video_snapshots": [],
            "account_snapshots": [],
            "scrape_outcomes": [],
        }

    def arrive(self, batches: Sequence[Tables]) -> None:
        for batch in batches:
            self.harness.ingest(**batch)
            for table, rows in batch.items():
                self.facts[table] += rows

    def run(self, as_of: datetime, **options: Any) -> Run:
        run = self.harness.begin(as_of=as_of, **options)
        is_first = run.is_full_refresh and not options.get("full_refresh")
        self.harness.build(run, *(() if is_first else self.NEEDED))
        self.harness.promote(run)
        return run

    def expected(self, step: Step) -> dict[str, list[dict[str, Any]]]:
        """Return the rows of all marts, computed by independent oracles."""
        facts = analytics.Facts(as_of=step.as_of, operational=step.operational, **self.facts)
        marts = analytics.marts(facts)
        if "goal_states" in step.operational:
            goals = Goals(step.operational, self.facts, step.as_of)
            marts["goal_compliance"] = goals.compliance()
        return marts


class PayoutStory(Story):
    """Plays a history in which shown amounts are approved and paid before the next run."""

    NEEDED = NEEDED

    def __init__(self, folder: Path, seed: int, *, organizations: int, runs: int) -> None:
        super().__init__(folder)
        self.seed = seed
        self.history = PayoutHistory(seed, organizations=organizations, runs=runs)
        self.ledger = Ledger(seed, self.history.operational)

    def play(self) -> Iterator[payouts.Facts]:
        """Yield the facts after each run, before decisions on its results."""
        for number, step in enumerate(self.history.steps()):
            self.arrive(step.batches)
            if number == 1:
                self.die(step)
            self.harness.decide(**as_copied(step.operational))
            self.run(step.as_of)
            yield payouts.Facts(step.operational, self.facts, step.as_of)
            for _ in range(3):
                self.decide(step.as_of)

    def decide(self, as_of: datetime) -> None:
        """Approve, pay and revert what the API shows."""
        facts = payouts.Facts(self.history.operational, self.facts, as_of)
        self.ledger.act(payouts.shown(facts, payouts.owed(facts)), as_of + timedelta(minutes=1))

    def die(self, step: Step) -> None:
        """Build decisions that are withdrawn later, and stop before publication."""
        self.harness.decide(**as_copied(withdrawn_decisions(step.operational)))
        run = self.harness.begin(as_of=step.as_of - timedelta(hours=7))
        self.harness.build(run, f"+{self.ledger.random.choice(STAGES)}")


def withdrawn_decisions(operational: Tables) -> Tables:
    """Return decisions that are withdrawn later."""
    return {
        **operational,
        "payout_assignments": operational["payout_assignments"][::2],
        "conversions": operational["conversions"][1::2],
        "campaign_items": operational["campaign_items"][::2],
        "organizations": [
            {**row, "analytics_tz": row["analytics_tz"] if number % 3 else "Asia/Kolkata"}
            for number, row in enumerate(operational["organizations"])
        ],
        "videos": [
            {**row, "tracking_status": "included" if number % 2 else "excluded"}
            for number, row in enumerate(operational["videos"])
        ],
    }


def as_copied(operational: Tables) -> Tables:
    """Return values as the operational copy writes them."""
    return {
        table: [{name: as_text(value) for name, value in row.items()} for row in rows]
        for table, rows in operational.items()
    }


def as_text(value: Any) -> Any:
    """The operational copy writes JSON and decimals as text."""
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value) if isinstance(value, Decimal) else value


def without(row: Row, name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}


def assert_same(rows: list[dict[str, Any]], expected: list[dict[str, Any]], what: str) -> None:
    names = sorted(expected[0]) if expected else []
    if expected and rows:
        assert sorted(rows[0]) == names, what
    actual_rows = {tuple(row[name] for name in names) for row in rows}
    expected_rows = {tuple(row[name] for name in names) for row in expected}
    missing, extra = expected_rows - actual_rows, actual_rows - expected_rows
    lines = [f"{what}: {len(missing)} rows missing, {len(extra)} too many of {len(expected_rows)}"]
    lines += [f"missing {dict(zip(names, row, strict=True))}" for row in list(missing)[:3]]
    lines += [f"too many {dict(zip(names, row, strict=True))}" for row in list(extra)[:3]]
    assert not missing, "\n".join(lines)
    assert not extra, "\n".join(lines)
    assert len(rows) == len(expected), f"{what}: rows repeat"
