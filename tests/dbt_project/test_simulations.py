"""A simulation pays what the rules say, and of a rule in force what it paid (M1 to M16)."""

from collections.abc import Sequence
from contextlib import suppress
from datetime import date, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo

import duckdb
import pytest
from hypothesis import given

from orchestration.building.earning import earning_statements
from tests.dbt_project.histories import ONE_NEW, SEEDS, Row
from tests.dbt_project.test_incremental import assert_same
from tests.dbt_project.test_payouts import PayoutStory, as_copied
from tests.oracles import payouts
from warehouse.catalogue.operational import FOLLOWED
from warehouse.control.records import last_begun
from warehouse.simulation.engine import Earned, RoundedFollowers, simulate
from warehouse.simulation.proposal import Proposal
from warehouse.zones import start_of

STRUCTURES = 5
"""How many of a history are simulated, twice each."""

LAST_DAY = date(2026, 12, 31)
ABOUT = ("creator_id", "period_start", "period_end", "subject_id", "view_count")
TOLD = (*ABOUT, "amount_cents", "precise_amount", "limited_by")
OF_VIDEOS = ("video_owners", "video_statuses")
OF_STRUCTURE = ("payout_versions", "payout_assignments", "payout_payment_accruals")
NOT_ASKED = ("payout_accrual_decisions", "payout_payments")
COLUMNS = {table.name: table.column_names for table in FOLLOWED if table.name not in NOT_ASKED}


class Lab:
    """A history that was computed, and simulations over it."""

    def __init__(self, story: PayoutStory, facts: payouts.Facts) -> None:
        self.story = story
        self.facts = facts
        self.copied = as_copied(facts.tables)
        with story.harness.connect() as connection:
            run = last_begun(connection)
        assert run is not None
        self.statements = earning_statements(run)

    def simulate(self, structure: Row, rule: Row, from_day: date) -> Sequence[Earned]:
        rows = self.facts.assignments[structure["id"]]
        creators = sorted({row["creator_id"] for row in rows})
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
        with duckdb.connect(str(self.story.harness.path), read_only=True) as publication:
            return simulate(publication, self.statements, facts, proposal)

    def decided(self, table: str, structure_id: UUID, creators: Sequence[UUID]) -> list[Row]:
        """All rows, but those of other structures, which a simulation is not told of."""
        rows = [
            {name: value for name, value in row.items() if name in COLUMNS[table]}
            for row in self.copied.get(table, [])
        ]
        if table == "payout_structures":
            return [row for row in rows if row["id"] == structure_id]
        if table in OF_STRUCTURE:
            return [row for row in rows if row["structure_id"] == structure_id]
        return rows

    def zone_of(self, structure: Row) -> str:
        organization = self.facts.organizations[structure["organization_id"]]
        zone: str = structure["timezone"] or organization["analytics_tz"]
        return zone

    def versions_of(self, structure: Row) -> list[Row]:
        return sorted(self.facts.versions[structure["id"]], key=lambda row: row["number"])

    def assert_in_force_is_what_was_paid(self, structure: Row) -> None:
        """The last version, from its own period on, pays to the cent and post what it paid."""
        last = self.versions_of(structure)[-1]
        zone = self.zone_of(structure)
        from_day = last["created_at"].astimezone(ZoneInfo(zone)).date()
        earned = self.simulate(structure, last, from_day)
        proposed, in_force = (
            [whole(one) for one in earned if one.is_proposed is is_proposed]
            for is_proposed in (True, False)
        )
        assert_same(proposed, in_force, f"simulated, seed {self.story.seed}")
        paid = [
            {name: row[name] for name in TOLD}
            for row in self.story.harness.rows("payout_earnings")
            if row["structure_id"] == structure["id"] and row["period_end"] >= from_day
        ]
        found = [{name: row[name] for name in TOLD} for row in in_force]
        assert_same(found, paid, f"in force, seed {self.story.seed}")

    def assert_another_pays_what_the_rules_say(self, structure: Row, from_day: date) -> None:
        """Any rule of the same shape, from any day on: earlier periods keep the rule they had."""
        versions = self.versions_of(structure)
        rules = self.story.history.rules_of(structure)
        other = {**versions[-1], **rules.terms(versions[-1])}
        begins_at = start_of(from_day, self.zone_of(structure))
        first, *later = versions
        before = min(first["created_at"], begins_at - timedelta(microseconds=1))
        replaced = [
            {**first, "created_at": before},
            *(row for row in later if row["created_at"] < begins_at),
            {**other, "number": len(versions) + 1, "created_at": begins_at, "id": UUID(int=1)},
        ]
        tables = {**self.facts.tables, **self.alone(structure), "payout_versions": replaced}
        told = payouts.Facts(tables, self.story.facts, self.facts.as_of)
        expected = [
            {name: row[name] for name in TOLD}
            for row in payouts.owed(told)
            if row["period_end"] >= from_day
        ]
        earned = self.simulate(structure, as_copied({"one": [other]})["one"][0], from_day)
        found = [
            {name: getattr(one.accrual, name) for name in TOLD} for one in earned if one.is_proposed
        ]
        assert_same(found, expected, f"another rule, seed {self.story.seed}")

    def alone(self, structure: Row) -> dict[str, list[Row]]:
        """Tables in which there is no other structure."""
        assigned = self.facts.assignments[structure["id"]]
        return {"payout_structures": [structure], "payout_assignments": assigned}


def whole(one: Earned) -> Row:
    """An amount with all that is told of it; evidence may name versions, which have other ids."""
    told: dict[str, Any] = {name: getattr(one.accrual, name) for name in TOLD}
    parts = [(part.video_id, part.views, part.amount_cents) for part in one.parts]
    return {**told, "evidence": str(one.evidence), "parts": str(parts)}


@given(seed=SEEDS)
@ONE_NEW
def test_simulations_pay_what_the_rules_say(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    story = PayoutStory(tmp_path_factory.mktemp("lab"), seed, organizations=8, runs=1)
    [facts] = story.play()
    lab = Lab(story, facts)
    random = story.history.random
    paying = [one for one in facts.tables["payout_structures"] if facts.assignments[one["id"]]]
    for structure in random.sample(paying, STRUCTURES):
        with suppress(RoundedFollowers):  # what cannot be told is refused
            lab.assert_in_force_is_what_was_paid(structure)
            from_day = facts.as_of.date() - timedelta(days=random.randrange(60))
            lab.assert_another_pays_what_the_rules_say(structure, from_day)
