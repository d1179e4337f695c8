"""`/desk/projects/{project_id}/settings/keys`: API keys."""

from collections.abc import Mapping
from functools import partial
from uuid import UUID

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from serving_api.desk.entered import NOTHING, Entered, show_again
from serving_api.desk.entry import SEE_OTHER, OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in, end_of_day_in
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, settings_page
from serving_api.errors import InvalidBody
from serving_api.kit.pagination import PageQuery
from serving_api.kit.principals import Scope
from serving_api.kit.request_context import RequestContext
from serving_api.resources.organization.api_keys import service as api_keys
from serving_api.resources.organization.api_keys.schemas import NewApiKey

ON_A_PAGE = 50
KEYS = f"{SETTINGS}/keys"
NEW_KEY = f"{KEYS}/new"

SCOPES: Mapping[Scope, str] = {
    "read": "Read numbers, creators, posts and amounts",
    "write": "Change everything that members can change",
    "admin": "Change everything that only admins can change, including keys and members",
}

router = desk_router()


@router.get(KEYS, dependencies=[views])
def show_keys(request: Request, context: ReadingAdmin, cursor: str | None = None) -> Response:
    """Show the organization's keys, newest first, including revoked ones."""
    query = PageQuery(limit=ON_A_PAGE, cursor=cursor)
    keys = api_keys.list_keys(context, context.organization_id, query)
    return settings_page(
        request,
        context,
        "desk_keys.html",
        "API keys",
        keys=keys.data,
        cursor=keys.meta.nextCursor,
    )


@router.post(KEYS, dependencies=[views])
def revoke_key(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    _, [key_id, *_] = chosen_in(fields, ["revoke"])
    api_keys.revoke(context, context.organization_id, key_id)
    return RedirectResponse(KEYS.format(project_id=project_id), SEE_OTHER)


@router.get(NEW_KEY, dependencies=[views])
def show_new_key(request: Request, context: ReadingAdmin) -> Response:
    return _form(request, context, NOTHING)


@router.post(NEW_KEY, dependencies=[views])
def make_key(request: Request, context: Admin, fields: OwnFields) -> Response:
    """Create a key that acts as the member, and show it once."""
    show_again(request, fields, ("name", "scopes", "expires_at"), partial(_form, request, context))
    made = api_keys.create(context, context.organization_id, _body(context, fields))
    return settings_page(request, context, "desk_key_made.html", "API keys", made=made)


def _body(context: RequestContext, fields: Mapping[str, str]) -> NewApiKey:
    """Return the form's key, valid through its expiry date. Raises InvalidBody."""
    end = end_of_day_in(fields, "expires_at", context.caller.analytics_tz)
    scopes = [scope for scope in SCOPES if f"scopes.{scope}" in fields]
    if not scopes:
        raise InvalidBody.at("scopes", "Choose at least one scope")
    return body_of(NewApiKey, name=fields.get("name"), scopes=scopes, expires_at=end)


def _form(request: Request, context: RequestContext, entered: Entered) -> Response:
    return settings_page(
        request,
        context,
        "desk_key.html",
        "API keys",
        entered=entered,
        scopes=SCOPES,
        status=entered.status,
    )
