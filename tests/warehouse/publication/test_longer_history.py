"""The publication of one more day writes what one of a third of the history does."""

import pytest

from tests.dbt_project.harness import parsed_nodes
from warehouse.catalogue.models import PUBLISHED
from warehouse.publication.facts import BIG_FACTS

pytestmark = pytest.mark.slow

COPIED_WHOLE = {
    "accounts": "one row for each account",
    "campaign_accounts": "one row for each member",
    "campaign_creators": "one row for each member",
    "campaign_tree": "one row for each campaign below another",
    "campaign_videos": "one row for each member",
    "campaigns": "one row for each campaign",
    "conversion_events": "one row for each event",
    "creator_milestones": "one row for each threshold that a creator reached",
    "creator_videos": "one row for each post",
    "creators": "one row for each creator",
    "goal_forecasts": "one row for each goal whose period is under way",
    "goals": "one row for each goal",
    "growth_curves": "one row for each size and age of posts",
    "organizations": "one row for each organization",
    "payout_budgets": "one row for each budget",
    "payout_covered_days": "one row for each unbroken stretch of an assignment",
    "payout_disputes": "one row for each dispute that somebody opened",
    "payout_forecasts": "one row for each project, structure, creator and campaign",
    "payout_holds": "odd readings behind amounts: few",
    "payout_payments": "one row for each payment that somebody made",
    "payout_structures": "one row for each structure",
    "payout_version_scopes": "one row for each version of a structure",
    "payout_zones": "one row for each zone",
    "projects": "one row for each project",
    "reading_anomalies": "readings that no growth explains: few",
    "platform_status": "of the last day",
    "recent_looks": "of the last day",
    "run": "one row",
    "scrape_freshness": "one row for each account",
    "tag_items": "one row for each thing that carries a tag",
    "tags": "one row for each tag",
    "video_comments": "one row for each post",
    "video_past_owners": "one row for each post and creator who had it before",
    "videos": "one row for each post",
    "view_baselines": "readings at which the meaning of views changed: few",
    "view_coverage": "one row for each account and campaign",
    "view_forecasts": "of each creator, campaign and project the next 92 days",
}
"""Tables of which a publication writes every row, and why they do not grow with days."""


def test_every_mart_that_grows_is_published_by_month_or_has_a_reason() -> None:
    tables = {
        node["name"]
        for node in parsed_nodes()
        if node["resource_type"] == "model"
        and node["schema"] in PUBLISHED
        and node["config"]["materialized"] != "view"
    }
    assert tables - {fact.name for fact in BIG_FACTS} == set(COPIED_WHOLE)
