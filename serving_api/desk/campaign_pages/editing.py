"""`/desk/projects/{project_id}/campaigns/{campaign_id}/edit`: name, target, nested campaigns."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import reads
from serving_api.desk.campaign_pages.content import campaign_in
from serving_api.desk.campaign_pages.routes import CAMPAIGNS
from serving_api.desk.entered import Entered, merged, show_again
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, end_of_day_in, number_in
from serving_api.desk.once import Writer
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.kit.request_context import RequestContext
from serving_api.resources.analytics.leaderboards import repository as named
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity
from serving_api.resources.programs.campaigns import endpoints as membership
from serving_api.resources.programs.campaigns import repository as items
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import (
    Campaign,
    CampaignChanges,
    CampaignDetail,
    CampaignQuery,
    Item,
)

EDIT = f"{CAMPAIGNS}/{{campaign_id}}/edit"
MOST_CAMPAIGNS = 100
NAMES = ("name", "target_views", "target_at", "item_id")

router = desk_router()


@dataclass(frozen=True, slots=True)
class Edited:
    """A campaign, its nested campaigns, and the latest others that it may contain."""

    campaign: CampaignDetail
    inside: Collection[CreatorEntity]
    others: list[Campaign]


@router.get(EDIT, dependencies=[views])
def show_edit(
    request: Request,
    context: Annotated[RequestContext, reads(Entry("read"))],
    project_id: UUID,
    campaign_id: UUID,
) -> Response:
    edited = _edited(context, project_id, campaign_id)
    filled = _filled(context, edited.campaign)
    return _page(request, edited, Entered(filled, {}), seen=filled)


@router.post(EDIT, dependencies=[views])
def edit_campaign(
    request: Request, context: Writer, project_id: UUID, campaign_id: UUID, fields: OwnFields
) -> Response:
    """Rename, set a target, add or remove a nested campaign, or delete the campaign."""
    edited = _edited(context, project_id, campaign_id)
    filled = _filled(context, edited.campaign)

    def show(entered: Entered) -> Response:
        values = {**filled, **entered.values}
        return _page(request, edited, replace(entered, values=values), seen=filled)

    show_again(request, fields, NAMES, show)
    if "delete" in fields:
        campaigns.delete(context, campaign_id)
        return RedirectResponse(CAMPAIGNS.format(project_id=project_id), SEE_OTHER)
    if "take_out" in fields:
        item = body_of(Item, item_type="campaign", item_id=fields["take_out"])
        membership.remove(context, campaign_id, item)
    elif "put_in" in fields:
        item = body_of(Item, item_type="campaign", item_id=fields.get("item_id"))
        membership.add(context, campaign_id, item)
    else:
        entered = merged(fields, filled)
        changes: dict[str, Any] = {
            "name": entered["name"],
            "target_views": number_in(entered, "target_views"),
        }
        if entered["target_at"] != filled["target_at"]:
            zone = context.caller.analytics_tz
            changes["target_at"] = end_of_day_in(entered, "target_at", zone)
        campaigns.change(context, campaign_id, body_of(CampaignChanges, **changes))
        back = f"{CAMPAIGNS.format(project_id=project_id)}/{campaign_id}"
        return RedirectResponse(back, SEE_OTHER)
    return RedirectResponse(request.url.path, SEE_OTHER)


def _edited(context: RequestContext, project_id: UUID, campaign_id: UUID) -> Edited:
    campaign = campaign_in(context, project_id, campaign_id)
    pairs = items.campaigns_in(context.session, context.organization_id, [campaign_id])
    inside = {inner for _, inner in pairs}
    query = CampaignQuery(project_id=project_id, limit=MOST_CAMPAIGNS)
    listed = campaigns.list_campaigns(context, query).data
    return Edited(
        campaign,
        named.campaigns(context.session, context.organization_id, inside).values(),
        [other for other in listed if other.id not in inside and other.id != campaign_id],
    )


def _filled(context: RequestContext, campaign: CampaignDetail) -> dict[str, str]:
    """Return the initial values of the form."""
    until = campaign.target_at
    zone = ZoneInfo(context.caller.analytics_tz)
    return {
        "name": campaign.name,
        "target_views": "" if campaign.target_views is None else str(campaign.target_views),
        "target_at": until.astimezone(zone).date().isoformat() if until else "",
    }


def _page(
    request: Request, edited: Edited, entered: Entered, *, seen: Mapping[str, str]
) -> Response:
    return project_page(
        request,
        "desk_campaign_edit.html",
        "Campaigns",
        edited=edited,
        entered=entered,
        seen=json.dumps(seen),
    )
