"""`/members` and `/organizations/{organization_id}/members`."""

from typing import Annotated, Any
from uuid import UUID

from fastapi import Query, Response

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import Conflict, InvalidCursor, LastAdmin, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Accepted, Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.organization.invitations.schemas import CreatedInvitation
from serving_api.resources.organization.members import schemas, service

router = keyed_router("members")

INVITED: dict[str, Any] = {
    "model": Accepted[CreatedInvitation],
    "description": "The address is invited",
}


@router.get("/members", responses=answers(InvalidCursor))
def list_members(
    *, context: Reader, query: Annotated[PageQuery, Query()]
) -> Page[schemas.ListedMember]:
    """List members. The latest to join comes first."""
    return service.list_members(context, query)


@router.post(
    "/organizations/{organization_id}/members",
    status_code=201,
    response_model=Envelope[schemas.Member],
    responses={**answers(Conflict, NotFound), Accepted.status: INVITED},
)
@idempotent(secrets=("token",))
def add_member(
    *, context: Admin, organization_id: UUID, body: schemas.NewMember
) -> Envelope[schemas.Member] | Response:
    """Add a member, or invite an address.

    A user who shares an organization with you becomes a member at once. Any other address gets an
    invitation, whether or not a user has it; its token is shown only once. A user created by
    another organization's invitation is also invited, until it accepted an invitation of this one.
    """
    added = service.add_or_invite(context, organization_id, body)
    if isinstance(added, CreatedInvitation):
        return Accepted[CreatedInvitation](data=added).respond()
    return Envelope(data=added)


@router.patch(
    "/organizations/{organization_id}/members/{user_id}", responses=answers(LastAdmin, NotFound)
)
def change_member(
    *, context: Admin, organization_id: UUID, user_id: UUID, changes: schemas.MemberChanges
) -> Envelope[schemas.Member]:
    """Change a member's role. The last admin cannot be changed."""
    member = service.change_role(context, organization_id, user_id, changes)
    return Envelope(data=member)


@router.delete(
    "/organizations/{organization_id}/members/{user_id}", responses=answers(LastAdmin, NotFound)
)
def remove_member(*, context: Admin, organization_id: UUID, user_id: UUID) -> Envelope[Deleted]:
    """Remove a member, and revoke the keys that depend on it."""
    service.remove(context, organization_id, user_id)
    return Envelope(data=Deleted())
