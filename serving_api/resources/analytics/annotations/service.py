"""`/analytics/annotations`."""

from functools import partial
from uuid import UUID

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import AutoAnnotation, InsufficientRole, InvalidParams, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.cursor import SEAL, BegunCursor, Cursor, Seal
from serving_api.kit.days import day_range, today_in
from serving_api.kit.envelope import Deleted, Envelope, Page, PageMeta
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, lock_own, rows_of
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.analytics.annotations import schemas
from serving_api.resources.analytics.annotations.schemas import Scope
from serving_api.resources.analytics.annotations.sources import AnnotationQuestion
from serving_api.resources.analytics.annotations.timeline import FIRST, newest, stored_id
from serving_api.resources.analytics.series import service as entities
from serving_api.resources.analytics.series.service import ParamsRoute
from warehouse.operational import models
from warehouse.operational.base import business_time
from warehouse.operational.models import Annotation
from warehouse.operational.session import WriteSession
from warehouse.reading.milestones import milestones


def clear(session: WriteSession, organization_id: UUID, scope: Scope, entity_id: UUID) -> None:
    """Delete the annotations of an entity that is being deleted."""
    on_entity = rows_of(Annotation, organization_id).where(
        Annotation.scope == scope, Annotation.entity_id == entity_id
    )
    for annotation in session.scalars(on_entity):
        session.delete(annotation)
    session.flush()


def create(context: WriteContext, body: schemas.NewAnnotation) -> schemas.Annotation:
    """Annotate a creator, campaign or video. Raises NotFound."""
    _require_entity(context, body.scope, body.entity_id)
    row = models.Annotation(
        organization_id=context.organization_id,
        author_id=context.caller.user_id,
        **body.model_dump(),
    )
    context.session.add(row)
    context.session.flush()
    return _annotation(row, context.caller.display_name)


def _build_question(
    context: RequestContext, query: schemas.AnnotationQuery, before: Cursor
) -> AnnotationQuestion:
    """Return the query of a page and one more row, which shows that another page follows."""
    zone = context.caller.analytics_tz
    today = today_in(zone, context.now)
    days = day_range(query, zone=zone, today=today, refusal=InvalidParams)
    start, until = days.instants()
    return AnnotationQuestion(
        organization_id=context.organization_id,
        scope=query.scope,
        entity_ids=[query.entity_id],
        start=start,
        until=until,
        before=before,
        limit=query.limit + 1,
    )


def _own(context: WriteContext, annotation_id: str) -> models.Annotation:
    """Lock and return the annotation if the caller wrote it or is an org admin.

    Raises AutoAnnotation, NotFound and InsufficientRole.
    """
    row_id = stored_id(annotation_id)
    if row_id is None:
        raise AutoAnnotation
    row = lock_own(context, Annotation, row_id, "Annotation", key_share=False)
    if row.author_id != context.caller.user_id:
        context.caller.require_org_admin()
    return row


def _require_entity(context: RequestContext, scope: schemas.Scope, entity_id: UUID) -> None:
    if entity_id not in entities.labels_of(
        context.session, context.organization_id, scope, [entity_id]
    ):
        raise NotFound.named(scope.capitalize())


def _annotation(row: models.Annotation, author_name: str | None) -> schemas.Annotation:
    return from_row(
        schemas.Annotation,
        row,
        id=str(row.id),
        source="user",
        kind="user",
        author_name=author_name,
        entity_label=None,
    )


router = keyed_router("annotations", ParamsRoute)


@router.get("/analytics/annotations", responses=answers(InvalidParams, NotFound))
def list_annotations(
    *, context: Reader, query: Params[schemas.AnnotationQuery]
) -> Page[schemas.Annotation]:
    """List an entity's annotations in a range of days. The newest comes first.

    Includes automatic ones, and those of the entity's parents: its campaigns, and a video's
    creator.
    """
    seal: Seal = context.session.info[SEAL]
    listing = f"annotations/{query.scope}/{query.entity_id}"
    begun = BegunCursor.decode(query.cursor, listing, seal) if query.cursor is not None else None
    before = Cursor(begun.at, begun.id) if begun else FIRST
    with business_time(context.session, begun.begun_at if begun else None) as begun_at:
        annotation_query = _build_question(context, query, before)
    _require_entity(context, query.scope, query.entity_id)
    with context.marts.cursor() as cursor:
        known = partial(milestones, cursor, context.organization_id) if cursor else None
        annotations = newest(context.session, known, annotation_query)
    page = annotations[: query.limit]
    following = None
    if len(annotations) > query.limit:
        last = page[-1].position
        following = BegunCursor(begun_at, 0, last.at, last.id).encode(listing, seal)
    return Page(
        data=[placed.annotation for placed in page],
        meta=PageMeta(hasMore=following is not None, nextCursor=following),
    )


@router.post("/analytics/annotations", status_code=201, responses=answers(NotFound))
@idempotent()
def create_annotation(
    *, context: Writer, body: schemas.NewAnnotation
) -> Envelope[schemas.Annotation]:
    """Annotate an instant of a creator's, campaign's or video's analytics."""
    return Envelope(data=create(context, body))


@router.patch(
    "/analytics/annotations/{annotation_id}",
    responses=answers(AutoAnnotation, InsufficientRole, InvalidParams),
)
def change_annotation(
    *, context: Writer, annotation_id: str, changes: schemas.AnnotationChanges
) -> Envelope[schemas.Annotation]:
    """Change your own annotation, or as an org admin anyone's. Automatic ones cannot be changed."""
    row = _own(context, annotation_id)
    changes.apply_to(row, *changes.model_fields_set)
    context.session.flush()
    author = context.session.get_one(models.User, row.author_id)
    return Envelope(data=_annotation(row, author.display_name))


@router.delete(
    "/analytics/annotations/{annotation_id}",
    responses=answers(AutoAnnotation, InsufficientRole, InvalidParams),
)
def delete_annotation(*, context: Writer, annotation_id: str) -> Envelope[Deleted]:
    """Delete your own annotation, or as an org admin anyone's. Automatic ones cannot be deleted."""
    context.session.delete(_own(context, annotation_id))
    context.session.flush()
    return Envelope(data=Deleted())
