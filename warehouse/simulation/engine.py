"""One simulation: a database in memory, filled, computed, and read as publications are."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final
from uuid import UUID

import duckdb

from warehouse.publication.moved import HERE, PUBLICATION, make_views_here, was_moved
from warehouse.publication.sql import quoted_path
from warehouse.reading.accruals.accrual import CONTENT, Accrual
from warehouse.reading.statements import statement
from warehouse.rules import create_rules
from warehouse.simulation.inputs import Tables, fill
from warehouse.simulation.proposal import PROPOSED, Proposal, with_proposal

MOST_READINGS = 500_000
MEMORY = "320MB"
PATIENCE_SECONDS = 10

EARNED: Final = statement(__name__, "earned.sql")
ROUNDED = """
    select count(*)
    from staging.stg_account_snapshots
    where not is_exact and follower_count is not null
"""
READINGS = "select count(*) from marts.video_deltas"
PATH = "select path from duckdb_databases() where path is not null"

_one_at_a_time = Lock()


class TooManyReadings(Exception):  # noqa: N818 (reads as what happened)
    """The creators' posts were read more often than a simulation looks at: MOST_READINGS."""


class RoundedFollowers(Exception):  # noqa: N818 (likewise)
    """Goals of followers are judged by rounded readings as they came; publications lack those."""


class Busy(Exception):  # noqa: N818 (likewise)
    """Other simulations of this process are under way."""


@dataclass(frozen=True, slots=True)
class Part:
    """What one post has of an amount; what no post brought has none."""

    video_id: UUID | None
    views: int | None
    amount_cents: int


@dataclass(frozen=True, slots=True)
class Earned:
    """An amount as an accrual of it has it, with its evidence and its parts by post."""

    accrual: Accrual
    evidence: Mapping[str, Any]
    parts: Sequence[Part]

    @property
    def is_proposed(self) -> bool:
        """Whether the proposed structure pays it, and not the one it stands for."""
        return self.accrual.structure_id == PROPOSED


def simulate(
    publication: duckdb.DuckDBPyConnection,
    statements: Sequence[str],
    facts: Tables,
    proposal: Proposal,
) -> Sequence[Earned]:
    """Return what the proposal, and the structure it stands for, would have paid.

    The periods are those that hold a day that is asked about, as of the publication. Amounts are
    those earned: nobody decided on them or paid them. Raises TooManyReadings, RoundedFollowers
    and Busy.
    """
    [path] = publication.execute(PATH).fetchall()[0]
    with in_turn(), _memory() as memory:
        try:
            fill(memory, with_proposal(facts, proposal), _attached(memory, Path(path)))
            _require_known(memory, proposal)
            for computation in statements:
                memory.execute(computation)
            return _earned(memory, proposal)
        except duckdb.OutOfMemoryException as error:
            raise TooManyReadings from error


def _require_known(memory: duckdb.DuckDBPyConnection, proposal: Proposal) -> None:
    if _counted(memory, READINGS) > MOST_READINGS:
        raise TooManyReadings
    if proposal.version["criteria_type"] == "goals" and _counted(memory, ROUNDED):
        raise RoundedFollowers


def _counted(memory: duckdb.DuckDBPyConnection, query: str) -> int:
    [count] = memory.execute(query).fetchall()[0]
    return int(count)


@contextmanager
def in_turn() -> Iterator[None]:
    """Keep to the memory that one simulation takes, however many are asked for."""
    if not _one_at_a_time.acquire(timeout=PATIENCE_SECONDS):
        raise Busy
    try:
        yield
    finally:
        _one_at_a_time.release()


@contextmanager
def _memory() -> Iterator[duckdb.DuckDBPyConnection]:
    """Yield an empty database called as the models call theirs."""
    with duckdb.connect(config={"threads": 1, "memory_limit": MEMORY}) as memory:
        memory.execute("set TimeZone = 'UTC'")
        memory.execute("set temp_directory = ''")
        memory.execute("attach ':memory:' as warehouse")
        memory.execute("use warehouse")
        create_rules(memory)
        yield memory


def _attached(memory: duckdb.DuckDBPyConnection, path: Path) -> str:
    """Attach the publication; return the database through which it is read where it lies."""
    memory.execute(f"attach {quoted_path(path)} as {PUBLICATION} (read_only)")
    if not was_moved(memory, path.parent):
        return PUBLICATION
    make_views_here(memory, path.parent)
    return HERE


def _earned(memory: duckdb.DuckDBPyConnection, proposal: Proposal) -> list[Earned]:
    asked = {"from_day": proposal.from_day, "to_day": proposal.to_day}
    found = memory.execute(EARNED, asked)
    names = [column[0] for column in found.description or ()]
    return [_one(dict(zip(names, row, strict=True))) for row in found.fetchall()]


def _one(row: Mapping[str, Any]) -> Earned:
    content = {name: row[name] for name in CONTENT}
    return Earned(
        Accrual(accrual_id=row["accrual_id"], status=row["status"], **content),
        json.loads(row["evidence"]),
        [Part(**part) for part in row["parts"] or ()],
    )
