"""The current publication as a request reads it, or none before the first."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection

from serving_api.kit.cache import (
    Answer,
    AnswerCache,
    CachedQuery,
    Question,
    Reading,
)
from serving_api.kit.deadlines import Deadlines
from warehouse.publication.current import NoPublication, Opened
from warehouse.publication.info import PublicationInfo
from warehouse.shards.publications import ShardPublications

Counts = TypeVar("Counts")
Pinned = tuple[ExitStack, dict[UUID | None, Opened | None]]
"""Holds a request's publications open: the stack, and the publications found so far."""
Reader = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Counts]]
"""A function of `warehouse.reading` that reads many ids of an organization in one query."""


class Published:
    """Reads of the current publication. Before the first one, everything is unknown.

    With shards, reads the publication that has the organization, otherwise `main`'s.
    """

    def __init__(
        self,
        current: ShardPublications,
        scope: UUID | None = None,
        answers: AnswerCache | None = None,
        deadlines: Deadlines | None = None,
    ) -> None:
        self._current = current
        self._scope = scope
        self.answers = answers or AnswerCache()
        self.deadlines = deadlines or Deadlines()

    def of(self, organization_id: UUID) -> "Published":
        """Return reads of the publication that has the organization."""
        return Published(self._current, organization_id, self.answers, self.deadlines)

    @contextmanager
    def cursor(self) -> Iterator[DuckDBPyConnection | None]:
        """Yield a cursor on the current publication, or None before the first."""
        with self.reading() as reading:
            yield reading[0] if reading else None

    @contextmanager
    def reading(self) -> Iterator[Reading | None]:
        """Yield (cursor, publication), or None before the first publication.

        A query past its deadline raises duckdb.InterruptException: see `deadlines`.
        """
        with self._lease() as opened:
            if opened is None:
                yield None
                return
            with opened.cursor() as cursor, self.deadlines.over(cursor):
                yield cursor, opened.info

    @contextmanager
    def pinned(self) -> Iterator["Published"]:
        """Yield reads that all use the same publication."""
        with ExitStack() as stack:
            yield self._pinned(self._scope, (stack, {}))

    @contextmanager
    def pinned_at(self, publication_id: UUID | None) -> Iterator["Published"]:
        """Yield reads of this publication, even if it is no longer current.

        Without one, everything is unknown. Raises NoPublication if it is gone: publications are
        kept for a day after they are replaced.
        """
        with ExitStack() as stack:
            opened = (
                stack.enter_context(self._current.lease_of(publication_id, self._scope))
                if publication_id
                else None
            )
            yield self._pinned(self._scope, (stack, {self._scope: opened}))

    def publication_id(self) -> UUID | None:
        """Return the id of the publication read, or None before the first."""
        with self._lease() as opened:
            return opened.info.publication_id if opened else None

    @contextmanager
    def of_all_shards(self) -> Iterator[Mapping[str, Opened]]:
        """Yield the current publications by shard; only one without sharding."""
        with self._current.leases() as opened:
            yield opened

    def is_of_other_models(self) -> bool:
        """Return whether another version of the models built a current publication."""
        return any(info.is_of_other_models for info in self._current.infos().values())

    def look_up(
        self, read: Reader[Counts], organization_id: UUID, ids: Sequence[UUID]
    ) -> Mapping[UUID, Counts]:
        """Return the values known for the ids, in one query."""
        if not ids:
            return {}
        with self.of(organization_id).cursor() as cursor:
            return read(cursor, organization_id, ids) if cursor else {}

    def cached(
        self,
        work_out: Callable[[DuckDBPyConnection, Question], Answer],
        question: Question,
        rows: Callable[[Answer], int],
    ) -> tuple[Answer, PublicationInfo] | None:
        """Return the computed result and its publication, or None before the first publication.

        Results are cached: see `cache`.
        """
        computation = CachedQuery(self._scope, work_out, question, rows)
        with self._lease() as leased:
            if leased and (answer := self.answers.cached(leased.info, computation)) is not None:
                return answer, leased.info
        with self.reading() as opened:
            return (self.answers.answer(opened, computation), opened[1]) if opened else None

    def ask_again(self, computation: CachedQuery[Any, Any]) -> None:
        """Compute a query on the current publication before it is requested."""
        with Published(self._current, computation.scope).reading() as opened:  # without deadline
            if opened:
                self.answers.prepare(opened, computation)

    def targets(self) -> Mapping[str, UUID]:
        """Return the current publication ids by shard."""
        return {shard: info.publication_id for shard, info in self._current.infos().items()}

    def _pinned(self, scope: UUID | None, pinned: Pinned) -> "Published":
        return _Pinned(self._current, scope, self.answers, self.deadlines, pinned)

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self._current.lease(self._scope))
            except NoPublication:
                opened = None
            yield opened


class _Pinned(Published):
    """Reads of pinned publications, by one thread at a time."""

    def __init__(
        self,
        current: ShardPublications,
        scope: UUID | None,
        answers: AnswerCache,
        deadlines: Deadlines,
        pinned: Pinned,
    ) -> None:
        super().__init__(current, scope, answers, deadlines)
        self._pins = pinned

    def of(self, organization_id: UUID) -> Published:
        """Return reads of the publication that has it, pinned for the same time."""
        return self._pinned(organization_id, self._pins)

    @contextmanager
    def pinned(self) -> Iterator[Published]:
        """Yield itself."""
        yield self

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        stack, leases = self._pins
        if self._scope not in leases:
            leases[self._scope] = stack.enter_context(super()._lease())
        yield leases[self._scope]
