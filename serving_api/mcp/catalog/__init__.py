"""What every operation is called as a tool, and when to use another one: a module for each field.

An operation of the OpenAPI document that is neither here nor in LEFT_OUT is no tool, and the
contract test fails that compares the two.
"""

from collections.abc import Mapping

from serving_api.mcp.catalog.analytics import ANALYTICS
from serving_api.mcp.catalog.creators import CREATORS
from serving_api.mcp.catalog.entry import Entries
from serving_api.mcp.catalog.organization import ORGANIZATION, SERVICE
from serving_api.mcp.catalog.payouts import PAYOUTS
from serving_api.mcp.catalog.projects import CONVERSIONS, PROJECTS
from serving_api.mcp.catalog.tags_and_notes import NOTES, TAGS
from serving_api.mcp.catalog.videos import COMMENTS, VIDEOS
from serving_api.mcp.catalog.webhooks import WEBHOOKS

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
"""Groups of tools that `?toolsets=` lists."""

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
"""Tools that are listed without `?toolsets=`: most questions begin with one of them."""

LEFT_OUT: Mapping[str, str] = {
    "get_openapi_document": "an agent is told of every operation by its tool; the document alone"
    " would fill what it can hold, and its data model is the resource tracker://schema",
    "get_video_thumbnail": "pictures are for people; what a post says is in its caption",
}
"""Operations that are no tools, and why."""
