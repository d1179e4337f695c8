"""`/desk/projects/{project_id}/settings/keys`: API keys."""

from uuid import UUID

from fastapi import Request, Response
from markupsafe import Markup

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.desk.done import redirect
from serving_api.desk.entry import OwnFields, desk_router
from serving_api.desk.forms import body_of, chosen_in
from serving_api.desk.once import Admin, ReadingAdmin
from serving_api.desk.routes import views
from serving_api.desk.settings.pages import SETTINGS, FormPage, settings_page
from serving_api.errors import InvalidBody
from serving_api.kit.pagination import PageQuery
from serving_api.resources.organization.api_keys import service as api_keys
from serving_api.resources.organization.api_keys.schemas import NewApiKey

ON_A_PAGE = 50
KEYS = f"{SETTINGS}/keys"
NEW_KEY = f"{KEYS}/new"

PAGE = FormPage(
    "API keys",
    "Create an API key",
    "Create key",
    BodyForm(
        NewApiKey,
        Field("name", "Name", "The program that uses the key."),
        Field(
            "scopes",
            "Scopes",
            choices={
                "read": Markup("<code>read</code> Read numbers, creators, posts and amounts"),
                "write": Markup("<code>write</code> Change everything that members can change"),
                "admin": Markup(
                    "<code>admin</code> Change everything that only admins can change,"
                    " including keys and members"
                ),
            },
            value="read",
        ),
        Field("expires_at", "Expiry date", "Leave empty for no expiry."),
    ),
    "The key acts as you. It stops working if you leave the organization.",
)

router = desk_router()


@router.get(KEYS, dependencies=[views])
def show_keys(request: Request, context: ReadingAdmin, cursor: str | None = None) -> Response:
    """Show the organization's keys, newest first, including revoked ones."""
    query = PageQuery(limit=ON_A_PAGE, cursor=cursor)
    keys = api_keys.list_keys(context, context.organization_id, query)
    return settings_page(
        request, context, "desk_keys.html", "API keys", keys=keys.data, cursor=keys.meta.nextCursor
    )


@router.post(KEYS, dependencies=[views])
def revoke_key(context: Admin, project_id: UUID, fields: OwnFields) -> Response:
    _, [key_id, *_] = chosen_in(fields, ["revoke"])
    api_keys.revoke(context, context.organization_id, key_id)
    return redirect(KEYS.format(project_id=project_id), "Key revoked.")


@router.get(NEW_KEY, dependencies=[views])
def show_new_key(request: Request, context: ReadingAdmin) -> Response:
    return PAGE.show(request, context)


@router.post(NEW_KEY, dependencies=[views])
def make_key(request: Request, context: Admin, fields: OwnFields) -> Response:
    """Create a key that acts as the member, and show it once."""
    PAGE.show_again(request, context, fields)
    body = PAGE.form.read(fields, context.caller.analytics_tz)
    if not body["scopes"]:
        raise InvalidBody.at("scopes", "Choose at least one scope")
    made = api_keys.create(context, context.organization_id, body_of(NewApiKey, **body))
    return settings_page(request, context, "desk_key_made.html", "API keys", made=made)
