"""Read, void and delete conversions; `recording` writes them."""

from collections.abc import Sequence
from uuid import UUID

from pydantic import TypeAdapter
from sqlalchemy.orm import Session

from serving_api.errors import InvalidQuery
from serving_api.kit.days import require_order
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import columns_of, require_row
from serving_api.resources.organization import projects
from serving_api.resources.programs.conversions import repository, schemas
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.models import Conversion, ConversionEvent, Project
from warehouse.operational.session import WriteSession

_MANY = TypeAdapter(list[schemas.Conversion])


def present(
    session: Session, project: Project, rows: Sequence[Conversion]
) -> list[schemas.Conversion]:
    events = repository.events_of(session, project, rows)
    # One call, because there may be hundreds.
    return _MANY.validate_python([_present(row, events[row.conversion_event_id]) for row in rows])


def _present(row: Conversion, event: ConversionEvent) -> dict[str, object]:
    return columns_of(
        schemas.Conversion,
        row,
        conversion_event_key=event.key,
        conversion_event_name=event.name,
        currency=event.currency,
        status="recorded" if row.voided_at is None else "voided",
    )


def list_conversions(
    context: RequestContext, project_id: UUID, query: schemas.ConversionQuery
) -> Page[schemas.Conversion]:
    """Return a page of the project's conversions, the latest to occur first.

    Raises NotFound, and InvalidQuery for a range that ends before it begins.
    """
    project = projects.require(context.session, context.organization_id, project_id)
    require_order(query.since, query.until, InvalidQuery)
    statement = repository.filtered(project, query)
    page_slice = read_slice(
        context.session, statement, repository.LATEST_FIRST.of(project_id), query
    )
    return page_slice.page(lambda rows: present(context.session, project, rows))


def read_conversion(
    context: RequestContext, project_id: UUID, conversion_id: UUID
) -> schemas.Conversion:
    """Return one conversion, voided or not. Raises NotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    conversion = require_row(repository.find(context.session, project, conversion_id), "Conversion")
    return present(context.session, project, [conversion])[0]


def void(
    context: WriteContext, project_id: UUID, conversion_id: UUID, voiding: schemas.Voiding
) -> schemas.Conversion:
    """Remove a conversion from all totals; no change if it is voided already. Raises NotFound."""
    project = projects.require(context.session, context.organization_id, project_id)
    conversion = _locked(context.session, project, conversion_id)
    if conversion.voided_at is None:
        conversion.voided_at = business_now(context.session)
        conversion.voided_reason = voiding.reason
        context.session.flush()
    return present(context.session, project, [conversion])[0]


def delete(
    context: WriteContext, project_id: UUID, conversion_id: UUID
) -> schemas.DeletedConversion:
    """Delete a conversion permanently, which frees its external_id.

    Raises InsufficientScope, InsufficientRole and NotFound.
    """
    context.caller.require_scope("admin")
    project = projects.require(context.session, context.organization_id, project_id)
    repository.delete(context.session, _locked(context.session, project, conversion_id))
    return schemas.DeletedConversion(id=conversion_id)


def _locked(
    session: WriteSession, project: models.Project, conversion_id: UUID
) -> models.Conversion:
    return require_row(repository.lock(session, project, conversion_id), "Conversion")
