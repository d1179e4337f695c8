"""Tools about the service itself."""

from serving_api.mcp.catalog.entry import Entries, Entry

SERVICE: Entries = {
    "get_schema": Entry(
        "schema_get",
        "it holds no data; each thing has a tool that lists it.",
        use="What there is, how it is connected, and what its fields mean.",
    ),
    "list_changelog": Entry(
        "changelog_list",
        "what happened to creators and posts is not in it: see `analytics_query` and `notes_list`.",
        use="What changed in this service, for whoever writes programs against it.",
    ),
}
