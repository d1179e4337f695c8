"""SQL for the members of a campaign: through sub-campaigns, creators and videos."""

from uuid import UUID

from sqlalchemy import ColumnElement, Select, or_, select

from warehouse.operational.models import Campaign, CampaignItem, Creator, Video


def campaigns_of(organization_id: UUID, campaign_id: UUID) -> Select[UUID]:
    """Select the ids of a campaign and all campaigns below it."""
    below = (
        select(Campaign.id)
        .where(Campaign.organization_id == organization_id, Campaign.id == campaign_id)
        .cte("campaign_and_below", recursive=True)
    )
    children = select(CampaignItem.child_campaign_id).where(
        CampaignItem.organization_id == organization_id,
        CampaignItem.campaign_id == below.c.id,
        CampaignItem.child_campaign_id.is_not(None),
    )
    return select(below.union(children).c.id)


def has_video(organization_id: UUID, campaign_id: UUID) -> ColumnElement[bool]:
    """Return the condition that the campaign contains a video or its creator."""
    items = _items(organization_id, campaign_id)
    return or_(
        Video.id.in_(items.with_only_columns(CampaignItem.video_id)),
        Video.creator_id.in_(items.with_only_columns(CampaignItem.creator_id)),
    )


def has_creator(organization_id: UUID, campaign_id: UUID) -> ColumnElement[bool]:
    """Return the condition that the campaign contains a creator or one of their videos."""
    items = _items(organization_id, campaign_id)
    owners = select(Video.creator_id).where(
        Video.organization_id == organization_id,
        Video.id.in_(items.with_only_columns(CampaignItem.video_id)),
    )
    return or_(
        Creator.id.in_(items.with_only_columns(CampaignItem.creator_id)), Creator.id.in_(owners)
    )


def _items(organization_id: UUID, campaign_id: UUID) -> Select[CampaignItem]:
    return select(CampaignItem).where(
        CampaignItem.organization_id == organization_id,
        CampaignItem.campaign_id.in_(campaigns_of(organization_id, campaign_id)),
    )
