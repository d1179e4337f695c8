"""`/projects/{project_id}/inbox`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import InvalidBody, InvalidCursor, InvalidParams, LimitReached, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.tracking.inbox import schemas, service
from serving_api.resources.tracking.videos.schemas import ManyChanged, Video

router = keyed_router("inbox")


@router.get(
    "/projects/{project_id}/inbox", responses=answers(InvalidCursor, InvalidParams, NotFound)
)
def list_project_inbox(
    *,
    errand: Reader,
    project_id: UUID,
    query: Annotated[PageQuery, Query()],
) -> Page[Video]:
    """List the posts of a project that await review, the latest found first."""
    return service.list_inbox(errand, project_id, query)


@router.patch(
    "/projects/{project_id}/inbox",
    responses=answers(InvalidBody, InvalidParams, LimitReached, NotFound),
)
def review_project_inbox(
    *, errand: Writer, project_id: UUID, review: schemas.Review
) -> Envelope[ManyChanged]:
    """Approve up to 200 posts of the inbox, which then count, or exclude them."""
    return Envelope(data=service.review(errand, project_id, review))
