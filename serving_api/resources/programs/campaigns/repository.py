"""SQL of campaigns and their members: creators, videos and sub-campaigns of the project.

Every statement names the organization.
"""

from collections.abc import Collection, Mapping, Sequence
from typing import TypeVar
from uuid import UUID

from sqlalchemy import CTE, ColumnElement, Select, or_, select
from sqlalchemy.orm import InstrumentedAttribute, Session

from serving_api.errors import NotFound
from serving_api.kit.pagination import Keyset, among, contains
from serving_api.kit.rows import matching, rows_of
from serving_api.resources.programs.campaigns.schemas import CampaignQuery, Item, ItemType
from serving_api.resources.programs.tags.repository import tagged
from warehouse.operational.models import (
    Campaign,
    CampaignItem,
    Creator,
    PayoutBudget,
    ReportLink,
    Video,
)
from warehouse.operational.session import WriteSession

Owned = TypeVar("Owned", PayoutBudget, ReportLink)

NEWEST_FIRST = Keyset(Campaign.created_at, Campaign.id, "campaigns")


def filtered(session: Session, organization_id: UUID, query: CampaignQuery) -> Select[Campaign]:
    statement = matching(Campaign, organization_id, query, "project_id")
    if query.search is not None:
        statement = statement.where(contains(Campaign.name, query.search))
    return tagged(session, statement, "campaign", organization_id, query)


def require_in(
    session: Session, organization_id: UUID, project_id: UUID | None, campaign_id: UUID
) -> Campaign:
    """Return the campaign. Raises NotFound if it is absent or not in the given project."""
    campaign = session.scalar(rows_of(Campaign, organization_id, campaign_id))
    if campaign is None or project_id not in (None, campaign.project_id):
        raise NotFound.named("Campaign")
    return campaign


def lock_of(session: WriteSession, kind: type[Owned], campaign: Campaign) -> Sequence[Owned]:
    """Return a campaign's budgets or reports locked for update."""
    statement = rows_of(kind, campaign.organization_id).where(kind.campaign_id == campaign.id)
    return session.scalars(statement.order_by(kind.id).with_for_update()).all()


def delete_with_memberships(session: WriteSession, campaign: Campaign) -> None:
    """Delete a campaign, its members and its memberships in other campaigns."""
    memberships = rows_of(CampaignItem, campaign.organization_id).where(
        or_(CampaignItem.campaign_id == campaign.id, CampaignItem.child_campaign_id == campaign.id)
    )
    for membership in session.scalars(memberships):
        session.delete(membership)
    session.flush()
    session.delete(campaign)
    session.flush()


ITEMS_NEWEST_FIRST = Keyset(CampaignItem.created_at, CampaignItem.id, "campaign-items")

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


def with_creator(organization_id: UUID, creator_id: UUID) -> Select[Campaign]:
    """Select the campaigns whose members are a creator or one of its posts, by name."""
    posts = rows_of(Video, organization_id).where(Video.creator_id == creator_id)
    items = rows_of(CampaignItem, organization_id).where(
        or_(
            CampaignItem.creator_id == creator_id,
            CampaignItem.video_id.in_(posts.with_only_columns(Video.id)),
        )
    )
    return (
        rows_of(Campaign, organization_id)
        .where(Campaign.id.in_(items.with_only_columns(CampaignItem.campaign_id)))
        .order_by(Campaign.name, Campaign.id)
    )


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
    below = with_those_below(campaign.organization_id, [campaign.id])
    return session.scalar(select(select(below).where(below.c.id == other_id).exists())) is True


def has_post(organization_id: UUID, campaign_id: UUID) -> ColumnElement[bool]:
    """Return the condition that a campaign counts a video, itself or by its creator, at any depth.

    Uses today's owners; the models know the owners of each day.
    """
    below = with_those_below(organization_id, [campaign_id])
    members = rows_of(CampaignItem, organization_id).where(
        CampaignItem.campaign_id.in_(select(below.c.id))
    )
    return or_(
        Video.id.in_(members.with_only_columns(CampaignItem.video_id)),
        Video.creator_id.in_(members.with_only_columns(CampaignItem.creator_id)),
    )


def with_those_below(organization_id: UUID, campaign_ids: Collection[UUID]) -> CTE:
    """Select campaigns and those nested in them, each as `id` below its `top`."""
    below = (
        select(Campaign.id.label("top"), Campaign.id)
        .where(Campaign.organization_id == organization_id, among(Campaign.id, campaign_ids))
        .cte("below", recursive=True)
    )
    children = select(below.c.top, CampaignItem.child_campaign_id).where(
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
