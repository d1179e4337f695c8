"""`/videos/{video_id}/comments`, `/projects/{project_id}/comments`, their signals and flags."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    InvalidBody,
    InvalidCursor,
    InvalidParams,
    InvalidQuery,
    NotFound,
    PlanFeatureUnavailable,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.comments.collected import (
    flags,
    handle_comments,
    of_projects,
    of_videos,
    schemas,
    signal_schemas,
    signals,
)

router = keyed_router("comments")


@router.get(
    "/videos/{video_id}/comments", responses=answers(InvalidQuery, NotFound, PlanFeatureUnavailable)
)
def list_video_comments(
    *, context: Reader, video_id: UUID, query: Annotated[schemas.VideoCommentsQuery, Query()]
) -> schemas.VideoCommentsAnswer:
    """List a post's comments, with a summary of all of them."""
    return of_videos.read(context, video_id, query)


@router.get(
    "/projects/{project_id}/comments",
    responses=answers(InvalidCursor, InvalidQuery, NotFound, PlanFeatureUnavailable),
)
def list_project_comments(
    *, context: Reader, project_id: UUID, query: Annotated[schemas.ProjectCommentsQuery, Query()]
) -> schemas.ProjectComments:
    """List comments under a project's counted posts, by default those of the last 30 days."""
    return of_projects.read(context, project_id, query)


@router.patch(
    "/projects/{project_id}/comments",
    responses=answers(InvalidBody, InvalidParams, NotFound, PlanFeatureUnavailable),
)
def handle_project_comments(
    *, context: Writer, project_id: UUID, handling: schemas.CommentHandling
) -> Envelope[schemas.ManyHandled]:
    """Mark up to 100 comments of a project as handled, or remove the mark."""
    return Envelope(data=handle_comments.decide(context, project_id, handling))


@router.get(
    "/projects/{project_id}/comment-signals",
    responses=answers(InvalidQuery, NotFound, PlanFeatureUnavailable),
)
def get_comment_signals(
    *, context: Reader, project_id: UUID, query: Annotated[schemas.SignalsQuery, Query()]
) -> signal_schemas.CommentSignalsAnswer:
    """Summarize a project's comments, by creator and over time."""
    return signals.read(context, project_id, query)


@router.get(
    "/projects/{project_id}/comment-flags",
    responses=answers(InvalidQuery, NotFound, PlanFeatureUnavailable),
)
def get_comment_flags(
    *, context: Reader, project_id: UUID, query: Annotated[schemas.FlagsQuery, Query()]
) -> Envelope[signal_schemas.CommentFlags]:
    """Return flagged comments, and creators whose comments became less positive."""
    return Envelope(data=flags.read(context, project_id, query))
