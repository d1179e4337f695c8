"""`/user/organizations` and `/organizations/{organization_id}`."""

from uuid import UUID

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import (
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Envelope
from serving_api.openapi import answers
from serving_api.resources.organization.organizations import schemas, service

router = keyed_router("organizations")


@router.post("/user/organizations", status_code=201, responses=answers())
@idempotent()
def create_organization(
    *, errand: Admin, body: schemas.NewOrganization
) -> Envelope[schemas.Organization]:
    """Create an organization whose admin is the acting member."""
    return Envelope(data=service.create(errand, body))


@router.get("/organizations/{organization_id}", responses=answers(NotFound))
def get_organization(
    *, errand: Reader, organization_id: UUID
) -> Envelope[schemas.OrganizationDetail]:
    """Return the key's organization."""
    return Envelope(data=service.read_organization(errand, organization_id))


@router.patch(
    "/organizations/{organization_id}",
    responses=answers(NotesConflict, NotesTooLong, NotFound),
)
def change_organization(
    *,
    errand: Admin,
    organization_id: UUID,
    changes: schemas.OrganizationChanges,
) -> Envelope[schemas.OrganizationDetail]:
    """Change the key's organization."""
    return Envelope(data=service.change(errand, organization_id, changes))
