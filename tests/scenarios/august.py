"""A creator added with posts from August: every page separates views from before tracking.

The account is tracked from Wednesday 4 March, 12:00 (docs/rules/counting.md, Before tracking).

    post    posted           4 March      5 March      6 March    gained   before tracking
    old     August           1,498,087    1,498,187    1,498,287     200   1,498,087 on the 4th
    quiet   August           likes only   1,500,000    1,500,020      20   1,500,000 on the 5th
    new     4 March, 18:00                    5,000        5,400   5,400           0
"""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

import httpx

from tests.factories.landing import post, profile
from tests.factories.payouts import rule
from tests.factories.visitors import main_page, read, visiting
from tests.fixtures.desk import Sitter
from tests.scenarios.campaign import NEW_YORK, Campaign, Wait, at, computed
from warehouse.landing.opening import open_landing
from warehouse.landing.writer import LandingWriter

IN_AUGUST = datetime(2025, 8, 20, 12, tzinfo=NEW_YORK)
POSTED = {"old": IN_AUGUST, "quiet": IN_AUGUST, "new": at(3, 4, 18)}
DAYS = {"from": "2026-03-04", "to": "2026-03-06"}
APART = "and 2,998,087 from before tracking"


def story(campaign: Campaign) -> Iterator[Wait]:
    account = {"platform": "tiktok", "handle": campaign.handle}
    account["tracking_start_date"] = "2025-08-01"
    creator = campaign.tenant.creator(campaign.handle, accounts=[account])
    campaign.pays(creator, "2026-03-02", rule("cpm"))
    spring = campaign.tenant.campaign()["id"]
    item = {"item_type": "creator", "item_id": creator["id"]}
    campaign.tenant.client.data("POST", f"/campaigns/{spring}/items", json=item)

    first_read(campaign)
    campaign.scraped(at(3, 5), POSTED, old=1_498_187, quiet=1_500_000, new=5_000)
    campaign.scraped(at(3, 6), POSTED, old=1_498_287, quiet=1_500_020, new=5_400)
    yield computed(3, 9)
    # 200 + 20 + 5,400 = 5,620 views at $1.00 a thousand: pay counts only gains, too (M7).
    assert campaign.amounts(creator) == [("2026-03-02", 562, "final")]
    check_rest(campaign, creator, spring)
    at_the_desk(campaign, creator, spring)
    check_reports(campaign, creator, spring)


def first_read(campaign: Campaign) -> None:
    """Read the account and its posts of August; one shows no views yet."""
    counts_by_post: dict[str, dict[str, Any]] = {
        "old": {"view_count": 1_498_087},
        "quiet": {"view_count": None, "like_count": 7},
    }
    handle, when = campaign.handle, at(3, 4)
    posts = [
        post(f"{handle}-{name}", handle, captured_at=when, posted_at=IN_AUGUST, **counts)
        for name, counts in counts_by_post.items()
    ]
    profiles = [profile(handle, captured_at=when)]
    LandingWriter(open_landing(campaign.tenant.api.settings)).land(profiles=profiles, posts=posts)


