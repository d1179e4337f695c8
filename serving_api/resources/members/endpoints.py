"""`/members` and `/organizations/{organization_id}/members`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Admin, Reader
from serving_api.errors import (
    Conflict,
    InvalidCursor,
    LastAdmin,
    NotFound,
)
from serving_api.idempotency.declaration import idempotent
from serving_api.keyed_route import keyed_router
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.sessions import ReadDb, WriteDb
from serving_api.openapi import answers
from serving_api.resources.members import schemas, service

router = keyed_router("members")


@router.get("/members", responses=answers(InvalidCursor))
def list_members(
    *, caller: Reader, session: ReadDb, query: Annotated[PageQuery, Query()]
) -> Page[schemas.ListedMember]:
    """List members, the latest to join first."""
    return service.list_members(caller, session, query)


@router.post(
    "/organizations/{organization_id}/members",
    status_code=201,
    responses=answers(Conflict, NotFound),
)
@idempotent()
def add_member(
    *, caller: Admin, session: WriteDb, organization_id: UUID, body: schemas.NewMember
) -> Envelope[schemas.Member]:
    """Make a user a member."""
    return Envelope(data=service.add(caller, session, organization_id, body))


@router.patch(
    "/organizations/{organization_id}/members/{user_id}",
    responses=answers(LastAdmin, NotFound),
)
def change_member(
    *,
    caller: Admin,
    session: WriteDb,
    organization_id: UUID,
    user_id: UUID,
    changes: schemas.MemberChanges,
) -> Envelope[schemas.Member]:
    """Change a member's role; the last admin keeps it."""
    member = service.change_role(caller, session, organization_id, user_id, changes)
    return Envelope(data=member)


@router.delete(
    "/organizations/{organization_id}/members/{user_id}",
    responses=answers(LastAdmin, NotFound),
)
def remove_member(
    *, caller: Admin, session: WriteDb, organization_id: UUID, user_id: UUID
) -> Envelope[Deleted]:
    """End a membership and the keys that depend on it."""
    service.remove(caller, session, organization_id, user_id)
    return Envelope(data=Deleted())
