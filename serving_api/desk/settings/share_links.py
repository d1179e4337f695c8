"""`/desk/projects/{project_id}/settings/share-links`: creators' share pages."""

import json
from collections.abc import Mapping
from functools import partial
from typing import get_args
from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.choices import creator_in, name_of, search_creators
from serving_api.desk.done import redirect
from serving_api.desk.entered import NOTHING, Entered, seen_in, show_again
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, pin_in
from serving_api.desk.once import AdminReader, AdminWriter
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.errors import InvalidBody, NoSections
from serving_api.kit.request_context import RequestContext
from serving_api.resources.tracking.creators.schemas import Creator
from serving_api.resources.tracking.share_links import service as share_links
from serving_api.resources.tracking.share_links.schemas import (
    AnyShareLink,
    NewShareLink,
    Section,
    ShareLinkChanges,
)

SHARE_LINKS = f"{SETTINGS}/share-links"
ONE = f"{SHARE_LINKS}/{{creator_id}}"


router = desk_router()


@router.get(SHARE_LINKS, dependencies=[views])
def show_share_links(
    request: Request,
    context: AdminReader,
    project_id: UUID,
    search: str = "",
    cursor: str | None = None,
) -> Response:
    page = search_creators(context, project_id, search, cursor)
    return settings_page(
        request,
        context,
        "desk_share_links.html",
        "Share links",
        creators=page.data,
        cursor=page.meta.nextCursor,
        search=search,
        name_of=name_of,
    )


@router.get(ONE, dependencies=[views])
def show_share_link(
    request: Request, context: AdminReader, project_id: UUID, creator_id: UUID
) -> Response:
    """Show a creator's share link with its PIN, and the form that changes it."""
    creator = creator_in(context, project_id, creator_id)
    link = share_links.read(context, creator_id, include_pin=True)
    return _page(request, context, creator, link, NOTHING)


@router.post(ONE, dependencies=[views])
def change_share_link(
    request: Request, context: AdminWriter, project_id: UUID, creator_id: UUID, fields: OwnFields
) -> Response:
    """Create a share page, or change its sections, PIN or status, or delete it."""
    creator = creator_in(context, project_id, creator_id)
    link = share_links.read(context, creator_id, include_pin=True)
    show_again(
        request, fields, ("pin", "sections"), partial(_page, request, context, creator, link)
    )
    if "delete" in fields:
        share_links.delete(context, creator_id)
    elif link is None:
        body = body_of(NewShareLink, **_sections(fields), pin=pin_in(fields, "pin"))
        share_links.put(context, creator_id, body)
    elif changes := _changes(fields):
        share_links.change(context, creator_id, body_of(ShareLinkChanges, **changes))
    done = "deleted" if "delete" in fields else "saved" if link else "created"
    return redirect(request.url.path, f"Share page {done}.")


def _changes(fields: Mapping[str, str]) -> dict[str, object]:
    """Return what the form changes; {} if nothing was edited."""
    if "regenerate" in fields:
        return {"regenerate_pin": True}
    if "enabled" in fields:
        return {"enabled": fields["enabled"] == "yes"}
    pin, sections = pin_in(fields, "pin"), _sections(fields)
    seen = seen_in(fields, sections)
    edited = {name: shows for name, shows in sections.items() if seen.get(name) != _box(shows)}
    return {**edited, **({"pin": pin} if pin else {})}


def _box(is_ticked: bool) -> str:
    return "yes" if is_ticked else ""


def _sections(fields: Mapping[str, str]) -> dict[str, bool]:
    shows = {name: name in fields for name in ("show_analytics", "show_payouts")}
    if not any(shows.values()):
        raise InvalidBody.at("sections", NoSections.message)
    return shows


def _page(
    request: Request,
    context: RequestContext,
    creator: Creator,
    link: AnyShareLink | None,
    entered: Entered,
) -> Response:
    return settings_page(
        request,
        context,
        "desk_share_link.html",
        "Share links",
        creator=name_of(creator),
        link=link,
        seen=json.dumps({f"show_{name}": _box(name in link.sections) for name in get_args(Section)})
        if link
        else "",
        entered=entered,
    )
