"""`/projects/{project_id}/conversion-events`."""

from uuid import UUID

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    Conflict,
    ConversionEventExists,
    ConversionEventNotFound,
    InsufficientRole,
    LimitReached,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.conversion_events import schemas, service

router = keyed_router("conversion events")

EVENTS = "/projects/{project_id}/conversion-events"
EVENT = EVENTS + "/{event_id}"


@router.get(EVENTS)
def list_conversion_events(
    *, context: Reader, project_id: UUID, query: Params[schemas.ConversionEventQuery]
) -> Envelope[list[schemas.ConversionEvent]]:
    """List a project's conversion events. The newest comes first. `meta.count` is their number."""
    listed = service.list_events(context, project_id, query)
    return Envelope(data=listed, meta={"count": len(listed)})


@router.post(EVENTS, status_code=201, responses=answers(ConversionEventExists, LimitReached))
@idempotent()
def create_conversion_event(
    *, context: Writer, project_id: UUID, body: schemas.NewConversionEvent
) -> Envelope[schemas.ConversionEvent]:
    """Create a kind of outcome to record."""
    return Envelope(data=service.create(context, project_id, body))


@router.get(EVENT, responses=answers(ConversionEventNotFound))
def get_conversion_event(
    *, context: Reader, project_id: UUID, event_id: UUID
) -> Envelope[schemas.ConversionEvent]:
    """Return one conversion event, active or not."""
    return Envelope(data=service.read_event(context, project_id, event_id))


@router.patch(EVENT, responses=answers(ConversionEventNotFound, LimitReached))
def change_conversion_event(
    *, context: Writer, project_id: UUID, event_id: UUID, changes: schemas.ConversionEventChanges
) -> Envelope[schemas.ConversionEvent]:
    """Change, deactivate or reactivate a conversion event."""
    return Envelope(data=service.change(context, project_id, event_id, changes))


@router.delete(EVENT, responses=answers(Conflict, ConversionEventNotFound, InsufficientRole))
def delete_conversion_event(
    *, context: Writer, project_id: UUID, event_id: UUID, query: Params[schemas.RemovalQuery]
) -> Envelope[schemas.RemovedEvent]:
    """Deactivate a conversion event, or delete it and its conversions permanently with `mode=hard`.

    `meta.conversions_affected` is the number of its conversions. An event that a used payout
    structure names cannot be deleted: the error is `conflict` with `meta.reason` `event_in_use`
    and `meta.structure_ids`.
    """
    remove = service.delete if query.is_hard else service.deactivate
    removed, affected = remove(context, project_id, event_id)
    return Envelope(data=removed, meta={"conversions_affected": affected})
