"""The search finds tools by users' words that tool descriptions lack."""

import re

import pytest

from serving_api.mcp.operations import operations
from serving_api.mcp.search import ToolIndex, words_of
from serving_api.mcp.tools import OperationTool
from tests.fixtures.api import Api

FIRST = 3

PHRASES = {
    "top performers": "leaderboards_creators",
    "most viral clips": "leaderboards_videos",
    "wired last month": "payout_payments_list",
    "talent on holiday": "creators_deactivate",
    "bring back an influencer": "creators_reactivate",
    "raise the CPM": "payout_structures_update",
    "sign a bonus deal": "payout_structures_create",
    "our deals": "payout_structures_list",
    "fire an influencer": "creators_remove",
    "onboard talent": "creators_create",
    "our roster": "creators_list",
    "newest clips": "videos_list",
    "paste a reel": "videos_add",
    "disqualify a clip": "videos_exclude",
    "moderation queue": "inbox_list",
    "moderate clips": "inbox_review",
    "fake bots": "anomalies_list",
    "predict the future": "analytics_forecast",
    "trend graph": "analytics_query",
    "audience size": "accounts_stats",
    "his usernames": "creator_accounts_list",
    "refresh an influencer": "creators_scrape",
    "who is behind the quota": "goals_compliance",
    "demand a posting frequency": "goals_create",
    "what was sold": "conversions_list",
    "refund an order": "conversions_void",
    "unpaid money": "payout_balances_get",
    "explain this calculation": "payout_accruals_get",
    "sign off earnings": "payout_accruals_decide",
    "unblock stuck money": "payout_accruals_release",
    "mark as wired": "payout_payments_create",
    "transfer bounced": "payout_payments_update",
    "what if scenario": "payout_structures_simulate",
    "highest CPM we can afford": "payout_structures_search",
    "his bank or PayPal": "payout_accounts_set",
    "she complains": "payout_disputes_create",
    "complaints so far": "payout_disputes_list",
    "spending ceiling": "budgets_create",
    "mood of fans": "comment_signals_get",
    "toxic hate": "comment_flags_get",
    "remember a memo": "notes_write",
    "presentation to a client": "reports_share",
    "notify Slack": "webhooks_create",
    "Excel spreadsheet": "exports_dataset",
    "undo an upload by mistake": "imports_retract",
    "a sale or signup": "conversions_record",
    "how are we doing": "projects_health",
    "give a coworker access": "members_add",
    "kick out a colleague": "members_remove",
    "backfill old statistics": "imports_list",
    "rename the company": "organizations_update",
    "Zapier stopped getting pings": "webhooks_deliveries",
    "who can log in here": "members_list",
    "group talent by niche": "tags_create",
    "attach the bank's confirmation": "payment_receipts_upload",
    "where does her money go": "payout_accounts_get",
    "is our data complete": "projects_coverage",
    "end of a promotion": "campaigns_delete",
    "who joined the launch": "campaign_items_list",
    "did the rollout pay off": "campaigns_costs",
}
"""Phrases of users, and the tools that they mean."""

COMMON = {
    "top creators": "leaderboards_creators",
    "how much did we pay out in September": "payout_payments_list",
    "pause a creator": "creators_deactivate",
    "raise the CPM to 2 dollars": "payout_structures_update",
    "late revival": "anomalies_list",
    "which clips tanked": "leaderboards_videos",
    "is tiktok blocking us": "projects_health",
    "undo a sale": "conversions_void",
    "did they hit the target": "goals_compliance",
    "make a page for the client": "reports_share",
    "compare two launches": "campaigns_costs",
    "what if we paid two bucks per thousand": "payout_structures_simulate",
    "who changed the price": "payout_structures_get",
    "payments made last month": "payout_payments_list",
    "money we wired": "payout_payments_list",
    "why is this amount what it is": "payout_accruals_get",
    "posts deleted": "projects_health",
    "views of a post fell": "anomalies_list",
    "stop following an account": "accounts_deactivate",
    "did the hook arrive at our server": "webhooks_deliveries",
    "creator says we paid too little": "payout_disputes_create",
    "shut the client's link": "reports_revoke",
    "when were the numbers last refreshed": "projects_coverage",
    "how much of our plan is used up": "organizations_get",
    "approve an amount": "payout_accruals_decide",
    "bought views": "anomalies_list",
    "Which budgets are there?": "budgets_list",
    'tag "several" creators* OR (': "tags_apply",
}
"""More phrases, one of them a value of an argument."""


@pytest.fixture(scope="module")
def tools(api: Api) -> dict[str, OperationTool]:
    made = [OperationTool.of(each, api.document) for each in operations(api.document)]
    return {tool.name: tool for tool in made}


def hits(tools: dict[str, OperationTool], phrase: str) -> list[str]:
    return [tool.name for tool in ToolIndex(tools.values()).search(phrase)[:FIRST]]


def test_tools_are_found_by_words_that_they_do_not_use(tools: dict[str, OperationTool]) -> None:
    for phrase, name in PHRASES.items():
        own = set(re.findall(r"[a-z]+", f"{name} {tools[name].description}".lower()))
        assert not own & set(words_of(phrase)), phrase
    assert {phrase for phrase, name in PHRASES.items() if name not in hits(tools, phrase)} == set()


@pytest.mark.parametrize("phrase", COMMON)
def test_common_requests_find_their_tool(tools: dict[str, OperationTool], phrase: str) -> None:
    assert COMMON[phrase] in hits(tools, phrase)


@pytest.mark.parametrize("phrase", ["", "?!", "to", "all", "支付", "xyzzy"])
def test_a_phrase_without_a_known_word_of_three_letters_finds_nothing(
    tools: dict[str, OperationTool], phrase: str
) -> None:
    assert hits(tools, phrase) == []
