"""`/desk/projects/{project_id}/settings/apps`: connecting agents, and apps of members."""

from uuid import UUID

from fastapi import Request, Response

from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import chosen_in
from serving_api.desk.once import Reader, Writer
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.kit.pagination import PageQuery
from serving_api.oauth.grants import REFRESH_LASTS
from serving_api.oauth.metadata import MEANINGS, resource_of
from serving_api.resources.organization import connected_apps

APPS = f"{SETTINGS}/apps"

router = desk_router()


@router.get(APPS, dependencies=[views])
def show_apps(request: Request, context: Reader, cursor: str | None = None) -> Response:
    """Show how to connect an agent, and the member's apps; to admins those of all members."""
    apps = connected_apps.list_apps(context, context.organization_id, PageQuery(cursor=cursor))
    return settings_page(
        request,
        context,
        "desk_apps.html",
        "Agents",
        address=resource_of(request),
        meanings=MEANINGS,
        refresh_lasts=REFRESH_LASTS,
        apps=apps.data,
        cursor=apps.meta.nextCursor,
    )


@router.post(APPS, dependencies=[views])
def disconnect_app(context: Writer, project_id: UUID, fields: OwnFields) -> Response:
    _, [app_id, *_] = chosen_in(fields, ["disconnect"])
    app = connected_apps.disconnect(context, context.organization_id, app_id)
    left = connected_apps.list_apps(context, context.organization_id, PageQuery()).data
    others = [each for each in left if (each.name, each.user_id) == (app.name, app.user_id)]
    more = " Another app of this name is still connected." if others else ""
    return redirect(APPS.format(project_id=project_id), f"{app.name} disconnected.{more}")
