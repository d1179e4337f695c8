"""Campaigns as choices of filters."""

from uuid import UUID

from serving_api.kit.request_context import RequestContext
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import CampaignQuery

MOST = 100


def campaign_choices(
    context: RequestContext, project_id: UUID, chosen: UUID | None = None
) -> dict[str, str]:
    """Return the names of a project's latest campaigns, and of the chosen one, by id.

    Raises NotFound.
    """
    query = CampaignQuery(project_id=project_id, limit=MOST)
    listed = campaigns.list_campaigns(context, query).data
    names = {str(campaign.id): campaign.name for campaign in listed}
    if chosen and str(chosen) not in names:
        names[str(chosen)] = campaigns.read_campaign(context, chosen).name
    return names
