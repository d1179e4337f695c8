"""What may happen to a payout structure. Its rules are written by `versions`."""

from uuid import UUID

from serving_api.errors import NotFound, StructureInUse, VersionConflict
from serving_api.kit.envelope import Page
from serving_api.kit.errand import Errand, WriteErrand
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.versions import values_of
from serving_api.resources.organization import projects
from serving_api.resources.payouts.assignments import ending
from serving_api.resources.payouts.structures import (
    bodies,
    presenter,
    repository,
    schemas,
    versions,
)
from warehouse.operational.base import business_now
from warehouse.operational.models import PayoutStructure


def list_structures(errand: Errand, query: schemas.StructureQuery) -> Page[schemas.Structure]:
    """Return a page of the organization's structures, newest first."""
    statement = repository.filtered(errand.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(errand.organization_id)
    found = read_slice(errand.session, statement, keyset, query)
    return found.page(
        lambda rows: presenter.present(errand.session, rows, errand.caller.analytics_tz)
    )


def create(errand: WriteErrand, body: bodies.AnyNewStructure) -> schemas.Created:
    """Make a structure with its version 1.

    Raises NotFound, NotesTooLong, and InvalidBody for what is not of the project.
    """
    project = projects.require(errand.session, errand.organization_id, body.project_id)
    structure = PayoutStructure(
        organization_id=errand.organization_id,
        project_id=project.id,
        name=body.name,
        details=body.metadata or {},
    )
    errand.session.add(structure)
    if body.readme is not None:
        replace_readme(errand.session, structure, body.readme)
    errand.session.flush()
    version = versions.add_first(errand, structure, body)
    return schemas.Created(structure_id=structure.id, version_id=version.id)


def read_structure(errand: Errand, structure_id: UUID) -> schemas.StructureDetail:
    """Return one structure, archived or not, with its history. Raises NotFound."""
    structure = require(errand, structure_id)
    return presenter.present_detail(errand.session, structure, errand.caller.analytics_tz)


def change_looks(
    errand: WriteErrand, structure_id: UUID, changes: bodies.CosmeticChanges
) -> schemas.Structure:
    """Change what pays nobody more or less. Raises NotFound."""
    structure = held(errand, structure_id)
    if changes.sends("name"):
        structure.name = changes.name
    if changes.sends("metadata"):
        structure.details = changes.metadata
    errand.session.flush()
    [shown] = presenter.present(errand.session, [structure], errand.caller.analytics_tz)
    return shown


def change_rule(
    errand: WriteErrand, structure_id: UUID, rule: bodies.AnyRule
) -> schemas.NewVersion:
    """Replace the rule from the period in progress on (money.md M4).

    Raises NotFound, VersionConflict, StructureShapeLocked, and InvalidBody for what is not of the
    project.
    """
    structure = held(errand, structure_id)
    _require_version(errand, structure, rule.expected_version)
    version = versions.add_next(errand, structure, rule)
    return schemas.NewVersion(version_id=version.id, version_number=version.number)


def _require_version(errand: Errand, structure: PayoutStructure, expected: int | None) -> None:
    if expected is None:
        return
    current, *_ = repository.versions(errand.session, structure)
    if expected != current.number:
        [shown] = presenter.present(errand.session, [structure], errand.caller.analytics_tz)
        values = values_of(shown, ("period", "amount_cents", "criteria_params"))
        raise VersionConflict(expected, current.number, values)


def archive(errand: WriteErrand, structure_id: UUID) -> schemas.RemovedStructure:
    """End all assignments today (money.md M5) and take no new ones; repeating it succeeds.

    Raises NotFound.
    """
    structure = held(errand, structure_id)
    if structure.is_active:
        ending.end_of_structure(errand.session, structure, errand.caller.analytics_tz)
        structure.is_active = False
        structure.archived_at = business_now(errand.session)
    return schemas.RemovedStructure(id=structure.id, mode="archive")


def delete(errand: WriteErrand, structure_id: UUID) -> schemas.RemovedStructure:
    """Delete a structure that was never assigned, for good.

    Raises InsufficientScope, InsufficientRole, NotFound and StructureInUse.
    """
    errand.caller.require_scope("admin")
    structure = held(errand, structure_id, to_delete=True)
    if repository.is_used(errand.session, structure):
        raise StructureInUse
    for each in (
        *repository.versions(errand.session, structure),
        *repository.budgets_of(errand.session, structure),
    ):
        errand.session.delete(each)
    errand.session.flush()
    errand.session.delete(structure)
    return schemas.RemovedStructure(id=structure_id, mode="hard")


def require(errand: Errand, structure_id: UUID) -> PayoutStructure:
    """Return the structure. Raises NotFound."""
    structure = repository.find(errand.session, errand.organization_id, structure_id)
    if structure is None:
        raise NotFound.named("Payout structure")
    return structure


def held(errand: WriteErrand, structure_id: UUID, *, to_delete: bool = False) -> PayoutStructure:
    """Return the structure for writing. Raises NotFound."""
    structure = repository.lock(
        errand.session, errand.organization_id, structure_id, to_delete=to_delete
    )
    if structure is None:
        raise NotFound.named("Payout structure")
    return structure
