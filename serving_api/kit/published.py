"""The current publication, as a request reads it: numbers that were computed, or none yet."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.kit.answer_cache import (
    Answer,
    AnswerCache,
    OwnedQuestion,
    Question,
    Reading,
    Whose,
)
from serving_api.kit.deadlines import Deadlines
from warehouse.publication.current import NoPublication, Opened
from warehouse.publication.info import PublicationInfo
from warehouse.shards.publications import ShardPublications

Counts = TypeVar("Counts")
Pinned = tuple[ExitStack, dict[Whose, Opened | None]]
"""What keeps the publications of a request open, and which it has found so far."""
Reader = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Counts]]
"""A function of `warehouse.reading` that looks many ids of one organization up at once."""


class Published:
    """Reads of the current publication. Before the first one, nothing is known of anything.

    Where there are shards, of the one that has the organization, else of `main`'s.
    """

    def __init__(
        self,
        current: ShardPublications,
        whose: Whose = (None, None),
        answers: AnswerCache | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._current = current
        self._whose = whose
        self._answers = answers or AnswerCache()
        self.deadlines = deadlines or Deadlines()

    def of(self, organization_id: UUID, project_id: UUID | None = None) -> "Published":
        """Return the reads of the publication that has an organization, or one project of it."""
        return Published(
            self._current, (organization_id, project_id), self._answers, self.deadlines
        )

    @contextmanager
    def cursor(self) -> Iterator[DuckDBPyConnection | None]:
        """Yield a cursor on the current publication, None where there is none yet."""
        with self.reading() as reading:
            yield reading[0] if reading else None

    @contextmanager
    def reading(self) -> Iterator[Reading | None]:
        """Yield a cursor and which publication it is on, None where there is none yet.

        A query past its deadline raises duckdb.InterruptException: see `deadlines`.
        """
        with self._lease() as opened:
            if opened is None:
                yield None
                return
            with (
                opened.cursor() as cursor,
                self.deadlines.over(cursor),
            ):
                yield cursor, opened.info

    @contextmanager
    def pinned(self) -> Iterator["Published"]:
        """Yield reads that all are of the publication that the first of them finds."""
        with ExitStack() as stack:
            yield self._pinned(self._whose, (stack, {}))

    @contextmanager
    def pinned_at(self, publications: Sequence[UUID]) -> Iterator["Published"]:
        """Yield reads of these publications, whichever are current by now; of none, of nothing.

        Raises NoPublication where one is gone: they stay a day after they were replaced.
        """
        with ExitStack() as stack:
            opened = (
                stack.enter_context(self._current.lease_of(publications, self._whose[0]))
                if publications
                else None
            )
            yield self._pinned(self._whose, (stack, {self._whose: opened}))

    def publications(self) -> tuple[UUID, ...]:
        """Return which publications are read; none before the first."""
        with self._lease() as opened:
            return opened.publications if opened else ()

    @contextmanager
    def of_all_shards(self) -> Iterator[Mapping[str, Opened]]:
        """Yield the current publications, by shard; one of them where nothing is sharded."""
        with self._current.leases() as opened:
            yield opened

    def is_of_other_models(self) -> bool:
        """Tell whether an earlier version of the models computed any current publication."""
        return any(info.is_of_other_models for info in self._current.infos().values())

    def look_up(
        self, read: Reader[Counts], organization_id: UUID, ids: Sequence[UUID]
    ) -> Mapping[UUID, Counts]:
        """Return what is known of the ids: one query, whatever their number."""
        if not ids:
            return {}
        with self.of(organization_id).cursor() as cursor:
            return read(cursor, organization_id, ids) if cursor else {}

    def worked_out(
        self,
        work_out: Callable[[DuckDBPyConnection, Question], Answer],
        question: Question,
        rows: Callable[[Answer], int],
    ) -> tuple[Answer, PublicationInfo] | None:
        """Return what the publication tells, and which that is; None before the first.

        It is worked out once, and kept: see `kept_answers`.
        """
        computation = OwnedQuestion(self._whose, work_out, question, rows)
        with self.reading() as opened:
            return (self._answers.answer(opened, computation), opened[1]) if opened else None

    def remembered_questions(self) -> list[OwnedQuestion[Any, Any]]:
        """Return what somebody asked that took long to work out, the last asked first."""
        return self._answers.remembered()

    def ask_again(self, computation: OwnedQuestion[Any, Any]) -> None:
        """Have an answer of the current publication ready before somebody asks."""
        with Published(self._current, computation.whose).reading() as opened:  # without deadline
            if opened:
                self._answers.prepare(opened, computation)

    def targets(self) -> Mapping[str, UUID]:
        """Return which publication is current, by shard."""
        return {shard: info.publication_id for shard, info in self._current.infos().items()}

    def _pinned(self, whose: Whose, pinned: Pinned) -> "Published":
        return _Held(self._current, whose, self._answers, self.deadlines, pinned)

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self._current.lease(*self._whose))
            except NoPublication:
                opened = None
            yield opened


class _Held(Published):
    """Reads of one publication, by one thread at a time, until its pins are closed."""

    def __init__(
        self,
        current: ShardPublications,
        whose: Whose,
        answers: AnswerCache,
        deadlines: Deadlines,
        pinned: Pinned,
    ) -> None:
        super().__init__(current, whose, answers, deadlines)
        self._pins = pinned

    def of(self, organization_id: UUID, project_id: UUID | None = None) -> Published:
        """Return the reads of the publication that has them, held as long as this."""
        whose = (organization_id, project_id)
        return self._pinned(whose, self._pins)

    @contextmanager
    def pinned(self) -> Iterator[Published]:
        """Yield itself."""
        yield self

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        stack, leases = self._pins
        if self._whose not in leases:
            leases[self._whose] = stack.enter_context(super()._lease())
        yield leases[self._whose]
