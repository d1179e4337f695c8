"""Pages of creators in the order of a column."""

from collections.abc import Mapping
from typing import Literal
from uuid import UUID

from sqlalchemy import Select

from serving_api.kit.envelope import Page, PageMeta
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.creators.repository import (
    NO_POSTS,
    filtered,
    post_counts,
    present,
)
from serving_api.resources.tracking.creators.schemas import Creator, CreatorQuery
from warehouse.operational import models
from warehouse.reading.accounts import followers_of_creators

CreatorColumn = Literal["name", "followers", "posts_tracked"]


def read_by_column(
    context: RequestContext,
    query: CreatorQuery,
    column: CreatorColumn | Mapping[UUID, float | None],
    *,
    descending: bool,
    offset: int,
) -> Page[Creator]:
    """Return one page of creators by a column, or by the values of another.

    Unknown values are last in both directions.
    """
    statement = filtered(context.session, context.organization_id, query)
    values: Mapping[UUID, str | float | None] = (
        _values(context, statement, column)
        if isinstance(column, str)
        else {
            creator_id: column.get(creator_id)
            for creator_id in context.session.scalars(
                statement.with_only_columns(models.Creator.id)
            )
        }
    )
    known = sorted(
        (creator_id for creator_id, value in values.items() if value is not None),
        key=lambda creator_id: (values[creator_id], creator_id),
        reverse=descending,
    )
    unknown = sorted(creator_id for creator_id, value in values.items() if value is None)
    ids = [*known, *unknown][offset : offset + query.limit]
    listed = context.session.scalars(statement.where(models.Creator.id.in_(ids)))
    rows = {row.id: row for row in listed}
    creators = present(context, [rows[creator_id] for creator_id in ids])
    has_more = len(values) > offset + query.limit
    return Page(data=creators, meta=PageMeta(hasMore=has_more, nextCursor=None))


def _values(
    context: RequestContext, statement: Select[models.Creator], column: CreatorColumn
) -> Mapping[UUID, str | float | None]:
    """Return the value of each selected creator."""
    session, organization_id = context.session, context.organization_id
    columns = statement.with_only_columns(models.Creator.id, models.Creator.display_name)
    names: dict[UUID, str | None] = {row.id: row.display_name for row in session.execute(columns)}
    if column == "name":
        return {creator_id: name and name.casefold() for creator_id, name in names.items()}
    if column == "posts_tracked":
        ids = statement.with_only_columns(models.Creator.id)
        counts = post_counts(session, organization_id, ids)
        none = NO_POSTS
        return {creator_id: counts.get(creator_id, none).tracked for creator_id in names}
    with context.marts.cursor() as cursor:
        followers = followers_of_creators(cursor, organization_id) if cursor else {}
    return {creator_id: followers.get(creator_id) for creator_id in names}
