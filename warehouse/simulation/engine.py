"""One simulation: runs models on facts, and reads results and evidence like a publication."""

import json
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Final
from uuid import UUID

import duckdb
from duckdb import DuckDBPyConnection

from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.accruals.coverage import Published
from warehouse.reading.accruals.holds import OddReading, odd_readings
from warehouse.reading.accruals.published import with_what_was_read
from warehouse.reading.statements import named_rows, statement
from warehouse.simulation.decided import OF_CREATORS, OF_PAYEES, OF_POSTS
from warehouse.simulation.inputs import Row, Tables
from warehouse.simulation.memory import compute, filled, readings_in
from warehouse.simulation.proposal import PROPOSED, Proposal, with_proposal

# Creators are paid independently (money.md M5, M8): the parts add up to the whole.
MOST_POSTS = 1_000
"""The most posts to simulate at once. With more, each part has half as many, or one creator."""


def slices(facts: Tables, proposal: Proposal) -> Iterator[tuple[Tables, Proposal]]:
    """Yield facts and the proposal by groups of creators, in the order of all requested creators.

    A post that several creators owned is in the facts of each.
    """
    if len(facts["videos"]) <= MOST_POSTS:
        yield facts, proposal
        return
    for creators in _together(_posts_of(facts, proposal.creators)):
        yield _about(facts, set(creators)), replace(proposal, creators=creators)


def _posts_of(facts: Tables, creators: Sequence[UUID]) -> dict[UUID, int]:
    posts = dict.fromkeys(sorted(creators), 0)
    for row in (*facts["videos"], *facts["video_owners"]):
        if row["creator_id"] in posts:
            posts[row["creator_id"]] += 1
    return posts


def _together(posts: dict[UUID, int]) -> Iterator[Sequence[UUID]]:
    """Yield creators in groups with about as many posts as a part has.

    Each post counts twice, as tracked and as owned, because results of earlier parts are kept.
    """
    part: list[UUID] = []
    count = 0
    for creator, more in posts.items():
        if part and count + more > MOST_POSTS:
            yield part
            part, count = [], 0
        part.append(creator)
        count += more
    if part:
        yield part


def _about(facts: Tables, creators: Set[UUID]) -> Tables:
    """Return what `decided` finds for only these creators."""
    owned = (*facts["videos"], *facts["video_owners"])
    posts = {row.get("video_id") or row["id"] for row in owned if row["creator_id"] in creators}
    of = dict.fromkeys((*OF_CREATORS, *OF_PAYEES), ("creator_id", creators))
    of |= {"videos": ("id", posts), **dict.fromkeys(OF_POSTS, ("video_id", posts))}
    return {name: _where(rows, *of[name]) if name in of else rows for name, rows in facts.items()}


def _where(rows: Sequence[Row], column: str, ids: Set[UUID]) -> Sequence[Row]:
    return [row for row in rows if row[column] in ids]


EARNED: Final = statement(__name__, "earned.sql")
PARTS: Final = statement(__name__, "parts.sql")
"""Read apart from the amounts: both together need more memory than their database has."""


@dataclass(frozen=True, slots=True)
class PostShare:
    """One post's share of an amount; `video_id` is None for a share without a post."""

    video_id: UUID | None
    views: int | None
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Earned:
    """An amount as its accrual has it, with its evidence and its parts by post.

    `waits_for` are the anomalies behind it, if its rule holds amounts with anomalies.
    """

    accrual: Accrual
    evidence: Mapping[str, Any]
    parts: Sequence[PostShare]
    waits_for: Sequence[OddReading]

    @property
    def is_proposed(self) -> bool:
        """Whether the proposed structure pays it, and not the one it replaces."""
        return self.accrual.structure_id == PROPOSED


def simulate(
    publication: duckdb.DuckDBPyConnection,
    statements: Sequence[str],
    facts: Tables,
    proposal: Proposal,
) -> Sequence[Earned]:
    """Return what the proposal, and the structure it replaces, would have paid.

    The periods are those that include a requested day, as of the publication. Amounts are as
    earned, without any decision, release or payment. Raises TooManyReadings, RoundedFollowers and
    Busy.
    """
    criteria_type = proposal.version["criteria_type"]
    readings = 0
    earned: list[Earned] = []
    for part, of_part in slices(facts, proposal):
        given = with_proposal(part, of_part)
        with filled(publication, given, criteria_type, readings) as memory:
            readings += readings_in(memory)
            compute(memory, statements)
            earned += _earned(memory, of_part)
    return earned


def _earned(memory: duckdb.DuckDBPyConnection, proposal: Proposal) -> list[Earned]:
    parameters = {"from_day": proposal.from_day, "to_day": proposal.to_day}
    parts = _parts(memory, parameters)
    rows = named_rows(memory.execute(EARNED, parameters))
    odd = odd_readings(memory, proposal.organization_id)
    return [
        _one(row, parts.get(row["accrual_id"], ()), odd.get(row["accrual_id"], ())) for row in rows
    ]


def _parts(
    memory: duckdb.DuckDBPyConnection, parameters: Mapping[str, date]
) -> Mapping[UUID, Sequence[PostShare]]:
    """Return the parts of each amount, the largest first."""
    parts: dict[UUID, list[PostShare]] = {}
    for accrual_id, *part in memory.execute(PARTS, parameters).fetchall():
        parts.setdefault(accrual_id, []).append(PostShare(*part))
    return parts


def _one(row: Mapping[str, Any], parts: Sequence[PostShare], odd: Sequence[OddReading]) -> Earned:
    content = {name: row[name] for name in CONTENT}
    return Earned(
        Accrual(accrual_id=row["accrual_id"], status=row["status"], **content),
        json.loads(row["evidence"]),
        parts,
        odd if row["amount_cents"] > 0 else (),
    )


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
