"""A month of CPM pay (money.md M1, M2, M4, M7, M8, M17 to M19)."""

from collections.abc import Iterator

from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {"launch": at(3, 3, 9), "encore": at(3, 17, 9)}
TIERS = [
    {"up_to_impressions": 10_000, "cents_per_thousand": 100},
    {"up_to_impressions": None, "cents_per_thousand": 80},
]
RULE = {"min_impressions": 1_000, "tiers": TIERS}


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    structure = campaign.pays(creator, "2026-03-02", rule("cpm", criteria_params=RULE))

    # The week of 2 March ends on Sunday the 8th, which has 23 hours: at 04:00 UTC on Monday.
    campaign.scraped(at(3, 4), POSTED, launch=5_000)
    campaign.scraped(at(3, 8, 23, 59), POSTED, launch=12_400)
    campaign.scraped(at(3, 9, 0), POSTED, launch=12_700)
    yield computed(3, 9)
    # 12,400 views: 10,000 at $1.00 and 2,400 at $0.80 a thousand = 1,000 + 192 cents.
    # The 300 read at midnight belong to the next week, and are carried until 700 more come.
    assert campaign.amounts(creator) == [
        ("2026-03-02", 1_192, "final"),
        ("2026-03-09", 0, "open"),
    ]
    first = campaign.evidence(campaign.accruals(creator)[0])
    assert [(line["impressions"], line["cents"]) for line in first["tiers"]] == [
        (10_000, "1000.000000000"),
        (2_400, "192.000000000"),
    ]

    # The count falls by 50 and recovers: 13,000 - 12,700 = 300 more, 600 in all.
    campaign.scraped(at(3, 11), POSTED, launch=12_650)
    campaign.scraped(at(3, 15), POSTED, launch=13_000)
    yield computed(3, 16)
    week = campaign.accruals(creator)[1]
    assert (week["amount_cents"], week["limited_by"]) == (0, "min_impressions")
    assert campaign.evidence(week)["carry_out"] == 600

    # 200 of the first post and 700 of the second: 600 + 900 = 1,500 at $1.00 = 150 cents.
    campaign.scraped(at(3, 20), POSTED, launch=13_200, encore=700)
    yield computed(3, 23)
    assert campaign.amounts(creator)[2] == ("2026-03-16", 150, "final")

    # From Wednesday on, and so for the whole current week, all views are at $1.255.
    flat = [{"up_to_impressions": None, "cents_per_thousand": 125.5}]
    dearer = rule("cpm", criteria_params={**RULE, "tiers": flat})
    path = f"/payout-structures/{structure}"
    campaign.tenant.client.data("PATCH", path, json={"kind": "rule", **dearer})
    campaign.scraped(at(3, 27), POSTED, launch=14_000, encore=1_233)
    yield computed(4, 1)
    # 800 + 533 = 1,333 views x 125.5 / 1,000 = 167.2915 cents. The running total goes from
    # 1,192 + 150 = 1,342 to 1,509.2915: 1,509 - 1,342 = 167 cents.
    week = campaign.accruals(creator)[3]
    assert (week["amount_cents"], week["precise_amount"]) == (167, "167.291500000")
    assert week["version_number"] == 2

    # 1,192 + 0 + 150 + 167 are paid.
    assert campaign.pay(creator)["amount_cents"] == 1_509
    assert campaign.balance(creator) == (1_509, 1_509, 0)

    # A reading of the last week arrives late: 4,233 - 1,233 = 3,000 views more. The week gives
    # 4,333 x 0.1255 = 543.7915, the total 1,885.7915: 1,886 - 1,342 = 544, and 167 are paid.
    campaign.scraped(at(3, 29, 23), POSTED, encore=4_233)
    yield computed(4, 3)
    assert campaign.amounts(creator) == [
        ("2026-03-02", 1_192, "paid"),
        ("2026-03-09", 0, "paid"),
        ("2026-03-16", 150, "paid"),
        ("2026-03-23", 167, "paid"),
        ("2026-03-23", 377, "final"),
    ]
    correction = campaign.accruals(creator)[4]
    assert correction["kind"] == "adjustment"
    assert correction["booked_in"] == "2026-03-30"
    assert campaign.balance(creator) == (1_886, 1_509, 377)
