"""`/organizations/{organization_id}/invitations`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Admin, ReadingAdmin
from serving_api.errors import Conflict, InvalidCursor, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.organization.invitations import schemas, service

router = keyed_router("invitations")


@router.get(
    "/organizations/{organization_id}/invitations", responses=answers(InvalidCursor, NotFound)
)
def list_invitations(
    *, context: ReadingAdmin, organization_id: UUID, query: Annotated[PageQuery, Query()]
) -> Page[schemas.Invitation]:
    """List invitations in every status. The newest comes first."""
    return service.list_invitations(context, organization_id, query)


@router.post(
    "/organizations/{organization_id}/invitations",
    status_code=201,
    responses=answers(Conflict, NotFound),
)
@idempotent(secrets=("token",))
def create_invitation(
    *, context: Admin, organization_id: UUID, body: schemas.NewInvitation
) -> Envelope[schemas.CreatedInvitation]:
    """Invite someone. The token is shown only once."""
    return Envelope(data=service.create(context, organization_id, body))


@router.delete(
    "/organizations/{organization_id}/invitations/{invitation_id}",
    responses=answers(Conflict, NotFound),
)
def revoke_invitation(
    *, context: Admin, organization_id: UUID, invitation_id: UUID
) -> Envelope[Deleted]:
    """Revoke an invitation."""
    service.revoke(context, organization_id, invitation_id)
    return Envelope(data=Deleted())
