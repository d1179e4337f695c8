"""`/desk/projects/{project_id}/campaigns/new` and `…/{campaign_id}/edit`: campaigns, creators."""

import json
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any
from uuid import UUID
from zoneinfo import ZoneInfo

from fastapi import Request, Response

from serving_api.auth.dependencies import reads
from serving_api.desk.campaign_pages.content import campaign_in
from serving_api.desk.campaign_pages.routes import CAMPAIGNS
from serving_api.desk.choices import MANY, name_of, naming_creators, search_creators
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, ShowForm, merged, require_read, show_again
from serving_api.desk.entry import Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, end_of_day_in, number_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.resources.analytics.leaderboards import repository as named
from serving_api.resources.analytics.leaderboards.schemas import CreatorEntity
from serving_api.resources.payouts.accruals.summary import plural
from serving_api.resources.programs.campaigns import endpoints as membership
from serving_api.resources.programs.campaigns import repository as items
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import (
    Campaign,
    CampaignChanges,
    CampaignDetail,
    CampaignQuery,
    Item,
    NewCampaign,
)
from warehouse.zones import in_zone

NEW = f"{CAMPAIGNS}/new"
ANOTHER = "Create another with this name"
CREATORS = f"{CAMPAIGNS}/{{campaign_id}}/creators"


router = desk_router()


@router.get(NEW, dependencies=[views, reads(Entry("read"))])
def show_new_campaign(request: Request) -> Response:
    return _new(request, NOTHING)


@router.post(NEW, dependencies=[views])
def make_campaign(
    request: Request, context: Writer, project_id: UUID, fields: OwnFields
) -> Response:
    """Create a campaign and redirect to choosing its creators."""
    show_again(request, fields, ("name",), partial(_new, request))
    body = body_of(NewCampaign, name=fields.get("name"))
    if campaigns.has_named(context, project_id, body.name):  # for example, after the browser's Back
        require_read(fields, ANOTHER)
    made = campaigns.create(context, project_id, body)
    then = CREATORS.format(project_id=project_id, campaign_id=made.id)
    return redirect(then, "Campaign created.")


@router.get(CREATORS, dependencies=[views])
def show_creators_to_add(
    *,
    request: Request,
    context: Reader,
    project_id: UUID,
    campaign_id: UUID,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    campaign = campaign_in(context, project_id, campaign_id)
    return _creators(request, context, campaign, search, cursor)(NOTHING)


@router.post(CREATORS, dependencies=[views])
def change_creators_in(
    *,
    request: Request,
    context: Writer,
    project_id: UUID,
    campaign_id: UUID,
    fields: OwnFields,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    """Add or remove the selected creators, all or none."""
    campaign = campaign_in(context, project_id, campaign_id)
    show_again(request, fields, (), _creators(request, context, campaign, search, cursor))
    action, chosen = chosen_in(fields, ("add", "remove"))
    if action == "add":
        with naming_creators(context):
            changed = membership.add_creators(context, campaign_id, chosen)
    else:
        changed = [each for each in chosen if _remove(context, campaign_id, each)]
    back = f"{request.url.path}?{request.url.query}".rstrip("?")
    done, undo = ("added", "remove") if action == "add" else ("removed", "add")
    return redirect(back, f"{plural(len(changed), 'creator')} {done}.", undo, changed)


def _remove(context: WriteContext, campaign_id: UUID, creator_id: UUID) -> bool:
    """Remove a creator; return whether it was a member."""
    creator = Item(item_type="creator", item_id=creator_id)
    return membership.remove(context, campaign_id, creator).deleted


def _creators(
    request: Request,
    context: RequestContext,
    campaign: CampaignDetail,
    search: str,
    cursor: str | None,
) -> ShowForm:
    page = search_creators(context, campaign.project_id, search, cursor, MANY)
    ids = [creator.id for creator in page.data]
    values: dict[str, Any] = {
        "campaign": campaign,
        "creators": page.data,
        "members": membership.creators_among(context, campaign.id, ids),
        "cursor": page.meta.nextCursor,
        "search": search,
        "name_of": name_of,
    }

    def show(entered: Entered) -> Response:
        template = "desk_campaign_creators.html"
        return project_page(request, template, "Campaigns", entered=entered, **values)

    return show


def _new(request: Request, entered: Entered) -> Response:
    values = {"entered": entered}
    return project_page(request, "desk_campaign_new.html", "Campaigns", **values)


EDIT = f"{CAMPAIGNS}/{{campaign_id}}/edit"
MOST_CAMPAIGNS = 100
NAMES = ("name", "target_views", "target_at", "item_id")


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
        return redirect(CAMPAIGNS.format(project_id=project_id), "Campaign deleted.")
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
        return redirect(back, "Campaign saved.")
    done = "removed" if "take_out" in fields else "added"
    return redirect(request.url.path, f"Nested campaign {done}.")


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
    until = campaign.target_at
    zone = ZoneInfo(context.caller.analytics_tz)
    return {
        "name": campaign.name,
        "target_views": "" if campaign.target_views is None else str(campaign.target_views),
        "target_at": in_zone(until, zone).date().isoformat() if until else "",
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
