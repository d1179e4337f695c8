"""Current accruals: the amounts of the publication joined with people's decisions."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sized
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection
from sqlalchemy.orm import Session

from serving_api.kit.published import Published
from serving_api.resources.payouts.accruals import repository
from serving_api.resources.payouts.accruals.repository import DecisionRow
from warehouse.operational.base import business_now
from warehouse.operational.session import ReadSession
from warehouse.reading.accruals.accrual import CONTENT, Accrual, Content
from warehouse.reading.accruals.facts import Decision, Facts, Frozen, Moment
from warehouse.reading.accruals.newer import Newer
from warehouse.reading.accruals.published import (
    OwedQuery,
    PublishedState,
    owed,
    published_state,
    subjects_of,
)
from warehouse.reading.accruals.states import SubjectState, states_of

ONCE = "accruals"
"""Key under which a session caches what it computes once."""

MOST_CACHED = 200
"""More subjects are read again: each further decision would cache all of them once more."""
ROWS_OF_AN_AMOUNT = 12
"""An amount takes 2.4 kB, where a cached row takes 200 bytes (`kit.cache`)."""

Result = TypeVar("Result")
Copy = TypeVar("Copy", Frozen, Decision)
CopiesBySubject = Mapping[UUID, Mapping[UUID, Frozen]] | Mapping[UUID, Mapping[UUID, Decision]]


def rows_of_amounts(amounts: Sized) -> int:
    """Return as how many cached rows amounts count."""
    return ROWS_OF_AN_AMOUNT * len(amounts)


@dataclass(frozen=True, slots=True)
class Known:
    """An accrual with the facts and state of its subject."""

    accrual: Accrual
    facts: Facts
    state: SubjectState

    @property
    def corrections(self) -> list[Accrual]:
        """The adjustments of its subject that are in force: not waived."""
        adjustments = (each for each in self.state.accruals if each.kind == "adjustment")
        return [adjustment for adjustment in adjustments if adjustment.status != "void"]


@dataclass(frozen=True, slots=True)
class Accruals:
    """The accruals of an organization in one publication, with the decisions `session` sees.

    `numbers` and `cursor` read that publication. Before the first one `cursor` is None, and
    decided accruals are read from their copies.
    """

    session: Session
    numbers: Published
    cursor: DuckDBPyConnection | None
    organization_id: UUID
    published: PublishedState
    publication_id: UUID | None

    def newer(self) -> Newer:
        """Return what replaces published accruals (`warehouse.reading.accruals`)."""
        return self.once("newer accruals", self._newer)

    def once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Compute once for each publication in a session that reads one snapshot."""
        if not isinstance(self.session, ReadSession):
            return compute()
        results: dict[object, Result] = self.session.info.setdefault(ONCE, {})
        key = (name, self.organization_id, self.publication_id)
        if key not in results:
            results[key] = compute()
        return results[key]

    def _newer(self) -> Newer:
        subjects = self._decided_since()
        accruals = [known.accrual for known in self._known(subjects)]
        return Newer(self.published.moment, subjects, accruals)

    def find(
        self, accrual_ids: Collection[UUID], earnings: Collection[UUID] = ()
    ) -> Mapping[UUID, Known]:
        """Return the accruals with these ids; unknown ids are left out. `earnings` adjust none."""
        ids = list(accrual_ids)
        subjects = dict(repository.subjects_of(self.session, self.organization_id, ids))
        if self.cursor is not None:
            subjects |= subjects_of(self.cursor, self.organization_id, ids)
        known = self._by_id({subjects.get(accrual_id, accrual_id) for accrual_id in ids})
        if not known.keys() >= {*ids}.difference(earnings):
            # A later decision may have created an adjustment, whose id is derived from another.
            known |= self._by_id(self._decided_since())
        return {accrual_id: known[accrual_id] for accrual_id in ids if accrual_id in known}

    def holding(self, versions: Collection[UUID]) -> Collection[UUID]:
        return repository.holding(self.session, self.organization_id, versions)

    def _by_id(self, subjects: Collection[UUID]) -> dict[UUID, Known]:
        return {state.accrual.accrual_id: state for state in self._known(subjects)}

    def _decided_since(self) -> list[UUID]:
        since = self.published.decided_up_to
        return list(repository.decided_since(self.session, self.organization_id, since))

    def _known(self, subjects: Collection[UUID]) -> Iterator[Known]:
        facts_of_subjects = self._facts(subjects) if subjects else []
        decided = {
            facts.structure_id for facts in facts_of_subjects if facts.frozen or facts.decisions
        }
        cadences = repository.cadences(self.session, self.organization_id, decided)
        holding = self.holding(
            {version for facts in facts_of_subjects for version in facts.versions}
        )
        paced = [
            replace(facts, cadence=cadences.get(facts.structure_id), holding=holding)
            for facts in facts_of_subjects
        ]
        states = states_of(paced, self.published.moment)
        for facts in paced:
            state = states[facts.accrual_id]
            for accrual in state.accruals:
                yield Known(accrual, facts, state)

    def _facts(self, subjects: Collection[UUID]) -> list[Facts]:
        scope = (self.session, self.organization_id)
        frozen = _by_subject(map(_frozen, repository.frozen(*scope, subjects)))
        decisions = _by_subject(map(_decision, repository.decisions(*scope, subjects)))
        recomputed = self._owed(tuple(subjects))
        if recomputed is None:
            recomputed = _as_copied(decisions, frozen)
        facts = (
            Facts(subject, recomputed.get(subject), frozen[subject], decisions[subject])
            for subject in subjects
        )
        return [fact for fact in facts if fact.is_known]

    def _owed(self, subjects: tuple[UUID, ...]) -> Mapping[UUID, Content] | None:
        """Return recomputed amounts, or None before the first publication."""
        query = OwedQuery(self.organization_id, subjects)
        if self.cursor is not None and len(subjects) > MOST_CACHED:
            return owed(self.cursor, query)
        answer = self.numbers.cached(owed, query, rows_of_amounts)
        return answer[0] if answer else None


