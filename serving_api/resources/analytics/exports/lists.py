"""Datasets that are lists of the API: creators, videos, campaigns. Newest first, like the lists."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Generic, TypeVar
from uuid import UUID

from pydantic import BaseModel
from sqlalchemy import ColumnElement, Select
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.computed import computed_page
from serving_api.kit.cursor import SEAL, Cursor, RowKey
from serving_api.kit.pagination import Keyset
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.exports.columns import columns_of, row_of
from serving_api.resources.analytics.exports.dataset import (
    Export,
    ExportQuery,
    Source,
    dated_in,
    require_scope,
)
from serving_api.resources.analytics.leaderboards import repository, service
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity, Place
from warehouse.csv_cells import Cell
from warehouse.reading.leaderboards import BoardQuestion, Ranked
from warehouse.zones import start_of

CHUNK = 500
"""Rows in memory at once. Notes may be 50,000 characters long."""

Row = TypeVar("Row")
Item = TypeVar("Item", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class ListDataset(Generic[Row, Item]):
    """A list: its rows, their order and their answer.

    `select` returns an organization's rows filtered by project_id and campaign_id. `since` is
    that of `dated_in`, by default of when a row was added.
    """

    schema: type[Item]
    keyset: Keyset
    select: Callable[[Session, UUID, ExportQuery], Select[Row]]
    present: Callable[[RequestContext, Sequence[Row]], Sequence[Item]]
    since: Callable[[date, str], ColumnElement[bool]] | None = None

    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        organization_id = source.caller.organization_id
        keyset = Keyset(self.keyset.at, self.keyset.id, f"exports/{name}/{organization_id}")
        with source.sessions() as session:
            require_scope(session, organization_id, query)
            rows = self.select(session, organization_id, query)
            rows = dated_in(rows, self.since or self._added_since, source.caller, query)
            seal = session.info[SEAL]
            after = Cursor.decode(query.cursor, keyset.listing, seal) if query.cursor else None
            first, last = _ends_of_page(session, keyset.after(rows, after), keyset, query.limit)
        columns = columns_of(self.schema)
        items = self._items(source, keyset.between(rows, first, last), keyset) if first else ()
        cells: Iterator[Sequence[Cell]] = (row_of(columns, item) for item in items)
        following = last.encode(keyset.listing, seal) if last else None
        return Export([column.name for column in columns], cells, following)

    def _added_since(self, day: date, zone: str) -> ColumnElement[bool]:
        return self.keyset.at >= start_of(day, zone)

    def _items(self, source: Source, rows: Select[Row], keyset: Keyset) -> Iterator[Item]:
        """Yield the items, one chunk in memory at a time."""
        after = None
        while True:
            with source.sessions() as session:
                chunk = session.scalars(keyset.after(rows, after).limit(CHUNK)).all()
                items = self.present(source.context(session, source.numbers), chunk)
            yield from items
            if len(chunk) < CHUNK:
                return
            after = keyset.position_of(chunk[-1])


def _ends_of_page(
    session: Session, rows: Select[Any], keyset: Keyset, limit: int
) -> tuple[Cursor | None, Cursor | None]:
    """Return the position of the page's first row, and of its last one if another page follows.

    The header has the latter before any row is read.
    """
    positions = rows.with_only_columns(keyset.at, keyset.id)
    begins = session.execute(positions.limit(1)).all()
    ends = session.execute(positions.offset(limit - 1).limit(2)).all()
    return (Cursor(*begins[0]) if begins else None), (Cursor(*ends[0]) if len(ends) > 1 else None)


COLUMNS = columns_of(Place[CreatorEntity])


class CampaignLeaderboard:
    def export(self, source: Source, name: str, query: ExportQuery) -> Export:
        """Return the page. Raises InvalidQuery without a project or campaign."""
        caller = source.caller
        if query.project_id is None and query.campaign_id is None:
            raise InvalidQuery.at("project_id", "project_id or campaign_id is required")
        about = f"{query.project_id}/{query.campaign_id}"
        listing = f"exports/{name}/{caller.organization_id}/{about}"
        with (
            source.sessions() as session,
            computed_page(session, source.numbers, listing, query.cursor) as page,
        ):
            context = source.context(session, page.numbers)
            require_scope(session, caller.organization_id, query)
            window = service.window_of(context, page.in_days(query), refusal=InvalidQuery)
            board = service.entries_of(context, window, _build_question(query, page.after))
            days = (window.days.from_day, window.days.to_day)
            following = page.next_cursor(board.rows, query.limit, _key, days)
            page_of_board = replace(board, rows=board.rows[: query.limit])
            find = repository.creators if query.campaign_id else repository.campaigns
            entries = service.present(context, window, page_of_board, find)
        return Export(
            [column.name for column in COLUMNS],
            (row_of(COLUMNS, entry) for entry in entries),
            following,
        )


def _key(row: Ranked) -> RowKey:
    return RowKey(row.rank, id=row.entity_id)


def _build_question(query: ExportQuery, after: RowKey | None) -> BoardQuestion:
    """Return the question of a page and one more row."""
    return BoardQuestion(
        ranked="creator" if query.campaign_id else "campaign",
        metric="views",
        project_id=query.project_id,
        campaign_id=query.campaign_id,
        limit=query.limit + 1,
        after_rank=after.number if after else None,
        after_id=after.id if after else None,
    )
