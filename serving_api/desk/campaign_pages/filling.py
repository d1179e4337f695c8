"""`/desk/projects/{project_id}/campaigns/new`, and the creators of a campaign."""

from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.auth.dependencies import reads
from serving_api.desk.campaign_pages.content import campaign_in
from serving_api.desk.campaign_pages.routes import CAMPAIGNS
from serving_api.desk.entered import NOTHING, Entered, require_read, show_again
from serving_api.desk.entry import SEE_OTHER, Entry, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.project_pages import project_page
from serving_api.desk.routes import views
from serving_api.desk.settings.creators import MANY, name_of, naming_creators, search_creators
from serving_api.resources.programs.campaigns import endpoints as membership
from serving_api.resources.programs.campaigns import service as campaigns
from serving_api.resources.programs.campaigns.schemas import Item, NewCampaign

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
    return RedirectResponse(then, SEE_OTHER)


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
    """Show the project's creators and whether each is in the campaign."""
    campaign = campaign_in(context, project_id, campaign_id)
    page = search_creators(context, project_id, search, cursor, MANY)
    return project_page(
        request,
        "desk_campaign_creators.html",
        "Campaigns",
        campaign=campaign,
        creators=page.data,
        members=membership.creators_among(
            context, campaign_id, [creator.id for creator in page.data]
        ),
        cursor=page.meta.nextCursor,
        search=search,
        name_of=name_of,
    )


@router.post(CREATORS, dependencies=[views])
def change_creators_in(
    request: Request, context: Writer, project_id: UUID, campaign_id: UUID, fields: OwnFields
) -> Response:
    """Add or remove the selected creators, all or none."""
    campaign_in(context, project_id, campaign_id)
    action, chosen = chosen_in(fields, ("add", "remove"))
    if action == "add":
        with naming_creators(context):
            membership.add_creators(context, campaign_id, chosen)
    else:
        for creator_id in chosen:
            membership.remove(context, campaign_id, Item(item_type="creator", item_id=creator_id))
    return RedirectResponse(f"{request.url.path}?{request.url.query}".rstrip("?"), SEE_OTHER)


def _new(request: Request, entered: Entered) -> Response:
    values = {"entered": entered}
    return project_page(request, "desk_campaign_new.html", "Campaigns", **values)