def check_rest(campaign: Campaign, creator: Any, spring: str) -> None:
    """REST counts everything as new, and lists the readings at which a count began."""
    client = campaign.tenant.client
    query = {"entity": "creator", "entity_id": creator["id"], "metric": "views", **DAYS}
    series = client.data("GET", "/analytics", params=query)
    values = [point["value"] for point in series["series"][0]["points"]]
    assert values == [1_498_087, 1_500_000 + 100 + 5_000, 520]
    posts = posts_of(campaign)
    began = [
        (baseline["entity_id"], baseline["snapshot_at"][:10]) for baseline in series["baselines"]
    ]
    assert sorted(began) == sorted(
        [
            (posts["old"], "2026-03-04"),
            (posts["quiet"], "2026-03-05"),
            (posts["new"], "2026-03-05"),
        ]
    )

    project = campaign.tenant.project_id
    days = client.data("GET", f"/projects/{project}/views-by-day", params=DAYS)["days"]
    assert [(day["views"], day["views_before_tracking"]) for day in days] == [
        (1_498_087, 1_498_087),
        (1_505_100, 1_500_000),
        (520, 0),
    ]
    board = {"project_id": str(project), **DAYS}
    path = "/analytics/aggregate/creator-leaderboard"
    [place] = client.data("GET", path, params=board)
    assert (place["value"], place["before_tracking"]) == (3_003_707, 2_998_087)

    # 562 cents for 5.62 thousand views.
    costs = client.data("GET", f"/campaigns/{spring}/costs", params=DAYS)
    assert (costs["views"], costs["views_before_tracking"]) == (3_003_707, 2_998_087)
    assert (costs["cost_cents"], costs["cost_per_thousand_cents"]) == (562, 100)


def at_the_desk(campaign: Campaign, creator: Any, spring: str) -> None:
    member = Sitter(campaign.tenant, role="member")

    def page(path: str = "") -> str:
        return read(member.get(f"{member.home}{path}"))

    charts = {
        f"/creators/{creator['id']}": (5_620, 2_998_087),
        f"/campaigns/{spring}": (5_620, 2_998_087),
        **{
            f"/posts/{posts_of(campaign)[name]}": numbers
            for name, numbers in {"old": (200, 1_498_087), "quiet": (20, 1_500_000)}.items()
        },
    }
    for path, (gained, before) in charts.items():
        assert_chart(page(path), gained, before)
    assert "Views gained 5,620" in page()
    new = page(f"/posts/{posts_of(campaign)['new']}")
    assert "5,400 views gained" in new
    assert "before tracking" not in new

    for path in ("/creators/ranked", "/campaigns", ""):
        assert f"5,620 {APART}" in page(path), path
    ranked = page("/posts/ranked")
    places = [ranked.index(text) for text in ("5,400", "200 and 1,498,087", "20 and 1,500,000")]
    assert places == sorted(places)
    costs = page(f"/campaigns/{spring}/costs")
    assert f"Cost of its posts $5.62 $1.00 per 1,000 views Views gained 5,620 {APART}" in costs
    payouts = [page(f"/payouts?status={status}") for status in ("open", "settling", "final")]
    assert any("8 Mar 2026 5,620 $1.00 $5.62" in text for text in payouts)


def check_reports(campaign: Campaign, creator: Any, spring: str) -> None:
    """Check a client's reports of project and campaign, and the creator's share page."""
    tenant = campaign.tenant
    path = f"/projects/{tenant.project_id}/reports"
    for scope in ({}, {"campaign_id": spring}):
        body = {"pin": "4821", **scope}
        report = tenant.client.data("POST", path, json=body)
        address = f"/share/report/{report['id']}"
        with httpx.Client(base_url=tenant.api.base_url, trust_env=False, timeout=30) as visitor:
            visitor.post(address, data={"pin": "4821"})
            text = read(visitor.get(address))
        assert_chart(text, 5_620, 2_998_087)
        assert f"5,620 {APART}" in text

    with visiting(tenant, creator, show_analytics=True) as visitor:
        text = main_page(visitor)
    assert "Another 2,998,087 are from before tracking" in text
    assert "4 Mar 2026 0 1,498,087 5 Mar 2026 5,100 1,500,000 6 Mar 2026 520" in text


def assert_chart(page: str, gained: int, before: int) -> None:
    assert f"{gained:,} views gained" in page
    assert f"{before:,} more views are from before tracking" in page


def posts_of(campaign: Campaign) -> dict[str, str]:
    """Return ids of posts by name."""
    params = {"project_id": str(campaign.tenant.project_id)}
    rows = campaign.tenant.client.data("GET", "/videos", params=params)
    return {row["platform_video_id"].removeprefix(f"{campaign.handle}-"): row["id"] for row in rows}
