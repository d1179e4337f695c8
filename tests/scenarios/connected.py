"""An account that is read with its owner's consent for a week: organic views (counting.md)."""

from collections.abc import Iterator
from typing import Any

from tests.scenarios.campaign import Campaign, Wait, at, computed
from tests.scenarios.lab import per_thousand

POSTED = {"launch": at(3, 3, 9)}
ALL_VIEWS, ORGANIC = "instagram.business_discovery", "instagram.login_media"


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    campaign.pays(creator, "2026-03-02", per_thousand(100))
    campaign.scraped(at(3, 4), POSTED, source=ALL_VIEWS, launch=5_000)
    campaign.scraped(at(3, 7), POSTED, source=ALL_VIEWS, launch=10_000)
    yield computed(3, 9)
    assert campaign.amounts(creator) == [("2026-03-02", 1_000, "final")]

    # The creator consents: 8,000 of the views are organic, and 600 more come.
    campaign.scraped(at(3, 9), POSTED, source=ORGANIC, launch=8_000)
    campaign.scraped(at(3, 12), POSTED, source=ORGANIC, launch=8_600)
    yield computed(3, 16)
    # The creator withdraws consent: 4,400 views may have been bought meanwhile. 250 more come.
    campaign.scraped(at(3, 16), POSTED, source=ALL_VIEWS, launch=13_000)
    campaign.scraped(at(3, 19), POSTED, source=ALL_VIEWS, launch=13_250)
    yield computed(3, 23)
    # 600 and 250 views at $1.00 a thousand; the gap between the two meanings does not count.
    assert campaign.amounts(creator) == [
        ("2026-03-02", 1_000, "final"),
        ("2026-03-09", 60, "final"),
        ("2026-03-16", 25, "final"),
    ]

    [first, *others] = [
        campaign.evidence(accrual)["videos"] for accrual in campaign.accruals(creator)
    ]
    assert [(post["views_from"], post["views_to"]) for [post] in others] == [
        (10_000, 10_600),
        (10_600, 10_850),
    ]
    assert "view_baselines" not in first[0]
    changed = [(9, "organic"), (16, "organic_and_paid")]
    assert [post["view_baselines"] for [post] in others] == [
        [{"captured_at": f"2026-03-{day:02}T16:00:00.000000Z", "meaning": meaning}]
        for day, meaning in changed
    ]
    baselines = shown(campaign, creator)
    assert [(baseline["snapshot_at"], baseline["reason"]) for baseline in baselines] == [
        ("2026-03-04T17:00:00Z", "tracking_started"),
        ("2026-03-09T16:00:00Z", "views_meaning_changed"),
        ("2026-03-16T16:00:00Z", "views_meaning_changed"),
    ]


def shown(campaign: Campaign, creator: Any) -> Any:
    params = {
        "entity": "creator",
        "entity_id": creator["id"],
        "metric": "views",
        "from": "2026-03-02",
        "to": "2026-03-22",
    }
    return campaign.tenant.client.data("GET", "/analytics", params=params)["baselines"]
