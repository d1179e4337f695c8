"""Simulations pay what the rules say, and rules in force what they paid (M1 to M16).

They run as in jobs: for some creators at a time, with only their data.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import asdict
from datetime import date, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given

from orchestration.building.manifests import earning_statements
from serving_api.resources.payouts.simulations.searching import CENT, OF_A_RATE, free_of
from tests.dbt_project.histories import ONE_NEW, SEEDS, Row
from tests.dbt_project.stories import PayoutStory, as_copied, assert_same
from tests.oracles import payouts
from tests.oracles.payouts.holds import holds
from warehouse.catalogue.operational import FOLLOWED
from warehouse.control.records import last_begun
from warehouse.publication.current import open_one
from warehouse.publication.publish import publish
from warehouse.settings import Settings
from warehouse.simulation import engine
from warehouse.simulation.engine import Earned, simulate
from warehouse.simulation.memory import RoundedFollowers
from warehouse.simulation.proposal import Proposal
from warehouse.simulation.search import SearchTarget, Sought, search
from warehouse.zones import start_of

pytestmark = pytest.mark.slow

STRUCTURES = 5
"""Structures of a history that are simulated, twice each."""

SEARCHED = 1
"""Structures with a number search: each takes as long as several simulations."""

FREE = {
    "recurring": ["amount_cents"],
    "goals": ["amount_cents"],
    "cpm": ["criteria_params.max_payout_cents", "criteria_params.tiers.0.cents_per_thousand"],
    "view_threshold": ["criteria_params.thresholds.0.amount_cents"],
    "conversion": ["criteria_params.rates.0.amount_cents"],
    "percent": ["criteria_params.rates.0.percent_bps"],
}
USUAL = {CENT: 1_000, OF_A_RATE: 100_000_000}
"""Typical steps of numbers; budgets are close to their results."""

LAST_DAY = date(2026, 12, 31)
ABOUT = ("creator_id", "period_start", "period_end", "subject_id", "view_count")
COMPARED = (*ABOUT, "amount_cents", "precise_amount", "limited_by")
OF_VIDEOS = ("video_owners", "video_statuses")
OF_CREATORS = ("conversions", "goal_states", "payout_pauses")
OF_PAYEES = ("payout_assignments", "payout_payment_accruals")
OF_STRUCTURE = ("payout_versions", "payout_assignments", "payout_payment_accruals")
NOT_COPIED = ("payout_accrual_decisions", "payout_payments")
COLUMNS = {table.name: table.column_names for table in FOLLOWED if table.name not in NOT_COPIED}


class Lab:
    """A computed history, and simulations over it."""

    def __init__(self, story: PayoutStory, facts: payouts.Facts) -> None:
        self.story = story
        self.facts = facts
        self.copied = as_copied(facts.tables)
        settings = Settings(home=story.harness.folder / "lab")
        with story.harness.connect() as connection:
            run = last_begun(connection)
            publication = publish(settings, connection, as_of=facts.as_of)
        assert run is not None
        self.statements = earning_statements(run)
        self.publications, self.publication_id = settings.publications_path, publication.id

    def sampled_structures(self) -> Sequence[Row]:
        """Return some structures that pay, first those with amounts on hold."""
        waiting = {row["structure_id"] for row in self.story.harness.rows("payout_holds")}
        structures = self.facts.tables["payout_structures"]
        paying = [row for row in structures if self.facts.assignments[row["id"]]]
        self.story.history.random.shuffle(paying)
        return sorted(paying, key=lambda row: row["id"] not in waiting)[:STRUCTURES]

    def simulate(self, structure: Row, rule: Row, from_day: date) -> Sequence[Earned]:
        creators = self.creators_of(structure)
        self.story.history.random.shuffle(creators)
        facts, proposal = self.inputs(structure, rule, from_day, creators)
        most = self.story.history.random.randint(1, max(len(facts["videos"]), 1))
        with self.published() as publication, pytest.MonkeyPatch.context() as changed:
            changed.setattr(engine, "MOST_POSTS", most)
            return simulate(publication, self.statements, facts, proposal)

    def search(self, structure: Row, rule: Row, from_day: date, target: SearchTarget) -> Sought:
        facts, proposal = self.inputs(structure, rule, from_day, self.creators_of(structure))
        with self.published() as publication:
            return search(publication, self.statements, facts, proposal, target)

    @contextmanager
    def published(self) -> Iterator[duckdb.DuckDBPyConnection]:
        opened = open_one(self.publications, self.publication_id)
        with closing(opened.database), opened.cursor() as cursor:
            yield cursor

    def creators_of(self, structure: Row) -> list[UUID]:
        return sorted({row["creator_id"] for row in self.facts.assignments[structure["id"]]})

    def inputs(
        self, structure: Row, rule: Row, from_day: date, creators: Sequence[UUID]
    ) -> tuple[dict[str, list[Row]], Proposal]:
        proposal = Proposal(
            organization_id=structure["organization_id"],
            project_id=structure["project_id"],
            version=rule,
            creators=creators,
            from_day=from_day,
            to_day=LAST_DAY,
            zone=self.zone_of(structure),
        )
        facts = {name: self.decided(name, structure["id"], creators) for name in COLUMNS}
        return facts, proposal

    def decided(self, table: str, structure_id: UUID, creators: Sequence[UUID]) -> list[Row]:
        """Return all rows except those of other structures and creators, which simulations do not
        get.
        """
        rows = [
            {name: value for name, value in row.items() if name in COLUMNS[table]}
            for row in self.copied.get(table, [])
        ]
        if table == "payout_structures":
            return [row for row in rows if row["id"] == structure_id]
        if table in OF_STRUCTURE:
            rows = [row for row in rows if row["structure_id"] == structure_id]
        if table in (*OF_CREATORS, *OF_PAYEES):
            return [row for row in rows if row["creator_id"] in creators]
        if table == "videos":
            return [row for row in rows if row["id"] in self.posts_of(creators)]
        if table in OF_VIDEOS:
            return [row for row in rows if row["video_id"] in self.posts_of(creators)]
        return rows

    def posts_of(self, creators: Sequence[UUID]) -> set[UUID]:
        owned = {
            row["video_id"] for row in self.copied["video_owners"] if row["creator_id"] in creators
        }
        return owned | {row["id"] for row in self.copied["videos"] if row["creator_id"] in creators}

    def zone_of(self, structure: Row) -> str:
        organization = self.facts.organizations[structure["organization_id"]]
        zone: str = structure["timezone"] or organization["analytics_tz"]
        return zone

    def versions_of(self, structure: Row) -> list[Row]:
        return sorted(self.facts.versions[structure["id"]], key=lambda row: row["number"])

    def assert_current_rule_gives_what_was_paid(self, structure: Row) -> None:
        """From its own period on, the last version pays the same to the cent and post."""
        last = self.versions_of(structure)[-1]
        zone = self.zone_of(structure)
        from_day = last["created_at"].astimezone(ZoneInfo(zone)).date()
        earned = self.simulate(structure, last, from_day)
        proposed, in_force = (
            [whole(amount) for amount in earned if amount.is_proposed is is_proposed]
            for is_proposed in (True, False)
        )
        assert_same(proposed, in_force, f"simulated, seed {self.story.seed}")
        paid = [
            {name: row[name] for name in COMPARED}
            for row in self.story.harness.rows("payout_earnings")
            if row["structure_id"] == structure["id"] and row["period_end"] >= from_day
        ]
        rows = [{name: row[name] for name in COMPARED} for row in in_force]
        assert_same(rows, paid, f"in force, seed {self.story.seed}")
        self.assert_holds_match_accruals([amount for amount in earned if not amount.is_proposed])

    def assert_holds_match_accruals(self, in_force: Sequence[Earned]) -> None:
        """Before releases and payments, amounts wait for the readings in payout_holds."""
        behind = defaultdict(set)
        for row in self.story.harness.rows("payout_holds"):
            behind[row["accrual_id"]].add((row["anomaly_id"], row["sentence"]))
        for amount in in_force:
            expected = (
                behind[amount.accrual.accrual_id] if amount.accrual.amount_cents > 0 else set()
            )
            odd_readings = {(odd.anomaly_id, odd.sentence) for odd in amount.waits_for}
            assert odd_readings == expected, f"held, seed {self.story.seed}"

    def another(self, structure: Row) -> Row:
        """Return a random rule of the same shape."""
        last = self.versions_of(structure)[-1]
        return {**last, **self.story.history.rules_of(structure).terms(last)}

    def owed_by(self, structure: Row, rule: Row, from_day: date) -> list[Row]:
        """Return what a rule owes from a day on, by the oracle; earlier periods do not change."""
        versions = self.versions_of(structure)
        begins_at = start_of(from_day, self.zone_of(structure))
        first, *later = versions
        before = min(first["created_at"], begins_at - timedelta(microseconds=1))
        replaced = [
            {**first, "created_at": before},
            *(row for row in later if row["created_at"] < begins_at),
            {**rule, "number": len(versions) + 1, "created_at": begins_at, "id": UUID(int=1)},
        ]
        tables = {**self.facts.tables, **self.alone(structure), "payout_versions": replaced}
        facts = payouts.Facts(tables, self.story.facts, self.facts.as_of)
        return [row for row in payouts.owed(facts) if row["period_end"] >= from_day]

    def assert_another_rule_matches_the_oracle(self, structure: Row, from_day: date) -> None:
        other = self.another(structure)
        expected = [
            {name: row[name] for name in COMPARED}
            for row in self.owed_by(structure, other, from_day)
        ]
        earned = self.simulate(structure, as_copied({"one": [other]})["one"][0], from_day)
        rows = [
            {name: getattr(amount.accrual, name) for name in COMPARED}
            for amount in earned
            if amount.is_proposed
        ]
        assert_same(rows, expected, f"another rule, seed {self.story.seed}")
        self.assert_waits_for_what_the_rules_say(
            other, [amount for amount in earned if amount.is_proposed]
        )

    def assert_waits_for_what_the_rules_say(self, rule: Row, earned: Sequence[Earned]) -> None:
        anomalies = self.story.harness.rows("reading_anomalies")
        for amount in earned:
            row = {**asdict(amount.accrual), "evidence": json.dumps(amount.evidence)}
            expected = holds([{**rule, "id": row["version_id"]}], [row], anomalies, self.facts)
            odd_readings = {(amount.accrual.accrual_id, odd.anomaly_id) for odd in amount.waits_for}
            assert odd_readings == (expected if row["amount_cents"] > 0 else set())

    def assert_search_stays_within_budget(self, structure: Row, from_day: date) -> None:
        """By the oracle, the number found is within the budget and the next one exceeds it."""
        rule = self.another(structure)
        [first, *_] = rule["criteria_params"].get("rates", [{"rate_type": "flat"}])
        paths = FREE["percent" if first["rate_type"] == "percent" else rule["criteria_type"]]
        free = free_of(rule, self.story.history.random.choice(paths))

        def cents(steps: int) -> Counter[UUID]:
            amounts: Counter[UUID] = Counter()
            for row in self.owed_by(structure, free.rule_with(steps), from_day):
                amounts[row["creator_id"]] += row["amount_cents"]
            return amounts

        usual = cents(USUAL[free.increment]).total()
        budget = self.story.history.random.randrange(2 * usual + 2)
        target = SearchTarget(free.most, free.rule_with, budget)
        match = self.search(structure, free.rule_with(0), from_day, target)
        within, beyond = match.crossing.within, match.crossing.beyond
        message = f"{free.path}, budget {budget}, seed {self.story.seed}"
        assert within is None or cents(within).total() <= budget, message
        assert beyond is None or cents(beyond).total() == match.beyond_cents > budget, message
        assert None in (within, beyond) or beyond == within + 1, message
        assert (within, beyond) in ((None, 0), (free.most, None)) or None not in (within, beyond)
        amounts = Counter({creator: total.cents for creator, total in match.amounts.items()})
        assert +amounts == +cents(within or 0), message

    def alone(self, structure: Row) -> dict[str, list[Row]]:
        """Return tables with this structure only."""
        assigned = self.facts.assignments[structure["id"]]
        return {"payout_structures": [structure], "payout_assignments": assigned}


def whole(amount: Earned) -> Row:
    """Return an amount with its details; evidence may name versions, which have other ids."""
    columns: dict[str, Any] = {name: getattr(amount.accrual, name) for name in COMPARED}
    parts = [(part.video_id, part.views, part.amount_cents) for part in amount.parts]
    odd = str([reading.anomaly_id for reading in amount.waits_for])
    return {**columns, "evidence": str(amount.evidence), "parts": str(parts), "waits_for": odd}


@given(seed=SEEDS)
@ONE_NEW
def test_simulations_pay_what_the_rules_say(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    story = PayoutStory(tmp_path_factory.mktemp("lab"), seed, organizations=8, runs=1)
    [facts] = story.play()
    lab = Lab(story, facts)
    random = story.history.random
    for place, structure in enumerate(lab.sampled_structures()):
        with suppress(RoundedFollowers):  # rounded follower counts are refused
            lab.assert_current_rule_gives_what_was_paid(structure)
            from_day = facts.as_of.date() - timedelta(days=random.randrange(60))
            lab.assert_another_rule_matches_the_oracle(structure, from_day)
            if place < SEARCHED:
                lab.assert_search_stays_within_budget(structure, from_day)
