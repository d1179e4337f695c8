"""Comments under a project's posts, by page; a cursor holds the last comment's position."""

from contextlib import AbstractContextManager
from dataclasses import replace
from uuid import UUID

from serving_api.kit.computed import pinned
from serving_api.kit.cursor import SEAL, BegunCursor, Seal
from serving_api.kit.published import Published
from serving_api.kit.request_context import RequestContext
from serving_api.resources.comments.collected import handled, presenter, schemas
from serving_api.resources.comments.collected.delays import delays_in
from serving_api.resources.comments.collected.scope import days_of, range_of, scope_in
from warehouse.operational.base import business_time
from warehouse.reading.comments.listing import (
    CommentFilter,
    CommentPage,
    CommentPosition,
    comments_in,
)
from warehouse.reading.comments.scope import Days


def read(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery
) -> schemas.ProjectComments:
    """Return a page. Raises PlanFeatureUnavailable, InvalidCursor, InvalidQuery and NotFound."""
    scope = scope_in(
        context,
        project_id,
        campaign_id=query.campaign_id,
        platform=query.platform,
        creator_id=query.creator_id,
    )
    seal: Seal = context.session.info[SEAL]
    listing = f"comments/{project_id}/{query.sort}"
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    after = CommentPosition(begun.rank, begun.at, begun.id) if begun else None
    page = CommentPage(sort=query.sort, limit=query.limit + 1, after=after)
    with (
        _numbers(context, begun) as numbers,
        business_time(context.session, begun.begun_at if begun else None) as begun_at,
    ):
        days = days_of(range_of(context, query, replace(context, marts=numbers).marts_zone))
        filters = _build_filters(context, project_id, query, days)
        with numbers.cursor() as cursor:
            rows = comments_in(cursor, scope, days, filters, page) if cursor else []
        publications = numbers.publications() if query.sort == "top" else ()
    has_more = len(rows) > query.limit
    following = None
    if has_more:
        position = CommentPosition.of(rows[query.limit - 1])
        last = BegunCursor(begun_at, position.likes, position.at, position.id, publications)
        following = last.encode(listing, seal)
    return schemas.ProjectComments(
        data=presenter.project_comments(
            context.session, context.organization_id, rows[: query.limit]
        ),
        meta=schemas.CommentsMeta(
            hasMore=has_more,
            nextCursor=following,
            not_collected=None if rows or after else delays_in(context, scope),
        ),
    )


def _numbers(
    context: RequestContext, begun: BegunCursor | None
) -> AbstractContextManager[Published]:
    """Pin the marts of a page.

    Pages by likes stay on the first page's publication, because ranks change.
    """
    if begun and begun.publications:
        return pinned(context.marts, begun.publications)
    return context.marts.pinned()


def _build_filters(
    context: RequestContext, project_id: UUID, query: schemas.ProjectCommentsQuery, days: Days
) -> CommentFilter:
    """Return the filters. PostgreSQL knows which comments are handled."""
    marked = (
        handled.ids_in(context.session, context.organization_id, project_id, days.first)
        if query.handled is not None
        else None
    )
    return CommentFilter(
        signal=query.signal,
        sentiment=query.sentiment,
        q=query.q,
        among=marked if query.handled else None,
        but_for=None if query.handled else marked,
    )
