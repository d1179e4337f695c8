"""SQL of campaigns. Every statement names the organization. `items` has the SQL of members."""

from collections.abc import Sequence
from uuid import UUID

from sqlalchemy import Select, or_, select
from sqlalchemy.orm import Session

from serving_api.errors import NotFound
from serving_api.kit.filters import contains
from serving_api.kit.pagination import Keyset
from serving_api.kit.rows import rows_of
from serving_api.resources.programs.campaigns.schemas import CampaignQuery
from serving_api.resources.programs.tags.filters import tagged
from warehouse.operational.models import Campaign, CampaignItem, PayoutBudget, ReportLink
from warehouse.operational.session import WriteSession

NEWEST_FIRST = Keyset(Campaign.created_at, Campaign.id, "campaigns")


def filtered(session: Session, organization_id: UUID, query: CampaignQuery) -> Select[Campaign]:
    statement = rows_of(Campaign, organization_id)
    if query.project_id is not None:
        statement = statement.where(Campaign.project_id == query.project_id)
    if query.search is not None:
        statement = statement.where(contains(Campaign.name, query.search))
    return tagged(session, statement, "campaign", organization_id, query)


def has_named(session: Session, organization_id: UUID, project_id: UUID, name: str) -> bool:
    named = rows_of(Campaign, organization_id).where(
        Campaign.project_id == project_id, Campaign.name == name
    )
    return session.scalar(select(named.exists())) is True


def require_in(
    session: Session, organization_id: UUID, project_id: UUID | None, campaign_id: UUID
) -> Campaign:
    """Return the campaign. Raises NotFound if it is absent or not in the given project."""
    campaign = session.scalar(rows_of(Campaign, organization_id, campaign_id))
    if campaign is None or project_id not in (None, campaign.project_id):
        raise NotFound.named("Campaign")
    return campaign


def budgets_of(session: WriteSession, campaign: Campaign) -> Sequence[PayoutBudget]:
    """Return a campaign's budgets locked for update."""
    statement = rows_of(PayoutBudget, campaign.organization_id).where(
        PayoutBudget.campaign_id == campaign.id
    )
    return session.scalars(statement.order_by(PayoutBudget.id).with_for_update()).all()


def reports_of(session: WriteSession, campaign: Campaign) -> Sequence[ReportLink]:
    """Return a campaign's reports locked for update."""
    statement = rows_of(ReportLink, campaign.organization_id).where(
        ReportLink.campaign_id == campaign.id
    )
    return session.scalars(statement.order_by(ReportLink.id).with_for_update()).all()


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
