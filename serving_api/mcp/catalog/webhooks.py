"""Tools about webhooks: who is told of events, and the log of these."""

from serving_api.mcp.catalog.entry import Entries, Entry

WEBHOOKS: Entries = {
    "list_webhook_endpoints": Entry(
        "webhooks_list",
        "what was sent to one of them is in `webhooks_deliveries`.",
    ),
    "create_webhook_endpoint": Entry(
        "webhooks_create",
        "never make one unless someone asked for it: figures go there, and its answer holds a"
        " secret. To ask for other events, use `webhooks_update`.",
    ),
    "get_webhook_endpoint": Entry(
        "webhooks_get",
        "how its messages fared is in `webhooks_deliveries`.",
    ),
    "change_webhook_endpoint": Entry(
        "webhooks_update",
        "another secret is made by `webhooks_rotate`.",
    ),
    "delete_webhook_endpoint": Entry(
        "webhooks_delete",
        "to stop it for a while, use `webhooks_update`.",
    ),
    "rotate_webhook_secret": Entry(
        "webhooks_rotate",
        "its address and events change with `webhooks_update`.",
        takes_away=True,
    ),
    "send_test_webhook": Entry(
        "webhooks_test",
        "real events are sent once more with `webhooks_redeliver`.",
    ),
    "list_webhook_deliveries": Entry(
        "webhooks_deliveries",
        "what happened, wherever it was sent, is in `webhooks_events`.",
    ),
    "redeliver_webhooks": Entry(
        "webhooks_redeliver",
        "whether an endpoint can be reached at all is tried with `webhooks_test`.",
        use="To resend events.",
    ),
    "list_webhook_events": Entry(
        "webhooks_events",
        "how sending them went is in `webhooks_deliveries`.",
    ),
}
