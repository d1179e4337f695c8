"""Tools about conversions and the kinds of them."""

from serving_api.mcp.catalog.entry import Entries, Entry

CONVERSIONS: Entries = {
    "list_conversion_events": Entry(
        "conversion_events_list",
        "what happened is in `conversions_list`; these are the kinds of outcome.",
    ),
    "create_conversion_event": Entry(
        "conversion_events_create",
        "to record that an outcome happened, use `conversions_record`.",
    ),
    "get_conversion_event": Entry(
        "conversion_events_get",
        "the conversions of it are `conversions_list` with `conversion_event_id`.",
    ),
    "change_conversion_event": Entry(
        "conversion_events_update",
        "a conversion that was recorded does not change; void it with `conversions_void`.",
    ),
    "delete_conversion_event": Entry(
        "conversion_events_delete",
        "`mode=hard` also deletes all its conversions and cannot be undone: only where someone"
        " asked for just that.",
    ),
    "list_conversions": Entry(
        "conversions_list",
        "what they earned creators is `payout_accruals_list`.",
    ),
    "record_conversions": Entry(
        "conversions_record",
        "the kind of outcome has to exist: `conversion_events_create`. Send `external_id`, so"
        " that recording twice counts once.",
    ),
    "get_conversion": Entry(
        "conversions_get",
        "to find conversions, use `conversions_list`.",
    ),
    "void_conversion": Entry(
        "conversions_void",
        "`mode=hard` deletes it for good: only where someone asked for just that.",
    ),
}
