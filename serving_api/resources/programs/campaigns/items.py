"""SQL of campaign members: creators, videos and sub-campaigns of the campaign's project."""

from collections.abc import Collection, Mapping, Sequence
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, Select, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.campaigns.schemas import Item, ItemType
from warehouse.operational.models import Campaign, CampaignItem, Creator, Video
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(CampaignItem.created_at, CampaignItem.id, "campaign-items")

COLUMNS: Mapping[ItemType, InstrumentedAttribute[UUID | None]] = {
    "creator": CampaignItem.creator_id,
    "video": CampaignItem.video_id,
    "campaign": CampaignItem.child_campaign_id,
}
_MODELS: Mapping[ItemType, type[Creator | Video | Campaign]] = {
    "creator": Creator,
    "video": Video,
    "campaign": Campaign,
}


def of_campaign(organization_id: UUID, campaign_id: UUID) -> Select[CampaignItem]:
    return rows_of(CampaignItem, organization_id).where(CampaignItem.campaign_id == campaign_id)


def entity(
    session: Session, organization_id: UUID, project_id: UUID, item: Item
) -> Creator | Video | Campaign | None:
    """Return the entity that an item names, or None if the project does not have it."""
    named = session.scalar(rows_of(_MODELS[item.item_type], organization_id, item.item_id))
    return named if named is not None and named.project_id == project_id else None


def creators_of(
    session: WriteSession, campaign: Campaign, creator_ids: Collection[UUID]
) -> Sequence[Creator]:
    """Return the creators that are in the campaign's project, including removed ones."""
    return session.scalars(
        rows_of(Creator, campaign.organization_id).where(
            Creator.project_id == campaign.project_id, Creator.id.in_(creator_ids)
        )
    ).all()


def has(session: Session, campaign: Campaign, item: Item) -> bool:
    members = of_campaign(campaign.organization_id, campaign.id).where(
        COLUMNS[item.item_type] == item.item_id
    )
    return session.scalar(select(members.exists())) is True


def campaigns_in(
    session: Session, organization_id: UUID, campaign_ids: Collection[UUID]
) -> Sequence[tuple[UUID, UUID]]:
    """Return (campaign, member campaign) id pairs, the latest first."""
    statement = (
        select(CampaignItem.campaign_id, Campaign.id)
        .join(Campaign, Campaign.id == CampaignItem.child_campaign_id)
        .where(
            CampaignItem.organization_id == organization_id,
            CampaignItem.campaign_id.in_(campaign_ids),
        )
        .order_by(CampaignItem.created_at.desc(), CampaignItem.id.desc())
    )
    return [(row.campaign_id, row.id) for row in session.execute(statement)]


def contains_campaign(session: Session, campaign: Campaign, other_id: UUID) -> bool:
    """Return whether `other_id` is the campaign itself or nested in it at any depth."""
    below = _with_those_below(campaign.organization_id, campaign.id)
    return session.scalar(select(select(below).where(below.c.id == other_id).exists())) is True


def has_post(organization_id: UUID, campaign_id: UUID) -> ColumnElement[bool]:
    """Return the condition that a campaign counts a video, itself or by its creator, at any depth.

    Uses today's owners; the models know the owners of each day.
    """
    below = _with_those_below(organization_id, campaign_id)
    members = rows_of(CampaignItem, organization_id).where(
        CampaignItem.campaign_id.in_(select(below.c.id))
    )
    return or_(
        Video.id.in_(members.with_only_columns(CampaignItem.video_id)),
        Video.creator_id.in_(members.with_only_columns(CampaignItem.creator_id)),
    )


def _with_those_below(organization_id: UUID, campaign_id: UUID) -> CTE:
    below = (
        select(Campaign.id)
        .where(Campaign.organization_id == organization_id, Campaign.id == campaign_id)
        .cte("below", recursive=True)
    )
    children = select(CampaignItem.child_campaign_id).where(
        CampaignItem.organization_id == organization_id,
        CampaignItem.campaign_id == below.c.id,
        CampaignItem.child_campaign_id.is_not(None),
    )
    return below.union(children)


def remove(session: WriteSession, campaign: Campaign, item: Item) -> bool:
    """Remove a member from the campaign; return whether it was one."""
    member = session.scalar(
        of_campaign(campaign.organization_id, campaign.id).where(
            COLUMNS[item.item_type] == item.item_id
        )
    )
    if member is not None:
        session.delete(member)
    return member is not None
