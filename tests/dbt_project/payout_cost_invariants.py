"""Costs of posts, days and campaigns: each cent of an accrual where its rule puts it."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random
from typing import Any

from tests.dbt_project.harness import Harness
from tests.dbt_project.stories import assert_same
from tests.doses import SEED, dose
from tests.oracles import payouts
from tests.oracles.payouts.costs import costs
from warehouse.reading.campaign_costs import CostsQuery, costs_by_day

SAMPLED_CAMPAIGNS = dose(small=10, full=1000)
"""Campaigns whose costs are requested as the API does; the mart is compared for all."""

COSTS_ARE_OF = (
    "payout_earnings",
    "payout_accruals",
    "payout_covered_days",
    "videos",
    "accounts",
    "video_daily",
    "conversions",
)


def assert_campaigns_cost_what_their_posts_do(harness: Harness, when: str) -> None:
    campaigns_of: dict[Any, list[Any]] = defaultdict(list)
    for row in harness.rows("campaign_videos"):
        campaigns_of[row["video_id"]].append(row["campaign_id"])
    expected: Counter[Any] = Counter()
    for row in harness.rows("payout_costs"):
        for campaign in () if row["is_planned"] else campaigns_of.get(row["video_id"], ()):
            expected[campaign, row["creator_id"], row["day"]] += row["amount_cents"]
    cost_by_day = {
        (row["campaign_id"], row["creator_id"], row["day"]): row["cost_cents"]
        for row in harness.rows("campaign_costs")
    }
    assert cost_by_day == expected, when
    with harness.connect() as connection:
        queries = list(campaign_queries(harness, expected))
        for query in queries:
            costs, without_post = costs_by_day(connection, query)
            parts = {campaign: +cents for campaign, cents in without_post.items() if +cents}
            assert parts == _without_post(harness, query), query
            assert {key: cents for key, cents in costs.items() if cents} == {
                key: cents
                for key, cents in expected.items()
                if cents and key[0] in query.campaign_ids and key[2] >= query.from_day
            }, f"{when}, {query}"
        for query in queries[-1:]:
            of_one = [each for each in queries if each.organization_id == query.organization_id]
            ids = tuple({campaign_id for each in of_one for campaign_id in each.campaign_ids})
            summed: Counter[Any] = Counter()
            for (campaign, _, day), cents in expected.items():
                if campaign in ids and day >= query.from_day:
                    summed[campaign, None, day] += cents
            whole = replace(query, campaign_ids=ids, by_creator=False)
            assert costs_by_day(connection, whole)[0] == summed, f"{when}, {whole}"


def _without_post(harness: Harness, query: CostsQuery) -> dict[Any, Counter[str]]:
    """Return earnings of campaign creators without a post, by type of rule."""
    campaigns_of: dict[Any, list[Any]] = defaultdict(list)
    for row in harness.rows("campaign_creators"):
        campaigns_of[row["creator_id"]].append(row["campaign_id"])
    cents: dict[Any, Counter[str]] = defaultdict(Counter)
    for row in harness.rows("payout_costs"):
        is_in_query = not row["is_planned"] and query.from_day <= row["day"] <= query.to_day
        if is_in_query and row["video_id"] is None:
            for campaign in set(campaigns_of[row["creator_id"]]) & set(query.campaign_ids):
                cents[campaign][row["criteria_type"]] += row["amount_cents"]
    return {campaign: +parts for campaign, parts in cents.items() if +parts}


def assert_costs_come_from_earning_creators(harness: Harness, when: str) -> None:
    """Campaign costs come from the creators in EARNING_TABLES."""
    named = {
        (row[post], row["creator_id"])
        for table, post in EARNING_TABLES
        for row in harness.rows(table)
    }
    assert {
        (row["video_id"], row["creator_id"])
        for row in harness.rows("payout_costs")
        if row["video_id"] is not None
    } <= named, when


EARNING_TABLES = (
    ("videos", "video_id"),
    ("video_past_owners", "video_id"),
    ("conversions", "video_id"),
    ("payout_decided_accruals", "subject_id"),
)


def campaign_queries(harness: Harness, expected: Mapping[Any, int]) -> Iterator[CostsQuery]:
    """Yield cost queries of campaigns: for all days, and for the second half of them."""
    days = sorted({day for *_, day in expected})
    campaigns = harness.rows("campaigns") if days else []
    for row in Random(SEED).sample(campaigns, min(len(campaigns), SAMPLED_CAMPAIGNS)):
        for first in (days[0], days[len(days) // 2]):
            campaign = row["organization_id"], (row["campaign_id"],)
            yield CostsQuery(*campaign, first, days[-1], "USD")


def assert_costs_add_up(harness: Harness, facts: payouts.Facts, when: str) -> None:
    """The daily costs of each accrual add up to its cents, on the days of its rule."""
    marts = {mart: harness.rows(mart) for mart in COSTS_ARE_OF}
    operational = {table: facts.tables[table] for table in ("payout_versions", "organizations")}
    expected = costs({**marts, **operational}, facts.as_of)
    rows = [{name: row[name] for name in expected[0]} for row in harness.rows("payout_costs")]
    assert_same(rows, expected, f"payout_costs, {when}")
    parts: Counter[Any] = Counter()
    for row in rows:
        parts[row["accrual_id"]] += row["amount_cents"]
    owed = {
        row["accrual_id"]: row["amount_cents"]
        for row in marts["payout_accruals"]
        if row["status"] != "void" and row["amount_cents"]
    }
    assert parts == owed
    assert_campaigns_cost_what_their_posts_do(harness, when)
    assert_costs_come_from_earning_creators(harness, when)
