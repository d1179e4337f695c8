"""The current publication, as a request reads it: numbers that were computed, or none yet."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from datetime import datetime
from typing import Annotated, TypeVar
from uuid import UUID

from duckdb import DuckDBPyConnection
from fastapi import Depends, Request

from serving_api.services import services_of
from warehouse.publication.current import CurrentPublication, NoPublication
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
        with ExitStack() as stack:
            try:
                found = stack.enter_context(self._current.reading())
            except NoPublication:
                found = None
            yield found

    @contextmanager
    def held(self) -> Iterator["Published"]:
        """Yield reads that stay on the current publication for the whole block."""
        with self.cursor() as cursor:
            yield _Held(self._current, cursor)

    def as_of(self) -> datetime | None:
        """Return until when the current publication's numbers reach; None where there is none."""
        info = self._info()
        return info.as_of if info else None

    def is_of_other_models(self) -> bool:
        """Tell whether an earlier version of the models computed the current publication."""
        info = self._info()
        return info is not None and info.is_of_other_models

    def _info(self) -> PublicationInfo | None:
        try:
            return self._current.info()
        except NoPublication:
            return None

    def look_up(
        self, read: Reader[Counts], organization_id: UUID, ids: Sequence[UUID]
    ) -> Mapping[UUID, Counts]:
        """Return what is known of the ids: one query, whatever their number."""
        if not ids:
            return {}
        with self.cursor() as cursor:
            return read(cursor, organization_id, ids) if cursor else {}


class _Held(Published):
    """Reads of the publication that was current when they began."""

    def __init__(self, current: CurrentPublication, cursor: DuckDBPyConnection | None) -> None:
        super().__init__(current)
        self._cursor = cursor

    @contextmanager
    def cursor(self) -> Iterator[DuckDBPyConnection | None]:
        """Yield the one cursor."""
        yield self._cursor


async def _numbers(request: Request) -> Published:
    # A coroutine: FastAPI would send a function to a worker thread and wait for it.
    return services_of(request).published


Numbers = Annotated[Published, Depends(_numbers)]
