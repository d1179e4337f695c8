"""One random history with everything; each build computes from scratch.

It has weeks with many decisions, then hours with few, then only budgets, then writes that leave
closed periods unchanged. Between builds users approve, pay and revert what they see.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cached_property
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any
from uuid import UUID

from tests.dbt_project.closed_periods import writes_at
from tests.dbt_project.comment_histories import CommentHistory, score
from tests.dbt_project.harness import Harness
from tests.dbt_project.histories import BEGIN, LAST, Row, Step, Tables
from tests.dbt_project.payout_histories import PayoutHistory
from tests.dbt_project.payout_ledger import Ledger
from tests.dbt_project.reaching_histories import ReachingHistory
from tests.dbt_project.stories import as_copied
from tests.doses import dose
from tests.oracles import analytics, payouts
from tests.oracles.comments import World
from tests.oracles.goals import Goals

ORGANIZATIONS = dose(small=20, full=40)
FIRST, AFTER_WEEKS = range(2)
AFTER_HOURS = AFTER_WEEKS + dose(small=1, full=4)
BUDGETED, CLOSED = AFTER_HOURS + 1, AFTER_HOURS + 2
"""The builds, by what happened since the one before; several may be of hours."""

Marts = dict[str, list[dict[str, Any]]]


class WholeHistory(ReachingHistory):
    """After weeks all decisions may change, after hours few."""

    READINGS = PayoutHistory.READINGS
    STRAYS = 0.2
    ASSIGNMENTS = PayoutHistory.ASSIGNMENTS
    LENGTHS = PayoutHistory.LENGTHS

    def as_of(self, run: int) -> datetime:
        if run > AFTER_WEEKS + 1:
            return super().as_of(run)
        minutes = timedelta(minutes=self.random.randrange(5000))
        self.last_run = BEGIN + (LAST - BEGIN) * run / 3 + minutes
        return self.last_run

    def change_decisions(self) -> None:
        if self.turn < AFTER_WEEKS:
            PayoutHistory.change_decisions(self)
        else:
            super().change_decisions()


@dataclass(frozen=True)
class Scoring:
    """Scores and mentions of texts from one scoring run."""

    scores: Mapping[str, Row]
    mentions: Mapping[tuple[UUID, str], list[str]]


@dataclass(frozen=True)
class Build:
    """The facts and decisions of a build, and the warehouse after it."""

    number: int
    step: Step
    scoring: Scoring
    raw: Tables
    """All facts so far, with their batch."""
    comment_world: World
    harness: Harness

    @property
    def as_of(self) -> datetime:
        return self.step.as_of

    @cached_property
    def facts(self) -> payouts.Facts:
        return payouts.Facts(self.step.operational, self.raw, self.as_of)

    @cached_property
    def owed(self) -> list[Row]:
        """Amounts owed by the rules."""
        return payouts.owed(self.facts)

    @cached_property
    def shown(self) -> list[Row]:
        """Accruals that the API shows by the rules."""
        return payouts.shown(self.facts, self.owed)

    def analytics(self) -> Marts:
        """Return the marts of counts, days and goals by the rules."""
        observed = {name: self.raw[name] for name in OBSERVED}
        facts = analytics.Facts(self.as_of, self.step.operational, **observed)
        goals = Goals(self.step.operational, self.raw, self.as_of)
        return {**analytics.marts(facts), "goal_compliance": goals.compliance()}


OBSERVED = ("video_snapshots", "account_snapshots", "scrape_outcomes")
OF_COMMENTS = ("comments", "comment_walks")


class WholeWorld:
    """Plays the history into warehouses with a full build each time."""

    def __init__(self, folder: Path, seed: int) -> None:
        self.folder, self.seed = folder, seed
        self.history = WholeHistory(seed, organizations=ORGANIZATIONS, runs=BUDGETED)
        self.ledger = Ledger(seed, self.history.operational)
        self.comments = CommentHistory(seed)
        self.crawls = self.comments.batches()
        self.raw: Tables = {name: [] for name in (*OBSERVED, *OF_COMMENTS)}
        self.line = folder / "line"
        self.line.mkdir()
        self.harness = Harness(self.line)
        self.builds = list(self._play())

    def _play(self) -> Iterator[Build]:
        for number, step in enumerate(self.history.steps()):
            if number:
                self.comments.change_decisions()
            batches = [*step.batches, *islice(self.crawls, 2)]
            operational = self._with_comments(step.operational)
            yield self._build(number, Step(step.as_of, operational, batches))
            for _ in range(3):
                self._decide()
        last = self.last
        budgeted = {**last.step.operational, "payout_budgets": budgets_for(last.facts, self.seed)}
        yield self._build(BUDGETED, Step(last.as_of, budgeted))
        self.writes = writes = writes_at(last.step.operational, last.as_of, self.seed)
        batches = [{"video_snapshots": writes.readings}]
        yield self._build(CLOSED, Step(last.as_of, writes.tables, batches))

    def _build(self, number: int, step: Step) -> Build:
        for batch in step.batches:
            self.harness.ingest(**batch)
            for table, rows in batch.items():
                numbered = ({**row, "batch_seq": self.harness.batch_seq} for row in rows)
                self.raw[table] += numbered
        scoring = self._scoring(number)
        score(self.harness, scoring.scores, scoring.mentions, score_seq=number + 1)
        self.harness.decide(**as_copied(step.operational))
        self.harness.run(as_of=step.as_of, full_refresh=True)
        copied = self.folder / str(number)
        copied.mkdir()
        raw = {name: list(rows) for name, rows in self.raw.items()}
        world = self._comment_world(step.operational)
        self.last = Build(number, step, scoring, raw, world, self.harness.copy(copied))
        return self.last

    def _decide(self) -> None:
        """Approve, pay and revert what the API shows."""
        facts = payouts.Facts(self.history.operational, self.raw, self.last.as_of)
        accruals = payouts.shown(facts, payouts.owed(facts))
        self.ledger.act(accruals, self.last.as_of + timedelta(minutes=1))

    # Comments: posts of three more organizations, and crawls of the others' posts

    def _with_comments(self, operational: Tables) -> Tables:
        commented = self.comments.operational()
        organizations = [{**row, "payout_settling_days": 0} for row in commented["organizations"]]
        return {
            **operational,
            "organizations": [*operational["organizations"], *organizations],
            "creators": [*operational["creators"], *commented["creators"]],
            "videos": [*operational["videos"], *({**POST, **v} for v in commented["videos"])],
        }

    def _scoring(self, number: int) -> Scoring:
        if number == FIRST:
            scores, mentions = self.comments.scores, self.comments.mentions
        else:
            scores, mentions = self.comments.change_scores()
        history = self.history
        return Scoring({**scores, **history.scores}, {**mentions, **history.mentions})

    def _comment_world(self, operational: Tables) -> World:
        return World(
            {row["id"]: dict(row) for row in operational["videos"]},
            {row["id"]: row["analytics_tz"] for row in operational["organizations"]},
            {**self.comments.scores, **self.history.scores},
            {**self.comments.mentions, **self.history.mentions},
        )


POST: Row = {
    "account_id": None,
    "platform_video_id": None,
    "url": None,
    "posted_at": None,
    "created_at": BEGIN,
    "media_type": None,
    "tracking_disabled": False,
    "plan_limit_paused_at": None,
    "frozen_at": None,
    "stopped_at": None,
    "posted_at_is_estimate": False,
}
"""Columns of a post besides those of commented posts."""


def budgets_for(facts: payouts.Facts, seed: int) -> list[Row]:
    """Random budgets of each project, campaign and structure."""
    random = Random(seed)
    owned: Sequence[tuple[Row, Row]] = [
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
