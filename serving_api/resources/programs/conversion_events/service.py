"""Read, create, change and delete conversion events."""

from uuid import UUID

from sqlalchemy import Select
from sqlalchemy import delete as delete_from
from sqlalchemy.orm import Session

from serving_api.errors import (
    Conflict,
    ConversionEventExists,
    ConversionEventNotFound,
    InvalidBody,
    LimitReached,
)
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import count_rows, from_row, rows_of
from serving_api.resources.organization import projects
from serving_api.resources.payouts.structures import repository as structures
from serving_api.resources.programs.conversion_events import schemas
from warehouse.operational.models import Conversion, ConversionEvent, Project
from warehouse.operational.session import WriteSession


def of_project(project: Project) -> Select[ConversionEvent]:
    """Select all conversion events of a project, including inactive ones."""
    return rows_of(ConversionEvent, project.organization_id).where(
        ConversionEvent.project_id == project.id
    )


def count_conversions(session: Session, event: ConversionEvent) -> int:
    """Return how many conversions the event has, including voided ones."""
    own = rows_of(Conversion, event.organization_id)
    return count_rows(session, own.where(Conversion.conversion_event_id == event.id))


LIMIT = "max_conversion_events_per_project"


def list_events(
    context: RequestContext, project_id: UUID, query: schemas.ConversionEventQuery
) -> list[schemas.ConversionEvent]:
    """Return the project's events, newest first. Raises NotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    statement = of_project(project).order_by(
        ConversionEvent.created_at.desc(), ConversionEvent.id.desc()
    )
    if not query.include_inactive:
        statement = statement.where(ConversionEvent.is_active)
    return [_event(row) for row in context.session.scalars(statement)]


def create(
    context: WriteContext, project_id: UUID, body: schemas.NewConversionEvent
) -> schemas.ConversionEvent:
    """Create a conversion event.

    Raises NotFound, ConversionEventExists, InvalidBody for capitals in the key, and LimitReached.
    """
    project = projects.lock(context, project_id)
    _require_free_key(context.session, project, body.key)
    _require_slot(context, project)
    event = ConversionEvent(
        organization_id=project.organization_id,
        project_id=project.id,
        key=body.key,
        name=body.name,
        description=body.description,
        default_value_cents=body.default_value_cents or 0,
        currency=body.currency or "USD",
        is_active=True,
        details=body.metadata or {},
    )
    context.session.add(event)
    context.session.flush()
    return _event(event)


def read_event(
    context: RequestContext, project_id: UUID, event_id: UUID
) -> schemas.ConversionEvent:
    """Return one event, active or not. Raises NotFound and ConversionEventNotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    event = context.session.scalar(of_project(project).where(ConversionEvent.id == event_id))
    if event is None:
        raise ConversionEventNotFound
    return _event(event)


def change(
    context: WriteContext, project_id: UUID, event_id: UUID, changes: schemas.ConversionEventChanges
) -> schemas.ConversionEvent:
    """Change an event. Raises NotFound, ConversionEventNotFound, and LimitReached to reactivate."""
    # The project's lock prevents two events from both taking the last slot of the plan.
    project = projects.lock(context, project_id)
    event = _locked(context.session, project, event_id)
    if changes.sends("is_active"):
        if changes.is_active and not event.is_active:
            _require_slot(context, project)
        event.is_active = changes.is_active
    changes.apply_to(event, "name", "description", "default_value_cents", "metadata")
    context.session.flush()
    return _event(event)


def deactivate(
    context: WriteContext, project_id: UUID, event_id: UUID
) -> tuple[schemas.RemovedEvent, int]:
    """Deactivate an event, so that it takes no new conversions; also return how many it has.

    Raises NotFound and ConversionEventNotFound.
    """
    project = projects.require(context.session, context.organization_id, project_id)
    event = _locked(context.session, project, event_id)
    event.is_active = False
    context.session.flush()
    affected = count_conversions(context.session, event)
    return schemas.RemovedEvent(id=event.id, mode="deactivate"), affected


def delete(
    context: WriteContext, project_id: UUID, event_id: UUID
) -> tuple[schemas.RemovedEvent, int]:
    """Delete an event and its conversions permanently; also return how many they were.

    Raises InsufficientScope, InsufficientRole, NotFound, ConversionEventNotFound, and Conflict
    while a payout structure names it.
    """
    context.caller.require_scope("admin")
    project = projects.require(context.session, context.organization_id, project_id)
    event = _locked(context.session, project, event_id, to_delete=True)
    _require_unnamed(context.session, event)
    affected = count_conversions(context.session, event)
    context.session.execute(
        delete_from(Conversion)
        .where(
            Conversion.organization_id == event.organization_id,
            Conversion.conversion_event_id == event.id,
        )
        .execution_options(synchronize_session=False)
    )
    context.session.delete(event)
    context.session.flush()
    return schemas.RemovedEvent(id=event_id, mode="hard"), affected


def _require_free_key(session: WriteSession, project: Project, key: str) -> None:
    in_any_case = of_project(project).where(ConversionEvent.key == key.lower())
    existing = session.scalar(in_any_case)
    if existing is not None:
        raise ConversionEventExists(existing.id, is_active=existing.is_active)
    if key != key.lower():
        raise InvalidBody.at("key", "must be in lower case")


def _require_unnamed(session: WriteSession, event: ConversionEvent) -> None:
    naming = structures.naming_event(session, event)
    if naming:
        raise Conflict(
            "Payout structures pay for this conversion event. Deactivate it instead.",
            reason="event_in_use",
            structure_ids=[str(structure_id) for structure_id in naming],
        )


def _require_slot(context: WriteContext, project: Project) -> None:
    maximum = context.caller.plan.max_conversion_events_per_project
    active = of_project(project).where(ConversionEvent.is_active)
    current = count_rows(context.session, active)
    if current >= maximum:
        raise LimitReached(LIMIT, current=current, maximum=maximum)


def _locked(
    session: WriteSession, project: Project, event_id: UUID, *, to_delete: bool = False
) -> ConversionEvent:
    """Return the event locked for update.

    `to_delete` waits for transactions that record conversions of it. Raises
    ConversionEventNotFound.
    """
    statement = of_project(project).where(ConversionEvent.id == event_id)
    event = session.scalar(statement.with_for_update(key_share=not to_delete))
    if event is None:
        raise ConversionEventNotFound
    return event


def _event(row: ConversionEvent) -> schemas.ConversionEvent:
    return from_row(schemas.ConversionEvent, row)
