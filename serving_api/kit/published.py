"""The current publication, as a request reads it: numbers that were computed, or none yet."""

from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, nullcontext
from typing import Annotated, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection
from fastapi import Depends, Request

from serving_api.services import services_of
from warehouse.publication.current import CurrentPublication, NoPublication, Opened
from warehouse.publication.info import PublicationInfo

Counts = TypeVar("Counts")
Reader = Callable[[DuckDBPyConnection, UUID, Sequence[UUID]], Mapping[UUID, Counts]]
"""A function of `warehouse.reading` that looks many ids of one organization up at once."""


class Published:
    """Reads of the current publication. Before the first one, nothing is known of anything."""

    def __init__(self, current: CurrentPublication) -> None:
        self._current = current

    @contextmanager
    def cursor(self) -> Iterator[DuckDBPyConnection | None]:
        """Yield a cursor on the current publication, None where there is none yet."""
        with self.reading() as found:
            yield found[0] if found else None

    @contextmanager
    def reading(self) -> Iterator[tuple[DuckDBPyConnection, PublicationInfo] | None]:
        """Yield a cursor and which publication it is on, None where there is none yet."""
        with self._lease() as opened, opened.cursor() if opened else nullcontext() as cursor:
            yield (cursor, opened.info) if opened and cursor else None

    @contextmanager
    def held(self) -> Iterator["Published"]:
        """Yield reads that all are of the publication that the first of them finds."""
        with ExitStack() as kept:
            yield _Held(self._current, kept)

    def is_of_other_models(self) -> bool:
        """Tell whether an earlier version of the models computed the current publication."""
        with self._lease() as opened:
            return opened is not None and opened.info.is_of_other_models

    def look_up(
        self, read: Reader[Counts], organization_id: UUID, ids: Sequence[UUID]
    ) -> Mapping[UUID, Counts]:
        """Return what is known of the ids: one query, whatever their number."""
        if not ids:
            return {}
        with self.cursor() as cursor:
            return read(cursor, organization_id, ids) if cursor else {}

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        with ExitStack() as stack:
            try:
                opened = stack.enter_context(self._current.lease())
            except NoPublication:
                opened = None
            yield opened


class _Held(Published):
    """Reads of one publication, by one thread at a time; `kept` has it until it is closed."""

    def __init__(self, current: CurrentPublication, kept: ExitStack) -> None:
        super().__init__(current)
        self._kept = kept
        self._found: list[Opened | None] = []

    @contextmanager
    def held(self) -> Iterator[Published]:
        """Yield itself."""
        yield self

    @contextmanager
    def _lease(self) -> Iterator[Opened | None]:
        if not self._found:
            self._found.append(self._kept.enter_context(super()._lease()))
        yield self._found[0]


async def _numbers(request: Request) -> AsyncIterator[Published]:
    # A coroutine: FastAPI would send a function to a worker thread and wait for it.
    with services_of(request).published.held() as numbers:
        yield numbers


Numbers = Annotated[Published, Depends(_numbers, scope="function")]
"""What was published, as a request reads it: all of one publication until the answer is made."""
