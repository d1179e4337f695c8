"""`/webhook-endpoints` and `/webhook-events`."""

from uuid import UUID

from serving_api.auth.dependencies import Admin, ReadingAdmin
from serving_api.errors import Conflict
from serving_api.http.keyed_route import keyed_router
from serving_api.idempotency.declaration import idempotent
from serving_api.kit.envelope import Deleted, Envelope, Page
from serving_api.kit.pagination import PageQuery
from serving_api.kit.schemas import Params
from serving_api.openapi import answers
from serving_api.resources.organization.webhooks import schemas, service

router = keyed_router("webhooks")

ENDPOINT = "/webhook-endpoints/{endpoint_id}"


@router.get("/webhook-endpoints")
def list_webhook_endpoints(
    *, context: ReadingAdmin, query: Params[PageQuery]
) -> Page[schemas.WebhookEndpoint]:
    """List webhook endpoints. The newest comes first."""
    return service.list_endpoints(context, query)


@router.post("/webhook-endpoints", status_code=201, responses=answers(Conflict))
@idempotent(secrets=("secret",))
def create_webhook_endpoint(
    *, context: Admin, body: schemas.NewWebhookEndpoint
) -> Envelope[schemas.SecretWebhookEndpoint]:
    """Create a webhook endpoint. Its messages are signed by Standard Webhooks.

    The secret is shown only once. A message without a 2xx answer within 15 seconds is retried, ten
    times over three days. Messages about one entity are sent in order.
    """
    return Envelope(data=service.create(context, body))


@router.get(ENDPOINT)
def get_webhook_endpoint(
    *, context: ReadingAdmin, endpoint_id: UUID
) -> Envelope[schemas.WebhookEndpoint]:
    """Return one webhook endpoint."""
    return Envelope(data=service.read(context, endpoint_id))


@router.patch(ENDPOINT)
def change_webhook_endpoint(
    *, context: Admin, endpoint_id: UUID, changes: schemas.WebhookEndpointChanges
) -> Envelope[schemas.WebhookEndpoint]:
    """Change, disable or enable a webhook endpoint."""
    return Envelope(data=service.change(context, endpoint_id, changes))


@router.delete(ENDPOINT)
def delete_webhook_endpoint(*, context: Admin, endpoint_id: UUID) -> Envelope[Deleted]:
    """Delete a webhook endpoint. Its pending messages are not sent."""
    return Envelope(data=service.delete(context, endpoint_id))


@router.post(f"{ENDPOINT}/rotate-secret")
@idempotent(secrets=("secret",))
def rotate_webhook_secret(
    *, context: Admin, endpoint_id: UUID
) -> Envelope[schemas.SecretWebhookEndpoint]:
    """Rotate a webhook endpoint's secret. The new secret is shown only once.

    For 24 hours messages are signed with the previous secrets too, at most the last four.
    """
    return Envelope(data=service.rotate_secret(context, endpoint_id))


@router.post(f"{ENDPOINT}/test", responses=answers(Conflict))
@idempotent()
def send_test_webhook(*, context: Admin, endpoint_id: UUID) -> Envelope[schemas.WebhookDelivery]:
    """Send a `webhook.test` event to an endpoint. Its deliveries show the result."""
    return Envelope(data=service.send_test(context, endpoint_id))


@router.get(f"{ENDPOINT}/deliveries")
def list_webhook_deliveries(
    *, context: ReadingAdmin, endpoint_id: UUID, query: Params[schemas.WebhookDeliveryQuery]
) -> Page[schemas.WebhookDelivery]:
    """List an endpoint's deliveries, pending ones included. The newest comes first."""
    return service.list_deliveries(context, endpoint_id, query)


@router.post(f"{ENDPOINT}/redeliver", responses=answers(Conflict))
@idempotent()
def redeliver_webhooks(
    *, context: Admin, endpoint_id: UUID, body: schemas.Redelivery
) -> Envelope[schemas.Redelivered]:
    """Resend events of the log, or all events since an instant that were not delivered."""
    return Envelope(data=service.redeliver(context, endpoint_id, body))


@router.get("/webhook-events")
def list_webhook_events(
    *, context: ReadingAdmin, query: Params[schemas.WebhookEventQuery]
) -> Page[schemas.WebhookEvent]:
    """List events of the last 90 days, logged since the first endpoint. The newest comes first."""
    return service.list_events(context, query)
