"""The comments under a project's posts, a page at a time; a cursor names where the last stands."""

from uuid import UUID

from serving_api.kit.cursor import SEAL, RankedCursor, Seal
from serving_api.kit.errand import Errand
from serving_api.kit.published import Published
from serving_api.resources.comments.collected import presenter, schemas
from serving_api.resources.comments.collected.delays import delays_in
from serving_api.resources.comments.collected.scope import days_of, range_of, scope_in
from warehouse.reading.comments.listing import (
    Comment,
    CommentFilter,
    CommentPage,
    CommentPlace,
    comments_in,
)
from warehouse.reading.comments.scope import CommentScope, Days


def read(
    errand: Errand,
    project_id: UUID,
    query: schemas.ProjectCommentsQuery,
) -> schemas.ProjectComments:
    """Return a page. Raises PlanFeatureUnavailable, InvalidCursor, InvalidQuery and NotFound."""
    scope = scope_in(
        errand,
        project_id,
        campaign_id=query.campaign_id,
        platform=query.platform,
        creator_id=query.creator_id,
    )
    days = days_of(range_of(errand, query))
    seal: Seal = errand.session.info[SEAL]
    listing = f"comments/{project_id}/{query.sort}"
    after = (
        _place(RankedCursor.decode(query.cursor, listing, seal))
        if query.cursor is not None
        else None
    )
    rows = _rows(errand.numbers, scope, days, query, after)
    has_more = len(rows) > query.limit
    following = _cursor(rows[query.limit - 1]).encode(listing, seal) if has_more else None
    return schemas.ProjectComments(
        data=presenter.project_comments(
            errand.session, errand.organization_id, rows[: query.limit]
        ),
        meta=schemas.CommentsMeta(
            hasMore=has_more,
            nextCursor=following,
            not_collected=None if rows or after else delays_in(errand, scope),
        ),
    )


def _rows(
    numbers: Published,
    scope: CommentScope,
    days: Days,
    query: schemas.ProjectCommentsQuery,
    after: CommentPlace | None,
) -> list[Comment]:
    """Return the page and one more, which tells whether there is another."""
    wanted = CommentFilter(signal=query.signal, sentiment=query.sentiment, q=query.q)
    page = CommentPage(sort=query.sort, limit=query.limit + 1, after=after)
    with numbers.cursor() as cursor:
        return comments_in(cursor, scope, days, wanted, page) if cursor else []


def _place(cursor: RankedCursor) -> CommentPlace:
    return CommentPlace(cursor.rank, cursor.at, cursor.id)


def _cursor(comment: Comment) -> RankedCursor:
    place = CommentPlace.of(comment)
    return RankedCursor(place.likes, place.at, place.id)
