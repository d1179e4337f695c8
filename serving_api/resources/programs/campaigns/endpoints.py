"""`/campaigns`, their items, and `/projects/{project_id}/campaigns`."""

from typing import Annotated
from uuid import UUID

from fastapi import Query

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    Conflict,
    CreatorInactive,
    InsufficientRole,
    InvalidBody,
    InvalidCursor,
    InvalidParams,
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.openapi import answers
from serving_api.resources.programs.campaigns import membership, schemas, service

router = keyed_router("campaigns")


@router.get("/campaigns", responses=answers(InvalidCursor))
def list_campaigns(
    *, context: Reader, query: Annotated[schemas.CampaignQuery, Query()]
) -> Page[schemas.Campaign]:
    """List campaigns. The newest comes first."""
    return service.list_campaigns(context, query)


@router.post(
    "/projects/{project_id}/campaigns",
    status_code=201,
    responses=answers(InvalidBody, InvalidParams, NotFound),
)
@idempotent()
def create_project_campaign(
    *, context: Writer, project_id: UUID, body: schemas.NewCampaign
) -> Envelope[schemas.Campaign]:
    """Create a campaign."""
    return Envelope(data=service.create(context, project_id, body))


@router.get("/campaigns/{campaign_id}", responses=answers(InvalidParams, NotFound))
def get_campaign(*, context: Reader, campaign_id: UUID) -> Envelope[schemas.CampaignDetail]:
    """Return one campaign."""
    return Envelope(data=service.read_campaign(context, campaign_id))


@router.patch(
    "/campaigns/{campaign_id}",
    responses=answers(InvalidBody, InvalidParams, NotesConflict, NotesTooLong, NotFound),
)
def change_campaign(
    *, context: Writer, campaign_id: UUID, changes: schemas.CampaignChanges
) -> Envelope[schemas.CampaignDetail]:
    """Change a campaign."""
    return Envelope(data=service.change(context, campaign_id, changes))


@router.delete(
    "/campaigns/{campaign_id}", responses=answers(InsufficientRole, InvalidParams, NotFound)
)
def delete_campaign(*, context: Writer, campaign_id: UUID) -> Envelope[Deleted]:
    """Delete a campaign and its memberships. One with budgets or reports requires an org admin."""
    service.delete(context, campaign_id)
    return Envelope(data=Deleted())


@router.get(
    "/campaigns/{campaign_id}/items", responses=answers(InvalidCursor, InvalidParams, NotFound)
)
def list_campaign_items(
    *, context: Reader, campaign_id: UUID, query: Annotated[PageQuery, Query()]
) -> Page[schemas.CampaignItem]:
    """List a campaign's direct members. The latest comes first."""
    return membership.list_items(context, campaign_id, query)


@router.post(
    "/campaigns/{campaign_id}/items",
    status_code=201,
    responses=answers(Conflict, CreatorInactive, InvalidBody, InvalidParams, NotFound),
)
def add_campaign_item(
    *, context: Writer, campaign_id: UUID, item: schemas.Item
) -> Envelope[schemas.CampaignItem]:
    """Add a creator, video or sub-campaign of the campaign's project."""
    return Envelope(data=membership.add(context, campaign_id, item))


@router.delete(
    "/campaigns/{campaign_id}/items", responses=answers(InvalidBody, InvalidParams, NotFound)
)
def remove_campaign_item(
    *, context: Writer, campaign_id: UUID, item: schemas.Item
) -> Envelope[Deleted]:
    """Remove a member from a campaign. `deleted` is false if it was not a member."""
    return Envelope(data=membership.remove(context, campaign_id, item))
