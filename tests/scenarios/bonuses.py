"""A month of bonuses for view counts (money.md M9, M13, M17 to M19)."""

from collections.abc import Iterator

from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {"early": at(3, 1, 9), "hit": at(3, 5, 9)}
THRESHOLDS = [
    {"view_count": 1_000, "amount_cents": 5_000},
    {"view_count": 10_000, "amount_cents": 20_000},
]


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    bonuses = rule("view_threshold", criteria_params={"thresholds": THRESHOLDS})
    campaign.pays(creator, "2026-03-04", bonuses)

    # The early post is older than the assignment: its first count was reached before, later ones
    # were not. The hit starts from zero.
    campaign.scraped(at(3, 4, 18), POSTED, early=4_000)
    campaign.scraped(at(3, 6), POSTED, early=9_999, hit=999)
    campaign.scraped(at(3, 7), POSTED, early=10_000, hit=1_500)
    yield computed(3, 9)
    # 10,000 of the early post: $200. 1,000 of the hit: $50. Both on the day of the reading.
    assert sorted(campaign.amounts(creator)) == [
        ("2026-03-07", 5_000, "final"),
        ("2026-03-07", 20_000, "final"),
    ]

    # Views that fall and rise again reach no threshold twice.
    campaign.scraped(at(3, 10), POSTED, early=9_000, hit=900)
    campaign.scraped(at(3, 11), POSTED, early=12_000, hit=2_000)
    yield computed(3, 16)
    assert len(campaign.accruals(creator)) == 2
    assert campaign.pay(creator)["amount_cents"] == 25_000

    campaign.an_hour_later()
    # The hit is excluded: it keeps its bonuses and earns no further ones.
    videos = campaign.tenant.client.data("GET", "/videos")
    [hit] = [video for video in videos if video["platform_video_id"].endswith("hit")]
    campaign.tenant.client.data("DELETE", f"/videos/{hit['id']}")
    campaign.scraped(at(3, 18), POSTED, hit=11_000)
    yield computed(3, 23)
    assert sorted(campaign.amounts(creator)) == [
        ("2026-03-07", 5_000, "paid"),
        ("2026-03-07", 20_000, "paid"),
    ]
    assert campaign.balance(creator) == (25_000, 25_000, 0)
