"""Creators are owed and shown what the rules say, whatever the history (money.md M1 to M21)."""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from copy import deepcopy
from datetime import datetime, timedelta
from decimal import Decimal
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

import pytest
from hypothesis import assume, given, settings

from tests.dbt_project.closed_periods import (
    assert_nothing_closed_changed,
    closed_periods,
    writes_at,
)
from tests.dbt_project.harness import Harness, selected
from tests.dbt_project.histories import ONE_NEW, SEEDS, Row, Step, Tables
from tests.dbt_project.payout_explanations import Explanations
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.payout_invariants import (
    assert_anybody_can_redo_amounts,
    assert_cents_add_up_to_the_rounded_total,
    assert_columns_are_of_their_rules,
    assert_copies_are_shown_as_they_are,
    assert_corrections_add_up,
    assert_counts_were_read_as_evidence_says,
    assert_evidence_is,
    assert_no_view_is_paid_twice,
    assert_sentences_say_the_evidence,
)
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.test_incremental import Story, assert_same
from tests.doses import SEED, dose
from tests.oracles import payouts
from tests.oracles.budgets import exposures
from tests.oracles.payouts.costs import SPREAD, costs
from tests.oracles.payouts.holds import holds
from warehouse.reading.campaign_costs import CostsQuery, costs_by_day

HISTORIES = dose(small=1, full=3)
"""How many histories to try; each is over 3 runs, and the last run twice more."""

ORGANIZATIONS = dose(small=20, full=40)

BUDGETED_FROM = dose(small=2, full=0)
"""From which run on another one follows that has only budgets to compute."""

CAMPAIGNS_ASKED = dose(small=10, full=1000)
"""Of how many campaigns costs are asked for as the API does; all are compared in the mart."""

STAGES = ("int_payout_cpm_totals", "int_payout_goal_gains", "payout_earned", "payout_accruals")
"""Up to where a run comes that is not published."""

NEEDED = selected(
    "payout_accruals",
    "payout_payments",
    "payout_costs",
    "campaign_costs",
    "video_past_owners",
    "budget_exposure",
    "payout_holds",
    "view_baselines",
)

MARTS = ("payout_earnings", "payout_accruals", "payout_holds")


class PayoutStory(Story):
    """Plays a history in which what was shown is approved and paid before the next run."""

    NEEDED = NEEDED

    def __init__(self, folder: Path, seed: int, *, organizations: int, runs: int) -> None:
        super().__init__(folder)
        self.seed = seed
        self.history = PayoutHistory(seed, organizations=organizations, runs=runs)
        self.ledger = Ledger(seed, self.history.operational)
        self.explanations = Explanations()

    def play(self) -> Iterator[payouts.Facts]:
        """Yield after each run, before anybody decides on what it shows."""
        for number, step in enumerate(self.history.steps()):
            self.arrive(step.batches)
            if number == 1:
                self.die(step)
            self.harness.decide(**as_copied(step.operational))
            self.run(step.as_of)
            yield payouts.Facts(step.operational, self.facts, step.as_of)
            for _ in range(3):
                self.decide(step.as_of)

    def copy(self, folder: Path) -> "PayoutStory":
        """Return a story that goes on from this one in another folder; this one stays as it is."""
        return deepcopy(self, {id(self.harness): self.harness.copy(folder)})

    def decide(self, as_of: datetime) -> None:
        """Approve, pay and take back what the API shows by now."""
        facts = payouts.Facts(self.history.operational, self.facts, as_of)
        self.ledger.act(payouts.shown(facts, payouts.owed(facts)), as_of + timedelta(minutes=1))

    def die(self, step: Step) -> None:
        """Compute what people then take back, and end before it is published."""
        other = dict(step.operational)
        other["payout_assignments"] = other["payout_assignments"][::2]
        other["conversions"] = other["conversions"][1::2]
        other["videos"] = [
            {**row, "tracking_status": "included" if number % 2 else "excluded"}
            for number, row in enumerate(other["videos"])
        ]
        self.harness.decide(**as_copied(other))
        run = self.harness.begin(as_of=step.as_of - timedelta(hours=7))
        self.harness.build(run, f"+{self.ledger.random.choice(STAGES)}")

    def assert_marts_agree(self, facts: payouts.Facts, when: str) -> None:
        owed = payouts.owed(facts)
        earned = [without(row, "evidence") for row in owed]
        for mart, expected in zip(MARTS, (earned, payouts.shown(facts, owed)), strict=False):
            names = sorted(expected[0])
            rows = [{name: row[name] for name in names} for row in self.harness.rows(mart)]
            assert_same(rows, expected, f"{mart}, {when}, seed {self.seed}")


def as_copied(operational: Tables) -> Tables:
    """Write values as the operational copy leaves them."""
    return {
        table: [{name: as_text(value) for name, value in row.items()} for row in rows]
        for table, rows in operational.items()
    }


def as_text(value: Any) -> Any:
    """JSON and decimals travel as text."""
    if isinstance(value, dict):
        return json.dumps(value)
    return str(value) if isinstance(value, Decimal) else value


