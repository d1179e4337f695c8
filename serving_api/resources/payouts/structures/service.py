"""Read, create, change and remove payout structures; `versions` writes their rules."""

from uuid import UUID

from serving_api.errors import StructureInUse, VersionConflict
from serving_api.kit.envelope import Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import require_own, require_row
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


def list_structures(
    context: RequestContext, query: schemas.StructureQuery
) -> Page[schemas.Structure]:
    """Return a page of the organization's structures, newest first."""
    statement = repository.filtered(context.organization_id, query)
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(
        lambda rows: presenter.present(context.session, rows, context.caller.analytics_tz)
    )


def create(context: WriteContext, body: bodies.AnyNewStructure) -> schemas.Created:
    """Create a structure with version 1 of its rule.

    Raises NotFound, NotesTooLong, and InvalidBody for references to another project.
    """
    project = projects.require(context.session, context.organization_id, body.project_id)
    structure = PayoutStructure(
        organization_id=context.organization_id,
        project_id=project.id,
        name=body.name,
        details=body.metadata or {},
    )
    context.session.add(structure)
    if body.readme is not None:
        replace_readme(context.session, structure, body.readme)
    context.session.flush()
    version = versions.add_first(context, structure, body)
    return schemas.Created(structure_id=structure.id, version_id=version.id)


def read_structure(context: RequestContext, structure_id: UUID) -> schemas.StructureDetail:
    """Return one structure, archived or not, with all versions. Raises NotFound."""
    structure = require(context, structure_id)
    return presenter.present_detail(context.session, structure, context.caller.analytics_tz)


def change_appearance(
    context: WriteContext, structure_id: UUID, changes: bodies.CosmeticChanges
) -> schemas.Structure:
    """Change what does not affect amounts. Raises NotFound."""
    structure = lock_structure(context, structure_id)
    changes.apply_to(structure, "name", "metadata")
    context.session.flush()
    [answer] = presenter.present(context.session, [structure], context.caller.analytics_tz)
    return answer


def change_rule(
    context: WriteContext, structure_id: UUID, rule: bodies.AnyRule
) -> schemas.NewVersion:
    """Replace the rule from the current period on (money.md M4).

    Raises NotFound, VersionConflict, StructureShapeLocked, and InvalidBody for references to
    another project.
    """
    structure = lock_structure(context, structure_id)
    _require_version(context, structure, rule.expected_version)
    version = versions.add_next(context, structure, rule)
    return schemas.NewVersion(version_id=version.id, version_number=version.number)


def _require_version(
    context: RequestContext, structure: PayoutStructure, expected: int | None
) -> None:
    if expected is None:
        return
    current, *_ = repository.versions(context.session, structure)
    if expected != current.number:
        [answer] = presenter.present(context.session, [structure], context.caller.analytics_tz)
        values = values_of(answer, ("period", "amount_cents", "criteria_params"))
        raise VersionConflict(expected, current.number, values)


def archive(context: WriteContext, structure_id: UUID) -> schemas.RemovedStructure:
    """End all assignments today (money.md M5) and allow no new ones. Can be repeated.

    Raises NotFound.
    """
    structure = lock_structure(context, structure_id)
    if structure.is_active:
        ending.end_of_structure(context.session, structure, context.caller.analytics_tz)
        structure.is_active = False
        structure.archived_at = business_now(context.session)
    return schemas.RemovedStructure(id=structure.id, mode="archive")


def delete(context: WriteContext, structure_id: UUID) -> schemas.RemovedStructure:
    """Delete a structure that was never used, permanently.

    Raises InsufficientScope, InsufficientRole, NotFound and StructureInUse.
    """
    context.caller.require_scope("admin")
    structure = lock_structure(context, structure_id, to_delete=True)
    if repository.is_used(context.session, structure):
        raise StructureInUse
    for each in (
        *repository.versions(context.session, structure),
        *repository.budgets_of(context.session, structure),
    ):
        context.session.delete(each)
    context.session.flush()
    context.session.delete(structure)
    return schemas.RemovedStructure(id=structure_id, mode="hard")


def require(context: RequestContext, structure_id: UUID) -> PayoutStructure:
    """Return the structure. Raises NotFound."""
    return require_own(context, PayoutStructure, structure_id, "Payout structure")


def lock_structure(
    context: WriteContext, structure_id: UUID, *, to_delete: bool = False
) -> PayoutStructure:
    """Return the structure locked for update. Raises NotFound."""
    return require_row(
        repository.lock(
            context.session, context.organization_id, structure_id, to_delete=to_delete
        ),
        "Payout structure",
    )
