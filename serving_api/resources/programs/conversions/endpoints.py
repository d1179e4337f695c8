"""`/projects/{project_id}/conversions`."""

from typing import Annotated
from uuid import UUID

from fastapi import Body

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    AccountNotFound,
    ConversionEventInactive,
    ConversionEventNotFound,
    CreatorNotFound,
    InsufficientRole,
    InvalidBatch,
    VideoNotFound,
    VideoUnattributed,
)
from serving_api.http.bodies import BATCH_BYTES, takes_up_to
from serving_api.http.error_handlers import BY_LOCATION
from serving_api.http.keyed_route import KeyedRoute, keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.conversion_events.schemas import RemovalQuery
from serving_api.resources.programs.conversions import recording, schemas, service


class BatchRoute(KeyedRoute):
    """A route whose errors name the invalid row of a batch."""

    refused_by_location = {**BY_LOCATION, "body": InvalidBatch}  # noqa: RUF012 - as the class it refines


router = keyed_router("conversions", BatchRoute)

CONVERSIONS = "/projects/{project_id}/conversions"
CONVERSION = CONVERSIONS + "/{conversion_id}"


@router.get(CONVERSIONS)
def list_conversions(
    *, context: Reader, project_id: UUID, query: Params[schemas.ConversionQuery]
) -> Page[schemas.Conversion]:
    """List a project's conversions. The latest to occur comes first."""
    return service.list_conversions(context, project_id, query)


@router.post(
    CONVERSIONS,
    status_code=201,
    response_model=schemas.RecordedConversions,
    responses=answers(
        AccountNotFound,
        ConversionEventInactive,
        ConversionEventNotFound,
        CreatorNotFound,
        InvalidBatch,
        VideoNotFound,
        VideoUnattributed,
    ),
)
@idempotent()
@takes_up_to(BATCH_BYTES)
def record_conversions(
    *, context: Writer, project_id: UUID, body: schemas.OneOrMany
) -> schemas.RecordedConversions:
    """Record one conversion, or up to 500. Either all are recorded or none.

    A conversion with a known `external_id` is not recorded again: the answer has the existing one,
    and `meta.deduped_count` counts these. In a batch, `meta.index` of an error is the index of the
    invalid row.
    """
    if isinstance(body, schemas.ConversionBatch):
        recorded = recording.record_many(context, project_id, body)
        data: schemas.Conversion | list[schemas.Conversion] = recorded.conversions
    else:
        recorded = recording.record_one(context, project_id, body)
        [data] = recorded.conversions
    return schemas.RecordedConversions(data=data, meta={"deduped_count": recorded.deduped_count})


@router.get(CONVERSION)
def get_conversion(
    *, context: Reader, project_id: UUID, conversion_id: UUID
) -> Envelope[schemas.Conversion]:
    """Return one conversion, voided or not."""
    return Envelope(data=service.read_conversion(context, project_id, conversion_id))


@router.delete(CONVERSION, responses=answers(InsufficientRole))
def void_conversion(
    *,
    context: Writer,
    project_id: UUID,
    conversion_id: UUID,
    query: Params[RemovalQuery],
    voiding: Annotated[schemas.Voiding | None, Body()] = None,
) -> schemas.WithdrawnConversion:
    """Void a conversion, which removes it from totals, or delete it with `mode=hard`."""
    if query.is_hard:
        deleted = service.delete(context, project_id, conversion_id)
        return schemas.WithdrawnConversion(data=deleted)
    reason = voiding or schemas.Voiding()
    voided = service.void(context, project_id, conversion_id, reason)
    return schemas.WithdrawnConversion(data=voided)