def without(row: Row, name: str) -> Row:
    return {key: value for key, value in row.items() if key != name}


COSTS_ARE_OF = (
    "payout_earnings",
    "payout_accruals",
    "payout_covered_days",
    "videos",
    "accounts",
    "video_daily",
    "conversions",
)


def assert_campaigns_cost_what_their_posts_do(harness: Harness, when: str) -> None:
    campaigns_of: dict[Any, list[Any]] = defaultdict(list)
    for row in harness.rows("campaign_videos"):
        campaigns_of[row["video_id"]].append(row["campaign_id"])
    expected: Counter[Any] = Counter()
    for row in harness.rows("payout_costs"):
        for campaign in () if row["is_planned"] else campaigns_of.get(row["video_id"], ()):
            expected[campaign, row["creator_id"], row["day"]] += row["amount_cents"]
    cost_by_day = {
        (row["campaign_id"], row["creator_id"], row["day"]): row["cost_cents"]
        for row in harness.rows("campaign_costs")
    }
    assert cost_by_day == expected, when
    with harness.connect() as connection:
        for query in campaigns_asked(harness, expected):
            costs = costs_by_day(connection, query)
            assert {key: cents for key, cents in costs.items() if cents} == {
                (creator, day): cents
                for (campaign, creator, day), cents in expected.items()
                if cents and campaign == query.campaign_id and day >= query.from_day
            }, f"{when}, {query}"


def assert_posts_cost_what_those_earned_who_are_asked(harness: Harness, when: str) -> None:
    """A campaign's costs are worked out of the creators that these tables name."""
    named = {
        (row[post], row["creator_id"])
        for table, post in WHO_EARNS_BY
        for row in harness.rows(table)
    }
    assert {
        (row["video_id"], row["creator_id"])
        for row in harness.rows("payout_costs")
        if row["video_id"] is not None
    } <= named, when


WHO_EARNS_BY = (
    ("videos", "video_id"),
    ("video_past_owners", "video_id"),
    ("conversions", "video_id"),
    ("payout_decided_accruals", "subject_id"),
)


