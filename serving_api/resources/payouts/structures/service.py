"""`/payout-structures`: read, create, change and remove structures; `versions` writes rules."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import select

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import (
    NotesTooLong,
    NotFound,
    StructureInUse,
    StructureShapeLocked,
    VersionConflict,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import read_slice
from serving_api.kit.readme import replace_readme
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import lock_own, require_own, values_of
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization import projects
from serving_api.resources.payouts.assignments import repository as assignments
from serving_api.resources.payouts.assignments.overlaps import also_paid_by_change
from serving_api.resources.payouts.structures import (
    bodies,
    presenter,
    repository,
    schemas,
    versions,
)
from serving_api.resources.payouts.structures.bonuses import bonus_day
from warehouse.operational.models import PayoutStructure, PayoutVersion


def list_structures(
    context: RequestContext, query: schemas.StructureQuery, *, with_bonuses: bool = True
) -> Page[schemas.Structure]:
    """Return a page of the organization's structures, newest first."""
    statement = repository.filtered(context.organization_id, query)
    if not with_bonuses:
        statement = statement.where(bonus_day().is_(None))
    keyset = repository.NEWEST_FIRST.of(context.organization_id)
    page_slice = read_slice(context.session, statement, keyset, query)
    return page_slice.page(
        lambda rows: presenter.present(context.session, rows, context.caller.analytics_tz)
    )


def paying_goals(
    context: RequestContext, project_id: UUID, *, is_active: bool | None = True
) -> Sequence[PayoutStructure]:
    """Return a project's structures that pay for goals, newest first; None: archived ones too."""
    criteria_type = (
        select(PayoutVersion.criteria_type)
        .where(
            PayoutVersion.organization_id == context.organization_id,
            PayoutVersion.structure_id == PayoutStructure.id,
        )
        .order_by(PayoutVersion.number.desc(), PayoutVersion.id)
        .limit(1)
        .scalar_subquery()
    )
    query = schemas.StructureQuery(project_id=project_id, is_active=is_active)
    paying = repository.filtered(context.organization_id, query).where(criteria_type == "goals")
    newest_first = (PayoutStructure.created_at.desc(), PayoutStructure.id.desc())
    return context.session.scalars(paying.order_by(*newest_first)).all()


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
        assignments.end_of_structure(context.session, structure, context.caller.analytics_tz)
        structure.is_active = False
        structure.archived_at = context.now
    return schemas.RemovedStructure(id=structure.id, mode="archive")


def delete(context: WriteContext, structure_id: UUID) -> schemas.RemovedStructure:
    """Delete a structure that was never used, permanently.

    Raises InsufficientScope, InsufficientRole, NotFound and StructureInUse.
    """
    context.caller.require_scope("admin")
    structure = lock_structure(context, structure_id, key_share=False)
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
    context: WriteContext, structure_id: UUID, *, key_share: bool = True
) -> PayoutStructure:
    """Return the structure locked for update. Raises NotFound.

    Adding a version or an assignment takes this lock, so that a rule cannot change its shape while
    a creator is assigned.
    """
    noun = "Payout structure"
    return lock_own(context, PayoutStructure, structure_id, noun, key_share=key_share)


router = keyed_router("payout structures")

STRUCTURES = "/payout-structures"
STRUCTURE = STRUCTURES + "/{structure_id}"


@router.get(STRUCTURES)
def list_payout_structures(
    *, context: Reader, query: Params[schemas.StructureQuery]
) -> Page[schemas.Structure]:
    """List payout structures with their current rules, including archived ones.

    The newest comes first.
    """
    return list_structures(context, query)


@router.post(STRUCTURES, status_code=201, responses=answers(NotesTooLong, NotFound))
@idempotent()
def create_payout_structure(
    *, context: AdminWriter, body: bodies.NewStructureBody
) -> Envelope[schemas.Created]:
    """Create a payout structure with the first version of its rule."""
    return Envelope(data=create(context, body))


@router.get(STRUCTURE)
def get_payout_structure(
    *, context: Reader, structure_id: UUID
) -> Envelope[schemas.StructureDetail]:
    """Return one payout structure with all versions of its rule."""
    return Envelope(data=read_structure(context, structure_id))


@router.patch(STRUCTURE, responses=answers(StructureShapeLocked, VersionConflict))
def change_payout_structure(
    *, context: AdminWriter, structure_id: UUID, changes: bodies.StructureChanges
) -> schemas.ChangedStructure:
    """Change name and metadata (`cosmetic`), or replace the rule with a new version (`rule`).

    A new rule applies to the whole current period and later ones. Period, cadence and
    criteria_type cannot change once a creator was assigned. `meta.also_paid_by` of a new rule lists
    other structures that pay its creators for views on common days.
    """
    if isinstance(changes, bodies.CosmeticChanges):
        appearance = change_appearance(context, structure_id, changes)
        return schemas.ChangedStructure(data=appearance)
    version = change_rule(context, structure_id, changes)
    also = [each.model_dump(mode="json") for each in also_paid_by_change(context, structure_id)]
    return schemas.ChangedStructure(data=version, meta={"also_paid_by": also})


@router.delete(STRUCTURE, responses=answers(StructureInUse))
def remove_payout_structure(
    *, context: AdminWriter, structure_id: UUID, query: Params[schemas.RemovalQuery]
) -> Envelope[schemas.RemovedStructure]:
    """Archive a structure and end its assignments today, or delete it permanently with `mode=hard`.

    Only a structure that was never assigned can be deleted.
    """
    remove = delete if query.mode == "hard" else archive
    return Envelope(data=remove(context, structure_id))
