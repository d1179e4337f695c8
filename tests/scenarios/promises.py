"""A month of weekly goals, met and nearly met (money.md M11, M17 to M21)."""

from collections.abc import Iterator

from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {
    "one": at(3, 2, 9),
    "two": at(3, 5, 9),
    "three": at(3, 10, 9),
    "four": at(3, 17, 9),
}
TERMS = {
    "mode": "all",
    "partial_allowed": True,
    "partial_multiplier": 0.8,
    "min_completion_pct": 60,
}


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    common = {"period": "weekly", "start_date": "2026-03-02"}
    campaign.tenant.goal(creator, metric="posts", target_value=2, **common)
    campaign.tenant.goal(creator, metric="views", target_value=3_000, **common)
    campaign.pays(creator, "2026-03-02", rule("goals", amount_cents=50_000, criteria_params=TERMS))

    # Two posts and 3,000 views.
    campaign.scraped(at(3, 7), POSTED, one=2_000, two=1_000)
    yield computed(3, 9)
    assert campaign.amounts(creator) == [("2026-03-02", 50_000, "final")]

    # One post of two, 2,500 more views of 3,000: (0.5 + 0.833333333333) / 2 = 0.666666666667 is
    # more than 60%; $500 x 0.666666666667 x 0.8 = $266.67.
    campaign.scraped(at(3, 12), POSTED, one=3_000, two=1_500, three=1_000)
    yield computed(3, 16)
    week = campaign.accruals(creator)[1]
    assert (week["amount_cents"], week["precise_amount"]) == (26_667, "26666.666666680")
    assert week["limited_by"] == "goals_not_met"
    evidence = campaign.evidence(week)
    assert sorted(goal["fraction"] for goal in evidence["goals"]) == [
        "0.500000000000",
        "0.833333333333",
    ]

    # One post of two, 1,200 views of 3,000: (0.5 + 0.4) / 2 = 0.45 is less than 60%: nothing.
    campaign.scraped(at(3, 20), POSTED, one=3_200, four=1_000)
    yield computed(3, 23)
    assert [first for first, _, _ in campaign.amounts(creator)] == ["2026-03-02", "2026-03-09"]
    assert campaign.pay(creator)["amount_cents"] == 76_667

    # A reading of the second week arrives late: 500 views more meet its goal. With (0.5 + 1) / 2 =
    # 0.75 the week gives $500 x 0.75 x 0.8 = $300: $33.33 more.
    campaign.scraped(at(3, 15), POSTED, two=2_000)
    yield computed(4, 1)
    assert campaign.amounts(creator) == [
        ("2026-03-02", 50_000, "paid"),
        ("2026-03-09", 26_667, "paid"),
        ("2026-03-09", 3_333, "final"),
    ]
    assert campaign.balance(creator) == (80_000, 76_667, 3_333)
