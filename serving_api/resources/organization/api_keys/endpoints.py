"""`/organizations/{organization_id}/api-keys`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Admin, ReadingAdmin
from serving_api.errors import ActsAsNotMember, InvalidCursor, LimitReached, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.organization.api_keys import schemas, service

router = keyed_router("api keys")


@router.get("/organizations/{organization_id}/api-keys", responses=answers(InvalidCursor, NotFound))
def list_api_keys(
    *, context: ReadingAdmin, organization_id: UUID, query: Annotated[PageQuery, Query()]
) -> Page[schemas.ApiKey]:
    """List API keys, including revoked and deactivated ones. The newest comes first."""
    return service.list_keys(context, organization_id, query)


@router.post(
    "/organizations/{organization_id}/api-keys",
    status_code=201,
    responses=answers(ActsAsNotMember, LimitReached, NotFound),
)
@idempotent(secrets=("key",))
def create_api_key(
    *, context: Admin, organization_id: UUID, body: schemas.NewApiKey
) -> Envelope[schemas.CreatedApiKey]:
    """Create an API key for yourself or another member. The key is shown only once."""
    return Envelope(data=service.create(context, organization_id, body))


@router.delete("/organizations/{organization_id}/api-keys/{key_id}", responses=answers(NotFound))
def revoke_api_key(*, context: Admin, organization_id: UUID, key_id: UUID) -> Envelope[Deleted]:
    """Revoke an API key immediately. It stays listed."""
    service.revoke(context, organization_id, key_id)
    return Envelope(data=Deleted())
