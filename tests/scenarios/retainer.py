"""A month of a fixed fee, started late and paused (money.md M5, M6, M10, M17, M18)."""

from collections.abc import Iterator

from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, computed, on


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    fee = rule("recurring", amount_cents=100_000, proration_mode="prorate")
    campaign.pays(creator, "2026-03-10", fee)
    yield computed(3, 16)
    # The 10th to the 31st are 22 of 31 days, with future days: $1,000 x 22 / 31 = $709.68.
    [march] = campaign.accruals(creator)
    assert (march["amount_cents"], march["precise_amount"]) == (70_968, "70967.741935484")
    assert (march["status"], march["limited_by"]) == ("open", "proration")

    # Paused on Friday the 20th, which is still covered; back on Tuesday the 24th. The pause runs
    # until the first month that begins after that: the 10th to the 20th are 11 of 31 days.
    yield on(3, 20)
    path = f"/creators/{creator['id']}"
    rest = {"videos": "keep_tracking", "payouts": "pause"}
    campaign.tenant.client.data("POST", f"{path}/deactivate", json=rest)
    yield on(3, 24)
    campaign.tenant.client.data("POST", f"{path}/reactivate", json={"missed_posts": "track"})
    yield computed(4, 1)
    # $1,000 x 11 / 31 = $354.84; April, which has begun, will pay in full.
    march, april = campaign.accruals(creator)
    assert (march["amount_cents"], march["precise_amount"]) == (35_484, "35483.870967742")
    assert (march["status"], march["limited_by"]) == ("final", "paused")
    assert campaign.evidence(march)["limited_by"] == ["paused", "proration"]
    assert (april["amount_cents"], april["status"]) == (100_000, "open")

    assert campaign.pay(creator)["amount_cents"] == 35_484
    assert campaign.amounts(creator)[0] == ("2026-03-01", 35_484, "paid")
    assert campaign.balance(creator) == (35_484, 35_484, 0)