@contextmanager
def accruals_now(session: Session, numbers: Published, organization_id: UUID) -> Iterator[Accruals]:
    """Yield the organization's accruals from one pinned publication."""
    with numbers.of(organization_id).pinned() as marts, marts.reading() as reading:
        answer = marts.cached(published_state, organization_id, lambda _state: 1)
        if reading is None or answer is None:
            state = PublishedState(Moment(business_now(session), 0), 0)
            yield Accruals(session, marts, None, organization_id, state, None)
        else:
            cursor, publication = reading
            publication_id = publication.publication_id
            yield Accruals(session, marts, cursor, organization_id, answer[0], publication_id)


def _as_copied(*kinds: CopiesBySubject) -> Mapping[UUID, Content]:
    """Return the copied amounts by subject, from the latest decision or payment."""
    return {
        subject: copies[subject].content
        for by_subject in kinds
        for subject, copies in by_subject.items()
        if subject in copies
    }


def _by_subject(copies: Iterable[Copy]) -> Mapping[UUID, Mapping[UUID, Copy]]:
    """Group copies by subject, then by accrual. Subjects without copies have an empty mapping."""
    copies_of: dict[UUID, dict[UUID, Copy]] = defaultdict(dict)
    for copy in copies:
        copies_of[copy.content.adjusts_accrual_id or copy.accrual_id][copy.accrual_id] = copy
    return copies_of


def _frozen(row: DecisionRow) -> Frozen:
    return Frozen(row.accrual_id, row.payment_id, row.status == "paid", content_of(row))


def _decision(row: DecisionRow) -> Decision:
    return Decision(row.accrual_id, row.decision, row.note, content_of(row))


def content_of(row: DecisionRow) -> Content:
    return Content(**{name: getattr(row, name) for name in CONTENT})
