"""Compute queued simulations, a slice of creators at a time.

Each creator is paid separately (money.md M5, M8), so slices add up to the whole if all use the
same rules: a simulation starts again if these change. A slice has as many creators as fit in the
memory of one simulation. After each slice, another organization's simulation comes next.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from uuid import UUID

import duckdb
import structlog

from serving_api.resources.payouts.simulation_jobs import queue
from serving_api.resources.payouts.simulation_jobs.queue import Claim, Lost
from serving_api.resources.payouts.simulations import presenter
from serving_api.resources.payouts.simulations.schemas import CreatorSimulation
from warehouse.operational.models import PayoutSimulation
from warehouse.operational.store import OperationalStore
from warehouse.publication.current import NoPublication, Opened
from warehouse.publication.errors import NotHereYetError
from warehouse.publication.info import PublicationInfo
from warehouse.shards.publications import ShardPublications
from warehouse.simulation import memory
from warehouse.simulation.decided import decided, digest_of_rules
from warehouse.simulation.earning import read_earning
from warehouse.simulation.engine import explained, simulate
from warehouse.simulation.proposal import Proposal

AT_ONCE = 20
"""With 50, a worker needs 112 MiB more memory and a sixth less CPU."""
MORE = 5
"""How many creators a slice grows by after one that fit; one that did not fit is halved."""

NOTHING_PUBLISHED = "nothing is published yet: try again after the first pipeline run"
ON_THE_WAY = "the publication is still being downloaded: try again"
OUTDATED = "an earlier version computed the publication: try again after the next pipeline run"
BROKEN = "it was interrupted, and its publication may be gone: try again"
STRUCTURE_GONE = "the structure was deleted"


class NotComputed(Exception):  # noqa: N818 (reads as what happened)
    """Why a simulation cannot be computed, in words."""


class OutOfTurn(Exception):  # noqa: N818 (reads as what happened)
    """Another organization's simulation comes next."""


class OtherDecisions(Exception):  # noqa: N818 (reads as what happened)
    """The rules differ from those of the earlier creators; carries their digest."""

    def __init__(self, decisions: str) -> None:
        super().__init__(decisions)
        self.decisions = decisions


class Worker:
    """Computes simulations in turns, a slice at a time. Several workers may run in parallel."""

    def __init__(self, store: OperationalStore, current: ShardPublications) -> None:
        self._store = store
        self._current = current

    def work(self) -> Counter[str]:
        """Compute waiting simulations, and return counts by outcome.

        Broken ones are retried later.
        """
        ended: Counter[str] = Counter()
        queue.tidy(self._store)
        while (claim := queue.claim(self._store)) is not None:
            ended.update(self._ended(claim))
        return ended

    def _ended(self, claim: Claim) -> Sequence[str]:
        """Compute it for one turn; return its outcome, or nothing if it has not ended."""
        try:
            error = self._error_of(claim)
            claim.end(error)
        except Lost:
            return ["given up"]
        except OutOfTurn:
            return []
        return ["failed" if error else "succeeded"]

    def _error_of(self, claim: Claim) -> str | None:
        """Return why it cannot be computed, or None if it was. Raises Lost and OutOfTurn."""
        try:
            with self._opened(claim.row) as (publication, info):
                claim.begin(info)
                self._compute(claim, publication)
        except NotComputed as error:
            return str(error)
        except duckdb.Error:
            structlog.get_logger().exception("simulation_failed", simulation=str(claim.row.id))
            return BROKEN
        return None

    @contextmanager
    def _opened(
        self, row: PayoutSimulation
    ) -> Iterator[tuple[duckdb.DuckDBPyConnection, PublicationInfo]]:
        """Yield the publication it was started over, or the current one if that is gone."""
        with ExitStack() as stack:
            opened = self._begun_over(row, stack)
            try:
                current = self._current.lease(row.organization_id, row.project_id)
                opened = opened or stack.enter_context(current)
            except NoPublication:
                raise NotComputed(NOTHING_PUBLISHED) from None
            except NotHereYetError:
                raise NotComputed(ON_THE_WAY) from None
            yield stack.enter_context(opened.cursor()), opened.info

    def _begun_over(self, row: PayoutSimulation, stack: ExitStack) -> Opened | None:
        if row.publication_id is None:
            return None
        with suppress(NoPublication):
            opened = self._current.replaced(row.publication_id)
            stack.callback(opened.database.close)
            return opened
        return None

    def _compute(self, claim: Claim, publication: duckdb.DuckDBPyConnection) -> None:
        statements = read_earning(publication)
        if not statements:
            raise NotComputed(OUTDATED)
        size = AT_ONCE
        while creators := claim.row.creators[claim.row.creators_done :][:size]:
            try:
                simulated = self._simulate(claim, creators, publication, statements)
            except OtherDecisions as other:
                claim.begin_by(other.decisions)
                continue
            except (memory.RoundedFollowers, memory.TooManyReadings) as error:
                if len(creators) == 1:
                    raise NotComputed(_why_not(error, creators[0])) from None
                size = len(creators) // 2
                continue
            claim.store(simulated)
            if claim.row.creators_done < len(claim.row.creators) and claim.gives_way():
                raise OutOfTurn
            size = min(AT_ONCE, size + MORE)

    def _simulate(
        self,
        claim: Claim,
        creators: Sequence[UUID],
        publication: duckdb.DuckDBPyConnection,
        statements: Sequence[str],
    ) -> Sequence[CreatorSimulation]:
        """Return what some creators would have earned, in their order. Raises OtherDecisions."""
        row = claim.row
        scope = (row.organization_id, row.project_id)
        with self._store.read_session() as session:
            decisions = digest_of_rules(session, *scope, row.creators, row.structure_id)
            if decisions != row.decisions:
                raise OtherDecisions(decisions)
            facts = decided(session, *scope, creators, row.structure_id)
        is_new = row.structure_id is None
        if not is_new and not facts["payout_structures"]:
            raise NotComputed(STRUCTURE_GONE)
        proposal = Proposal(*scope, row.rule, creators, row.from_day, row.to_day, row.timezone)
        earned = simulate(publication, statements, facts, proposal)
        amounts = explained(publication, row.organization_id, earned)
        return presenter.by_creator(proposal, amounts, is_new=is_new)


def _why_not(error: Exception, creator: UUID) -> str:
    if isinstance(error, memory.RoundedFollowers):
        return f"creator {creator} has follower goals with counts that the platform rounded"
    return f"the posts of creator {creator} have more than {memory.MOST_READINGS:,} readings"
