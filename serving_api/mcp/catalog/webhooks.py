"""Tools for webhooks and their deliveries."""

from serving_api.mcp.catalog.entry import Entries, Entry

WEBHOOKS: Entries = {
    "list_webhook_endpoints": Entry(
        "webhooks_list", "the messages sent to one of them are `webhooks_deliveries`."
    ),
    "create_webhook_endpoint": Entry(
        "webhooks_create",
        "create one only if the user asked for it: it receives numbers, and the response contains"
        " a secret. To change its events, use `webhooks_update`.",
    ),
    "get_webhook_endpoint": Entry(
        "webhooks_get", "the results of its messages are `webhooks_deliveries`."
    ),
    "change_webhook_endpoint": Entry("webhooks_update", "for a new secret, use `webhooks_rotate`."),
    "delete_webhook_endpoint": Entry(
        "webhooks_delete", "to disable it temporarily, use `webhooks_update`."
    ),
    "rotate_webhook_secret": Entry(
        "webhooks_rotate", "to change its URL and events, use `webhooks_update`.", takes_away=True
    ),
    "send_test_webhook": Entry("webhooks_test", "to resend real events, use `webhooks_redeliver`."),
    "list_webhook_deliveries": Entry(
        "webhooks_deliveries", "the events themselves are `webhooks_events`."
    ),
    "redeliver_webhooks": Entry(
        "webhooks_redeliver",
        "to check whether an endpoint is reachable, use `webhooks_test`.",
        use="To resend events.",
    ),
    "list_webhook_events": Entry(
        "webhooks_events", "the results of sending them are `webhooks_deliveries`."
    ),
}
