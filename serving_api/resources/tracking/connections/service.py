"""`/creators/{creator_id}/connect-links` and `/accounts/{account_id}/connection`."""

from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Writer
from serving_api.connect_page.offers import connectable_of
from serving_api.connect_page.service import ConnectPage, LoginsByPlatform, disconnect_after, expiry
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.kit.request_context import RequestContext
from serving_api.kit.rows import require_own
from serving_api.openapi import answers
from serving_api.resources.tracking.connections import schemas
from serving_api.resources.tracking.creators import repository as creators
from warehouse.clock import system_clock
from warehouse.connections import rows
from warehouse.operational.models import Account
from warehouse.operational.session import WriteSession


def make_link(context: RequestContext, creator_id: UUID) -> schemas.ConnectLink:
    """Return a new link for a creator. Raises NotFound, and Conflict if no account can connect."""
    creators.require_active(context, creator_id)
    accounts = connectable_of(
        context.session, context.organization_id, creator_id, context.services[ConnectPage].logins
    )
    if not accounts:
        raise _nothing(context.services[ConnectPage].logins)
    connections = rows.of_accounts(
        context.session, context.organization_id, [account.id for account in accounts]
    )
    return schemas.ConnectLink(
        url=context.services[ConnectPage].links.url_for(creator_id),
        expires_at=expiry(system_clock()),
        accounts=schemas.connectable(accounts, connections),
    )


def end_with_handle(session: WriteSession, organization_id: UUID, account_id: UUID) -> None:
    """End the connection of an account whose handle is about to change."""
    row = rows.of_accounts(session, organization_id, [account_id]).get(account_id)
    connection = row and rows.lock(session, row.id)
    if connection is not None:
        connection.ended_at = system_clock()
        disconnect_after(session)


def _nothing(logins: LoginsByPlatform) -> Conflict:
    if not logins:
        return Conflict(
            "This installation is not registered with any platform. Its operator has to set"
            " TRACKER_TIKTOK_LOGIN_CLIENT_ID or TRACKER_INSTAGRAM_LOGIN_CLIENT_ID.",
            reason="connecting_not_set_up",
        )
    names = ", ".join(logins)
    return Conflict(
        f"The creator has no active account on {names}. Add one first.", reason="nothing_to_connect"
    )


router = keyed_router("connections")


@router.post("/creators/{creator_id}/connect-links", status_code=201, responses=answers(Conflict))
@idempotent(secrets=("url",))
def create_connect_link(*, context: Writer, creator_id: UUID) -> Envelope[schemas.ConnectLink]:
    """Create a link with which a creator connects accounts through the platforms' own login.

    Send it to the creator. It is valid for a week. Figures of a connected account are exact.
    """
    link = make_link(context, creator_id)
    return Envelope(data=link)


@router.delete("/accounts/{account_id}/connection")
def disconnect_account(*, context: AdminWriter, account_id: UUID) -> Envelope[Deleted]:
    """Disconnect an account, if it is connected. Its tokens are revoked and deleted."""
    require_own(context, Account, account_id, "Account")
    row = rows.of_accounts(context.session, context.organization_id, [account_id]).get(account_id)
    connection = row and rows.lock(context.session, row.id)
    if connection is None or connection.ended_at is not None:
        return Envelope(data=Deleted(deleted=False))
    connection.ended_at = system_clock()
    disconnect_after(context.session)
    return Envelope(data=Deleted())
