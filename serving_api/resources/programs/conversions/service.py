"""Reading and withdrawing conversions; writing them is `recording`'s."""

from uuid import UUID

from serving_api.errors import InvalidQuery, NotFound
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import read_slice
from serving_api.resources.organization.projects import repository as projects
from serving_api.resources.programs.conversions import presenter, repository, schemas
from warehouse.operational import models
from warehouse.operational.base import business_now
from warehouse.operational.session import WriteSession


def list_conversions(
    errand: Errand, project_id: UUID, query: schemas.ConversionQuery
) -> Page[schemas.Conversion]:
    """Return a page of the project's conversions, the latest to occur first.

    Raises NotFound, and InvalidQuery for a range that ends before it begins.
    """
    project = projects.require(errand.session, errand.organization_id, project_id)
    if query.since is not None and query.until is not None and query.until < query.since:
        raise InvalidQuery.at("to", "must not be earlier than from")
    statement = repository.filtered(project, query)
    found = read_slice(errand.session, statement, repository.LATEST_FIRST.of(project_id), query)
    return found.page(lambda rows: presenter.present(errand.session, project, rows))


def read_conversion(errand: Errand, project_id: UUID, conversion_id: UUID) -> schemas.Conversion:
    """Return one conversion, voided or not. Raises NotFound."""
    project = projects.require(errand.session, errand.organization_id, project_id)
    conversion = repository.find(errand.session, project, conversion_id)
    if conversion is None:
        raise NotFound.named("Conversion")
    return presenter.present(errand.session, project, [conversion])[0]


def void(
    errand: WriteErrand,
    project_id: UUID,
    conversion_id: UUID,
    voiding: schemas.Voiding,
) -> schemas.Conversion:
    """Take a conversion out of all totals; one that is voided stays as it is. Raises NotFound."""
    project = projects.require(errand.session, errand.organization_id, project_id)
    conversion = _locked(errand.session, project, conversion_id)
    if conversion.voided_at is None:
        conversion.voided_at = business_now(errand.session)
        conversion.voided_reason = voiding.reason
        errand.session.flush()
    return presenter.present(errand.session, project, [conversion])[0]


def delete(errand: WriteErrand, project_id: UUID, conversion_id: UUID) -> schemas.DeletedConversion:
    """Delete a conversion for good: its external_id is free again.

    Raises InsufficientScope, InsufficientRole and NotFound.
    """
    errand.caller.require_scope("admin")
    project = projects.require(errand.session, errand.organization_id, project_id)
    repository.delete(errand.session, _locked(errand.session, project, conversion_id))
    return schemas.DeletedConversion(id=conversion_id)


def _locked(
    session: WriteSession, project: models.Project, conversion_id: UUID
) -> models.Conversion:
    conversion = repository.lock(session, project, conversion_id)
    if conversion is None:
        raise NotFound.named("Conversion")
    return conversion
