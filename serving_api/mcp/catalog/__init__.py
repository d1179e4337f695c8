"""Tool names of all operations, and when to use another tool; one module per domain.

Each operation of the OpenAPI document must be here or in LEFT_OUT; a contract test checks it.
"""

from collections.abc import Mapping

from serving_api.mcp.catalog.creators import CREATORS
from serving_api.mcp.catalog.entry import Entries
from serving_api.mcp.catalog.organization import ORGANIZATION, SERVICE, WEBHOOKS
from serving_api.mcp.catalog.payouts import PAYOUTS
from serving_api.mcp.catalog.projects import CONVERSIONS, PROJECTS
from serving_api.mcp.catalog.tags_and_notes import NOTES, TAGS
from serving_api.mcp.catalog.videos import ANALYTICS, COMMENTS, VIDEOS

TOOLSETS: Mapping[str, Entries] = {
    "organization": ORGANIZATION,
    "projects": PROJECTS,
    "creators": CREATORS,
    "videos": VIDEOS,
    "analytics": ANALYTICS,
    "conversions": CONVERSIONS,
    "payouts": PAYOUTS,
    "comments": COMMENTS,
    "tags": TAGS,
    "notes": NOTES,
    "webhooks": WEBHOOKS,
    "service": SERVICE,
}
"""Groups of tools for `?toolsets=`."""

TOOLS: Entries = {name: entry for each in TOOLSETS.values() for name, entry in each.items()}

DEFAULT = frozenset(
    {
        "me_get",
        "projects_list",
        "projects_health",
        "creators_list",
        "campaigns_list",
        "campaigns_costs",
        "videos_list",
        "goals_compliance",
        "analytics_query",
        "leaderboards_creators",
        "leaderboards_videos",
        "payout_balances_get",
        "payout_accruals_list",
        "payout_accruals_get",
    }
)
"""Tools listed without `?toolsets=`: most tasks start with one of them."""

LEFT_OUT: Mapping[str, str] = {
    "get_openapi_document": "each operation is a tool; the document would fill an agent's context,"
    " and the data model is the resource tracker://schema",
    "get_video_thumbnail": "agents read the caption instead of the picture",
}
"""Operations that are not tools, and why."""
