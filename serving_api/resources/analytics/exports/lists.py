"""Datasets that are lists of the API: creators, videos, campaigns. Newest first, like those."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Select
from sqlalchemy.orm import Session

from serving_api.kit.csv import Cell
from serving_api.kit.cursor import SEAL, Cursor
from serving_api.kit.pagination import Keyset
from serving_api.kit.published import Published
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.analytics.exports.scope import added_in, require_scope

CHUNK = 500
"""Rows that are in memory at once. Notes may be 50,000 characters long."""

Row = TypeVar("Row")
Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ListDataset(Generic[Row, Item]):
    """A list: which rows, in which order, and how they are shown.

    `select` gives the rows of an organization that project_id and campaign_id leave.
    """

    schema: type[Item]
    keyset: Keyset
    select: Callable[[Session, UUID, ExportQuery], Select[Row]]
    present: Callable[[Session, Published, UUID, Sequence[Row]], Sequence[Item]]

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page; see Dataset."""
        organization_id = source.caller.organization_id
        keyset = Keyset(self.keyset.at, self.keyset.id, f"exports/{name}/{organization_id}")
        with source.sessions() as session:
            require_scope(session, organization_id, query)
            rows = self.select(session, organization_id, query)
            rows = added_in(rows, self.keyset.at, source.caller, query)
            seal = session.info[SEAL]
            after = Cursor.decode(query.cursor, keyset.listing, seal) if query.cursor else None
            last = _last_of_page(session, keyset.after(rows, after), keyset, query.limit)
        columns = columns_of(self.schema)
        items = self._items(source, rows, keyset, after)
        cells: Iterator[Sequence[Cell]] = (
            row_of(columns, item) for item in islice(items, query.limit)
        )
        following = last.encode(keyset.listing, seal) if last else None
        return Export([column.name for column in columns], cells, following)

    def _items(
        self, source: Source, rows: Select[Row], keyset: Keyset, after: Cursor | None
    ) -> Iterator[Item]:
        """Yield the items after a place, a chunk in memory at a time, all of one publication."""
        organization_id = source.caller.organization_id
        with source.numbers.held() as numbers:
            while True:
                with source.sessions() as session:
                    chunk = session.scalars(keyset.after(rows, after).limit(CHUNK)).all()
                    items = self.present(session, numbers, organization_id, chunk)
                yield from items
                if len(chunk) < CHUNK:
                    return
                after = keyset.place_of(chunk[-1])


def _last_of_page(session: Session, rows: Select[Any], keyset: Keyset, limit: int) -> Cursor | None:
    """Return the place of the page's last row if another one follows it: the header comes first."""
    places = rows.with_only_columns(keyset.at, keyset.id).offset(limit - 1).limit(2)
    found = session.execute(places).all()
    return Cursor(*found[0]) if len(found) > 1 else None
