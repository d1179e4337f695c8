"""`/analytics/annotations`."""

from typing import Annotated

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    AutoAnnotation,
    InsufficientRole,
    InvalidBody,
    InvalidCursor,
    InvalidParams,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.repeatable import repeatable
from serving_api.openapi import answers
from serving_api.resources.analytics.annotations import schemas, service
from serving_api.resources.analytics.series.endpoints import ParamsRoute

router = keyed_router("annotations", ParamsRoute)


@router.get("/analytics/annotations", responses=answers(InvalidCursor, InvalidParams, NotFound))
@repeatable()
def list_annotations(
    *, context: Reader, query: Annotated[schemas.AnnotationQuery, Query()]
) -> Page[schemas.Annotation]:
    """List an entity's annotations in a range of days. The newest comes first.

    Includes automatic ones, and those of the entity's parents: its campaigns, and a video's
    creator.
    """
    return service.list_annotations(context, query)


@router.post("/analytics/annotations", status_code=201, responses=answers(InvalidBody, NotFound))
@idempotent()
def create_annotation(
    *, context: Writer, body: schemas.NewAnnotation
) -> Envelope[schemas.Annotation]:
    """Annotate an instant of a creator's, campaign's or video's analytics."""
    return Envelope(data=service.create(context, body))


@router.patch(
    "/analytics/annotations/{annotation_id}",
    responses=answers(AutoAnnotation, InsufficientRole, InvalidBody, InvalidParams, NotFound),
)
def change_annotation(
    *, context: Writer, annotation_id: str, changes: schemas.AnnotationChanges
) -> Envelope[schemas.Annotation]:
    """Change your own annotation, or as an org admin anyone's. Automatic ones cannot be changed."""
    return Envelope(data=service.change(context, annotation_id, changes))


@router.delete(
    "/analytics/annotations/{annotation_id}",
    responses=answers(AutoAnnotation, InsufficientRole, InvalidParams, NotFound),
)
def delete_annotation(*, context: Writer, annotation_id: str) -> Envelope[Deleted]:
    """Delete your own annotation, or as an org admin anyone's. Automatic ones cannot be deleted."""
    service.delete(context, annotation_id)
    return Envelope(data=Deleted())