def campaigns_asked(harness: Harness, expected: Mapping[Any, int]) -> Iterator[CostsQuery]:
    """Yield questions about campaigns: of all days, and from one in the midst of them."""
    days = sorted({day for *_, day in expected})
    campaigns = harness.rows("campaigns") if days else []
    for row in Random(SEED).sample(campaigns, min(len(campaigns), CAMPAIGNS_ASKED)):
        for first in (days[0], days[len(days) // 2]):
            campaign = row["organization_id"], row["campaign_id"]
            yield CostsQuery(*campaign, first, days[-1], "USD")


def assert_costs_add_up(harness: Harness, facts: payouts.Facts, when: str) -> None:
    """Every cent of an accrual stands on a day, as the rule puts it there, and none but those."""
    marts = {mart: harness.rows(mart) for mart in COSTS_ARE_OF}
    given = {table: facts.tables[table] for table in ("payout_versions", "organizations")}
    expected = costs({**marts, **given}, facts.as_of)
    rows = [{name: row[name] for name in expected[0]} for row in harness.rows("payout_costs")]
    assert_same(rows, expected, f"payout_costs, {when}")
    parts: Counter[Any] = Counter()
    for row in rows:
        parts[row["accrual_id"]] += row["amount_cents"]
    owed = {
        row["accrual_id"]: row["amount_cents"]
        for row in marts["payout_accruals"]
        if row["status"] != "void" and row["amount_cents"]
    }
    assert parts == owed
    assert_campaigns_cost_what_their_posts_do(harness, when)
    assert_posts_cost_what_those_earned_who_are_asked(harness, when)


def assert_odd_readings_hold_what_they_are_behind(story: PayoutStory, facts: payouts.Facts) -> bool:
    """Whether any does. No amount or status follows: those are the oracle's, which has no holds."""
    earnings, accruals, hold_rows = (story.harness.rows(mart) for mart in MARTS)
    anomalies = story.harness.rows("reading_anomalies")
    expected = holds(facts.tables["payout_versions"], earnings, anomalies, facts)
    assert {(row["accrual_id"], row["anomaly_id"]) for row in hold_rows} == expected
    due = {
        row["adjusts_accrual_id"] or row["accrual_id"]
        for row in accruals
        if row["payment_id"] is None and row["status"] != "void" and row["amount_cents"] > 0
    }
    held = {row["accrual_id"] for row in hold_rows if row["is_held"]}
    assert held == due & {row["accrual_id"] for row in hold_rows}
    return bool(held)


def assert_invariants_hold(story: PayoutStory, facts: payouts.Facts) -> None:
    earnings, accruals, _ = (story.harness.rows(mart) for mart in MARTS)
    assert_evidence_is(payouts.owed(facts), earnings)
    assert_columns_are_of_their_rules(earnings)
    assert_anybody_can_redo_amounts(accruals, facts.tables["payout_versions"])
    assert_sentences_say_the_evidence(accruals)
    assert_cents_add_up_to_the_rounded_total(earnings)
    assert_no_view_is_paid_twice(accruals)
    assert_corrections_add_up(earnings, accruals)
    with story.harness.connect() as connection:
        assert_counts_were_read_as_evidence_says(connection, facts, earnings)
        story.explanations.check(connection, facts, earnings, accruals)
    assert_copies_are_shown_as_they_are(accruals, facts.tables)


def budgets_for(facts: payouts.Facts, seed: int) -> list[dict[str, Any]]:
    """Random budgets of each project, campaign and structure."""
    random = Random(seed)
    owned: list[tuple[Row, dict[str, Any]]] = [
        *((row, {}) for row in facts.tables["creators"]),
        *((row, {"campaign_id": row["id"]}) for row in facts.tables["campaigns"]),
        *((row, {"structure_id": row["id"]}) for row in facts.tables["payout_structures"]),
    ]
    return [
        {
            "id": UUID(int=number),
            "organization_id": row["organization_id"],
            "project_id": row["project_id"],
            "campaign_id": None,
            "structure_id": None,
            "name": "b",
            "amount_cents": random.choice((1, 10_000, 1_000_000)),
            "period": random.choice((None, "monthly")),
            "thresholds": random.choice(([], [100], [1, 50, 100])),
            **of,
        }
        for number, (row, of) in enumerate(owned)
    ]


def assert_budgets_come_to_their_accruals(
    story: PayoutStory, facts: payouts.Facts, budgets: list[dict[str, Any]]
) -> None:
    tables = {**facts.tables, "payout_budgets": budgets}
    expected = exposures(tables, story.harness.rows("payout_accruals"), facts.as_of)
    rows = story.harness.rows("budget_exposure")
    exposure_rows = [{name: row[name] for name in expected[0]} for row in rows]
    assert sorted(exposure_rows, key=str) == sorted(expected, key=str), f"seed {story.seed}"
    assert any(row["reached"] for row in exposure_rows)


def assert_a_run_for_budgets_changes_nothing_else(story: PayoutStory, facts: payouts.Facts) -> None:
    """The next run continues it."""
    marts = [story.harness.rows(mart) for mart in MARTS]
    budgets = budgets_for(facts, story.seed)
    story.harness.decide(payout_budgets=budgets)
    story.run(facts.as_of)
    assert_budgets_come_to_their_accruals(story, facts, budgets)
    again = [story.harness.rows(mart) for mart in MARTS]
    assert again == marts, "running twice changed something"


def assert_closed_periods_stay(story: PayoutStory, facts: payouts.Facts) -> bool:
    """Nothing that is over changes, unless a write is about its own creator's or post's past.

    Return whether any amount that is over is spread over posts.
    """
    when = f"seed {story.seed}"
    writes = writes_at(facts.tables, facts.as_of, story.seed)
    before = closed_periods(story.harness, writes)
    story.harness.ingest(video_snapshots=writes.readings)
    story.harness.decide(**as_copied(writes.tables))
    story.run(facts.as_of)
    assert_nothing_closed_changed(before, closed_periods(story.harness, writes), when)
    spread = [row for row in before["payout_costs"].values() if row["criteria_type"] in SPREAD]
    return any(row["video_id"] for row in spread)


@given(seed=SEEDS)
@settings(ONE_NEW, max_examples=HISTORIES)
def test_every_run_owes_and_shows_what_the_rules_say(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    folder = tmp_path_factory.mktemp("history")
    story = PayoutStory(folder, seed, organizations=ORGANIZATIONS, runs=3)
    is_any_held = False
    for number, facts in enumerate(story.play()):
        story.assert_marts_agree(facts, f"run {number}")
        assert_invariants_hold(story, facts)
        is_any_held |= assert_odd_readings_hold_what_they_are_behind(story, facts)
        assert_costs_add_up(story.harness, facts, f"run {number}, seed {seed}")
        if number >= BUDGETED_FROM:
            assert_a_run_for_budgets_changes_nothing_else(story, facts)
    is_any_spread = assert_closed_periods_stay(story, facts)
    marts = [story.harness.rows(mart) for mart in MARTS]
    story.run(facts.as_of, full_refresh=True)
    assert [story.harness.rows(mart) for mart in MARTS] == marts, "a full refresh is not the same"
    # else another history is tried
    assume(is_any_held and is_any_spread and story.explanations.explained)


def test_the_only_organization_may_move(tmp_path: Path) -> None:
    """All that is owed is computed anew, though the run goes on where the last one ended."""
    story = PayoutStory(tmp_path, 5, organizations=1, runs=1)
    (facts,) = story.play()
    [organization] = story.history.operational["organizations"]
    organization["analytics_tz"] = "Asia/Kolkata"
    story.harness.decide(**as_copied(story.history.operational))
    story.run(facts.as_of)
    moved = payouts.Facts(story.history.operational, story.facts, facts.as_of)
    story.assert_marts_agree(moved, "in another zone")
