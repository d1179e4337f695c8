"""`/admin`: for platform admins alone."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import LookingPlatformAdmin, PlatformAdmin
from serving_api.errors import (
    Conflict,
    InvalidCursor,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.organization.platform import schemas, service

router = keyed_router("platform admin")

WRITE_ERRORS = (Conflict, NotFound)


@router.get("/admin/organizations", responses=answers(InvalidCursor))
def list_all_organizations(
    *, errand: LookingPlatformAdmin, query: Annotated[PageQuery, Query()]
) -> Page[schemas.PlatformOrganization]:
    """List all organizations, newest first."""
    return service.list_organizations(errand.session, query)


@router.patch("/admin/organizations/{organization_id}", responses=answers(*WRITE_ERRORS))
def change_any_organization(
    *,
    errand: PlatformAdmin,
    organization_id: UUID,
    changes: schemas.PlatformChanges,
) -> Envelope[schemas.PlatformOrganization]:
    """Change any organization's standing."""
    return Envelope(data=service.change_organization(errand, organization_id, changes))


@router.post("/admin/users/{user_id}/ban", responses=answers(*WRITE_ERRORS))
def ban_user(*, errand: PlatformAdmin, user_id: UUID) -> Envelope[schemas.PlatformUser]:
    """Ban a user everywhere."""
    return Envelope(data=service.set_ban(errand, user_id, is_banned=True))


@router.post("/admin/users/{user_id}/unban", responses=answers(*WRITE_ERRORS))
def unban_user(*, errand: PlatformAdmin, user_id: UUID) -> Envelope[schemas.PlatformUser]:
    """End a user's ban."""
    return Envelope(data=service.set_ban(errand, user_id, is_banned=False))
