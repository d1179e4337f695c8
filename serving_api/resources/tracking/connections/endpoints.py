"""`/creators/{creator_id}/connect-links` and `/accounts/{account_id}/connection`."""

from uuid import UUID

from serving_api.auth.dependencies import AdminWriter, Writer
from serving_api.errors import Conflict, InvalidParams, NotFound
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope
from serving_api.openapi import answers
from serving_api.resources.tracking.connections import schemas, service

router = keyed_router("connections")


@router.post(
    "/creators/{creator_id}/connect-links",
    status_code=201,
    responses=answers(Conflict, InvalidParams, NotFound),
)
@idempotent(secrets=("url",))
def create_connect_link(*, context: Writer, creator_id: UUID) -> Envelope[schemas.ConnectLink]:
    """Create a link with which a creator connects accounts through the platforms' own login.

    Send it to the creator. It is valid for a week. Figures of a connected account are exact.
    """
    link = service.make_link(context, creator_id)
    return Envelope(data=link)


@router.delete("/accounts/{account_id}/connection", responses=answers(InvalidParams, NotFound))
def disconnect_account(*, context: AdminWriter, account_id: UUID) -> Envelope[Deleted]:
    """Disconnect an account, if it is connected. Its tokens are revoked and deleted."""
    return Envelope(data=service.disconnect(context, account_id))
