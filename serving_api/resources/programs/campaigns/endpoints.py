"""`/campaigns`, their members, and `/projects/{project_id}/campaigns`."""

from collections.abc import Collection, Sequence
from uuid import UUID

from serving_api.auth.dependencies import Reader, Writer
from serving_api.errors import (
    Conflict,
    CreatorInactive,
    InsufficientRole,
    NotesConflict,
    NotesTooLong,
    NotFound,
)
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.programs.campaigns import repository, schemas, service
from warehouse.operational.models import Campaign, CampaignItem, Creator
from warehouse.operational.session import WriteSession


def list_items(
    context: RequestContext, campaign_id: UUID, query: PageQuery
) -> Page[schemas.CampaignItem]:
    """Return a page of a campaign's members, the latest first. Raises NotFound."""
    service.require_campaign(context, campaign_id)
    statement = repository.of_campaign(context.organization_id, campaign_id)
    page_slice = read_slice(
        context.session, statement, repository.ITEMS_NEWEST_FIRST.of(campaign_id), query
    )
    return page_slice.page(lambda rows: [_item(row) for row in rows])


def creators_among(
    context: RequestContext, campaign_id: UUID, creator_ids: Collection[UUID]
) -> frozenset[UUID]:
    statement = repository.of_campaign(context.organization_id, campaign_id)
    return frozenset(
        row.creator_id
        for row in context.session.scalars(
            statement.where(repository.COLUMNS["creator"].in_(creator_ids))
        )
        if row.creator_id
    )


def add(context: WriteContext, campaign_id: UUID, item: schemas.Item) -> schemas.CampaignItem:
    """Add a member of the campaign's project.

    Raises NotFound, CreatorInactive, and Conflict for an existing member or a cycle.
    """
    campaign = service.lock_in_project(context, campaign_id)
    _require_fit(context.session, campaign, item)
    row = CampaignItem(
        organization_id=context.organization_id,
        campaign_id=campaign.id,
        created_at=context.now,
        **{repository.COLUMNS[item.item_type].key: item.item_id},
    )
    context.session.add(row)
    context.session.flush()
    return _item(row)


def add_creators(
    context: WriteContext, campaign_id: UUID, creator_ids: Sequence[UUID]
) -> list[UUID]:
    """Add creators of the campaign's project, all or none; return those that were not members.

    Raises NotFound, and CreatorInactive, which names the removed creators.
    """
    campaign = service.lock_in_project(context, campaign_id)
    creators = repository.creators_of(context.session, campaign, creator_ids)
    if len(creators) < len(set(creator_ids)):
        raise NotFound("Creators not found in this project")
    if removed := [str(creator.id) for creator in creators if not creator.is_active]:
        raise CreatorInactive(creator_ids=[*removed])
    members = creators_among(context, campaign_id, creator_ids)
    added = [creator.id for creator in creators if creator.id not in members]
    now = context.now
    context.session.add_all(
        CampaignItem(
            organization_id=context.organization_id,
            campaign_id=campaign.id,
            created_at=now,
            creator_id=creator_id,
        )
        for creator_id in added
    )
    return added


def remove(context: WriteContext, campaign_id: UUID, item: schemas.Item) -> Deleted:
    """Remove a member; `deleted` is false if it was not one. Raises NotFound."""
    campaign = service.lock_in_project(context, campaign_id)
    return Deleted(deleted=repository.remove(context.session, campaign, item))


def _require_fit(session: WriteSession, campaign: Campaign, item: schemas.Item) -> None:
    member = repository.entity(session, campaign.organization_id, campaign.project_id, item)
    if member is None:
        raise NotFound(f"{item.item_type.capitalize()} not found in this project")
    if isinstance(member, Creator) and not member.is_active:
        raise CreatorInactive
    if repository.has(session, campaign, item):
        raise Conflict("The campaign already contains this item", reason="already_member")
    if isinstance(member, Campaign) and repository.contains_campaign(session, member, campaign.id):
        raise Conflict("A campaign cannot contain itself", reason="circular_reference")


def _item(row: CampaignItem) -> schemas.CampaignItem:
    kind = next(kind for kind, column in repository.COLUMNS.items() if getattr(row, column.key))
    return schemas.CampaignItem(
        item_type=kind,
        item_id=getattr(row, repository.COLUMNS[kind].key),
        created_at=row.created_at,
    )


router = keyed_router("campaigns")


@router.get("/campaigns")
def list_campaigns(
    *, context: Reader, query: Params[schemas.CampaignQuery]
) -> Page[schemas.Campaign]:
    """List campaigns. The newest comes first."""
    return service.list_campaigns(context, query)


@router.post("/projects/{project_id}/campaigns", status_code=201)
@idempotent()
def create_project_campaign(
    *, context: Writer, project_id: UUID, body: schemas.NewCampaign
) -> Envelope[schemas.Campaign]:
    """Create a campaign."""
    return Envelope(data=service.create(context, project_id, body))


@router.get("/campaigns/{campaign_id}")
def get_campaign(*, context: Reader, campaign_id: UUID) -> Envelope[schemas.CampaignDetail]:
    """Return one campaign."""
    return Envelope(data=service.read_campaign(context, campaign_id))


@router.patch("/campaigns/{campaign_id}", responses=answers(NotesConflict, NotesTooLong))
def change_campaign(
    *, context: Writer, campaign_id: UUID, changes: schemas.CampaignChanges
) -> Envelope[schemas.CampaignDetail]:
    """Change a campaign."""
    return Envelope(data=service.change(context, campaign_id, changes))


@router.delete("/campaigns/{campaign_id}", responses=answers(InsufficientRole))
def delete_campaign(*, context: Writer, campaign_id: UUID) -> Envelope[Deleted]:
    """Delete a campaign and its memberships. One with budgets or reports requires an org admin."""
    service.delete(context, campaign_id)
    return Envelope(data=Deleted())


@router.get("/campaigns/{campaign_id}/items")
def list_campaign_items(
    *, context: Reader, campaign_id: UUID, query: Params[PageQuery]
) -> Page[schemas.CampaignItem]:
    """List a campaign's direct members. The latest comes first."""
    return list_items(context, campaign_id, query)


@router.post(
    "/campaigns/{campaign_id}/items", status_code=201, responses=answers(Conflict, CreatorInactive)
)
@idempotent()
def add_campaign_item(
    *, context: Writer, campaign_id: UUID, item: schemas.Item
) -> Envelope[schemas.CampaignItem]:
    """Add a creator, video or sub-campaign of the campaign's project."""
    return Envelope(data=add(context, campaign_id, item))


@router.delete("/campaigns/{campaign_id}/items")
def remove_campaign_item(
    *, context: Writer, campaign_id: UUID, item: schemas.Item
) -> Envelope[Deleted]:
    """Remove a member from a campaign. `deleted` is false if it was not a member."""
    return Envelope(data=remove(context, campaign_id, item))
