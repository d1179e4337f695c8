"""Read and change the members of campaigns."""

from collections.abc import Collection, Sequence
from uuid import UUID

from serving_api.errors import Conflict, CreatorInactive, NotFound
from serving_api.kit.envelope import Deleted, Page
from serving_api.kit.pagination import PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.programs.campaigns import items, schemas, service
from warehouse.operational.base import business_now
from warehouse.operational.models import Campaign, CampaignItem, Creator
from warehouse.operational.session import WriteSession


def list_items(
    context: RequestContext, campaign_id: UUID, query: PageQuery
) -> Page[schemas.CampaignItem]:
    """Return a page of a campaign's members, the latest first. Raises NotFound."""
    service.require_campaign(context, campaign_id)
    statement = items.of_campaign(context.organization_id, campaign_id)
    page_slice = read_slice(context.session, statement, items.NEWEST_FIRST.of(campaign_id), query)
    return page_slice.page(lambda rows: [_item(row) for row in rows])


def creators_among(
    context: RequestContext, campaign_id: UUID, creator_ids: Collection[UUID]
) -> frozenset[UUID]:
    statement = items.of_campaign(context.organization_id, campaign_id)
    return frozenset(
        row.creator_id
        for row in context.session.scalars(
            statement.where(items.COLUMNS["creator"].in_(creator_ids))
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
        created_at=business_now(context.session),
        **{items.COLUMNS[item.item_type].key: item.item_id},
    )
    context.session.add(row)
    context.session.flush()
    return _item(row)


def add_creators(context: WriteContext, campaign_id: UUID, creator_ids: Sequence[UUID]) -> None:
    """Add creators of the campaign's project, all or none; existing members stay.

    Raises NotFound, and CreatorInactive, which names the removed creators.
    """
    campaign = service.lock_in_project(context, campaign_id)
    creators = items.creators_of(context.session, campaign, creator_ids)
    if len(creators) < len(set(creator_ids)):
        raise NotFound("Creators not found in this project")
    if removed := [str(creator.id) for creator in creators if not creator.is_active]:
        raise CreatorInactive(creator_ids=[*removed])
    members = creators_among(context, campaign_id, creator_ids)
    now = business_now(context.session)
    context.session.add_all(
        CampaignItem(
            organization_id=context.organization_id,
            campaign_id=campaign.id,
            created_at=now,
            creator_id=creator.id,
        )
        for creator in creators
        if creator.id not in members
    )


def remove(context: WriteContext, campaign_id: UUID, item: schemas.Item) -> Deleted:
    """Remove a member; `deleted` is false if it was not one. Raises NotFound."""
    campaign = service.lock_in_project(context, campaign_id)
    return Deleted(deleted=items.remove(context.session, campaign, item))


def _require_fit(session: WriteSession, campaign: Campaign, item: schemas.Item) -> None:
    member = items.entity(session, campaign.organization_id, campaign.project_id, item)
    if member is None:
        raise NotFound(f"{item.item_type.capitalize()} not found in this project")
    if isinstance(member, Creator) and not member.is_active:
        raise CreatorInactive
    if items.has(session, campaign, item):
        raise Conflict("The campaign already contains this item", reason="already_member")
    if isinstance(member, Campaign) and items.contains_campaign(session, member, campaign.id):
        raise Conflict("A campaign cannot contain itself", reason="circular_reference")


def _item(row: CampaignItem) -> schemas.CampaignItem:
    kind = next(kind for kind, column in items.COLUMNS.items() if getattr(row, column.key))
    return schemas.CampaignItem(
        item_type=kind, item_id=getattr(row, items.COLUMNS[kind].key), created_at=row.created_at
    )
