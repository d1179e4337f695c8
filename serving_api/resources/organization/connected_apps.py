"""`/organizations/{organization_id}/connected-apps`: the OAuth consents in force.

Members see and end their own, org admins with the scope `admin` those of all members.
"""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from uuid import UUID

from pydantic import BaseModel, Field
from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from serving_api.auth.dependencies import Reader, Writer
from serving_api.http.keyed_route import keyed_router
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import Keyset, PageQuery, read_slice
from serving_api.kit.request_context import RequestContext, WriteContext
from serving_api.kit.rows import from_row, require_row, rows_of
from serving_api.kit.schemas import Params
from serving_api.oauth.authorization_request import origin_of
from serving_api.resources.organization.members import repository as members
from warehouse.clock import system_clock
from warehouse.operational.models import OauthClient, OauthGrant


class ConnectedApp(BaseModel):
    """An app that a member authorized. Its name is its own, unverified choice."""

    id: UUID
    name: str
    redirects_to: str = Field(description="Where the app got its code", examples=["https://a.app"])
    user_id: UUID
    display_name: str = Field(description="The member's name")
    scopes: list[str]
    created_at: datetime
    expires_at: datetime = Field(description="When the consent ends unless the app renews it")


NEWEST_FIRST = Keyset(OauthGrant.created_at, OauthGrant.id, "connected-apps")


def list_apps(
    context: RequestContext, organization_id: UUID, query: PageQuery
) -> Page[ConnectedApp]:
    """Return a page of the apps that the caller may disconnect. Raises NotFound."""
    statement = _in_force(context, organization_id)
    page_slice = read_slice(context.session, statement, NEWEST_FIRST.of(organization_id), query)
    return page_slice.page(partial(_present, context.session))


def disconnect(context: WriteContext, organization_id: UUID, app_id: UUID) -> ConnectedApp:
    """End a consent, the member's others for the same app, and all tokens. Raises NotFound.

    Return the app.
    """
    own = _in_force(context, organization_id)
    chosen = context.session.scalar(own.where(OauthGrant.id == app_id))
    grant = require_row(chosen, "Connected app")
    of_app = own.where(
        OauthGrant.client_id == grant.client_id, OauthGrant.user_id == grant.user_id
    ).order_by(OauthGrant.id)
    for row in context.session.scalars(of_app.with_for_update()):
        row.revoked_at = system_clock()
    context.session.flush()
    return _present(context.session, [grant])[0]


def _in_force(context: RequestContext, organization_id: UUID) -> Select[OauthGrant]:
    context.caller.require_organization(organization_id)
    in_force = rows_of(OauthGrant, organization_id).where(
        OauthGrant.revoked_at.is_(None), OauthGrant.expires_at > system_clock()
    )
    if "admin" in context.caller.scopes:
        return in_force
    return in_force.where(OauthGrant.user_id == context.caller.user_id)


def _present(session: Session, grants: Sequence[OauthGrant]) -> list[ConnectedApp]:
    names: Select[UUID, str] = select(OauthClient.id, OauthClient.name).where(
        OauthClient.id.in_([grant.client_id for grant in grants])
    )
    apps = dict(session.execute(names).all())
    users = members.users(session, [grant.user_id for grant in grants])
    return [
        from_row(
            ConnectedApp,
            grant,
            name=apps[grant.client_id],
            redirects_to=origin_of(grant.redirect_uri),
            display_name=users[grant.user_id].display_name,
        )
        for grant in grants
    ]


router = keyed_router("connected apps")

APPS = "/organizations/{organization_id}/connected-apps"


@router.get(APPS)
def list_connected_apps(
    *, context: Reader, organization_id: UUID, query: Params[PageQuery]
) -> Page[ConnectedApp]:
    """List the apps that you authorized for MCP. The newest comes first.

    Org admins with the scope `admin` see those of all members.
    """
    return list_apps(context, organization_id, query)


@router.delete(f"{APPS}/{{app_id}}")
def disconnect_app(*, context: Writer, organization_id: UUID, app_id: UUID) -> Envelope[Deleted]:
    """End an app's access for its member at once: all consents and tokens.

    Org admins with the scope `admin` can disconnect the apps of all members.
    """
    disconnect(context, organization_id, app_id)
    return Envelope(data=Deleted())
