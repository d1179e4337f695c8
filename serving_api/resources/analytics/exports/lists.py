"""Datasets that are lists of the API: creators, videos, campaigns. Newest first, like those."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import Select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.cursor import SEAL, Cursor, Offset
from serving_api.kit.pagination import Keyset
from serving_api.kit.published import Published
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import Export, Source
from serving_api.resources.analytics.exports.schemas import ExportQuery
from serving_api.resources.analytics.exports.scope import added_in, require_scope
from serving_api.resources.analytics.leaderboards import repository, service
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity, Place
from serving_api.resources.analytics.leaderboards.service import Asked
from warehouse.csv_cells import Cell

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


COLUMNS = columns_of(Place[CreatorEntity])


class CampaignLeaderboard:
    """Places as the leaderboards of analytics have them."""

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page; see Dataset. It needs a project or campaign: raises InvalidQuery."""
        caller = source.caller
        if query.project_id is None and query.campaign_id is None:
            raise InvalidQuery.at("project_id", "project_id or campaign_id is required")
        with source.sessions() as session:
            errand = source.errand(session)
            require_scope(session, caller.organization_id, query)
            window = service.window_of(errand, query, refusal=InvalidQuery)
            seal, listing = session.info[SEAL], f"exports/{name}/{caller.organization_id}"
            start = Offset.decode(query.cursor, listing, seal).rows if query.cursor else 0
            found = service.places_of(errand, window, _asked(query, start))
            find = repository.creators if query.campaign_id else repository.campaigns
            places = service.present(errand, window, found, find)
        end = start + query.limit
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, place) for place in places),
            Offset(end).encode(listing, seal) if end < found.total else None,
        )


def _asked(query: ExportQuery, start: int) -> Asked:
    return Asked(
        ranked="creator" if query.campaign_id else "campaign",
        metric="views",
        project_id=query.project_id,
        campaign_id=query.campaign_id,
        limit=query.limit,
        offset=start,
    )
