"""`/payout-structures`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import AdminWriter, Reader
from serving_api.errors import (
    InvalidCursor,
    NotesTooLong,
    NotFound,
    StructureInUse,
    StructureShapeLocked,
    VersionConflict,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope, Page
from serving_api.openapi import answers
from serving_api.resources.payouts.structures import bodies, schemas, service

router = keyed_router("payout structures")

STRUCTURES = "/payout-structures"
STRUCTURE = STRUCTURES + "/{structure_id}"


@router.get(STRUCTURES, responses=answers(InvalidCursor))
def list_payout_structures(
    *, context: Reader, query: Annotated[schemas.StructureQuery, Query()]
) -> Page[schemas.Structure]:
    """List payout structures with their current rules, including archived ones.

    The newest comes first.
    """
    return service.list_structures(context, query)


@router.post(STRUCTURES, status_code=201, responses=answers(NotesTooLong, NotFound))
@idempotent()
def create_payout_structure(
    *, context: AdminWriter, body: bodies.NewStructureBody
) -> Envelope[schemas.Created]:
    """Create a payout structure with the first version of its rule."""
    return Envelope(data=service.create(context, body))


@router.get(STRUCTURE, responses=answers(NotFound))
def get_payout_structure(
    *, context: Reader, structure_id: UUID
) -> Envelope[schemas.StructureDetail]:
    """Return one payout structure with all versions of its rule."""
    return Envelope(data=service.read_structure(context, structure_id))


@router.patch(STRUCTURE, responses=answers(NotFound, StructureShapeLocked, VersionConflict))
def change_payout_structure(
    *, context: AdminWriter, structure_id: UUID, changes: bodies.StructureChanges
) -> schemas.ChangedStructure:
    """Change name and metadata (`cosmetic`), or replace the rule with a new version (`rule`).

    A new rule applies to the whole current period and later ones. Period, cadence and
    criteria_type cannot change once a creator was assigned.
    """
    if isinstance(changes, bodies.CosmeticChanges):
        appearance = service.change_appearance(context, structure_id, changes)
        return schemas.ChangedStructure(data=appearance)
    version = service.change_rule(context, structure_id, changes)
    return schemas.ChangedStructure(data=version)


@router.delete(STRUCTURE, responses=answers(NotFound, StructureInUse))
def remove_payout_structure(
    *, context: AdminWriter, structure_id: UUID, query: Annotated[schemas.RemovalQuery, Query()]
) -> Envelope[schemas.RemovedStructure]:
    """Archive a structure and end its assignments today, or delete it permanently with `mode=hard`.

    Only a structure that was never assigned can be deleted.
    """
    remove = service.delete if query.mode == "hard" else service.archive
    return Envelope(data=remove(context, structure_id))
