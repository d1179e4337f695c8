"""A month of commission; a sale is voided after its payment (money.md M12, M17 to M19)."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from tests.factories.payouts import conversion_rule
from tests.scenarios.campaign import Campaign, Wait, at, computed


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    sale = campaign.tenant.conversion_event("sale")
    campaign.pays(creator, "2026-03-02", conversion_rule(sale))  # 10%, by week

    def sold(when: datetime, cents: int, **body: Any) -> Any:
        about = {"creator_id": creator["id"], "occurred_at": when.isoformat(), "value_cents": cents}
        return campaign.tenant.conversion(sale, **about, **body)

    sold(at(3, 1), 10_000)  # before the assignment
    dear = sold(at(3, 3), 9_999)
    sold(at(3, 8, 23, 59), 333, quantity=3)
    yield computed(3, 9)
    # 10% of 9,999 + 3 x 333 = 999.9 + 99.9 = 1,099.8 cents, rounded once: 1,100.
    [week] = campaign.accruals(creator)
    assert (week["amount_cents"], week["precise_amount"]) == (1_100, "1099.800000000")
    assert week["status"] == "final"
    assert campaign.pay(creator)["amount_cents"] == 1_100

    # The largest sale is voided: 99.9 remain of the week, so 100 - 1,100 = -1,000 is owed.
    sold(at(3, 10), 20_000)
    path = f"/projects/{campaign.tenant.project_id}/conversions/{dear['id']}"
    campaign.tenant.client.data("DELETE", path)
    yield computed(3, 16)
    # 10% of 20,000 in the second week.
    assert campaign.amounts(creator) == [
        ("2026-03-02", 1_100, "paid"),
        ("2026-03-02", -1_000, "final"),
        ("2026-03-09", 2_000, "final"),
    ]
    correction = campaign.accruals(creator)[1]
    assert correction["reason"].startswith(
        f"Event {sale['id']} counts 3 conversions worth $9.99, at 10%,"
        " 4 conversions worth $109.98, at 10% when it was paid;"
        f" conversion {dear['id']}, which was withdrawn on 2026-03-"
    )
    assert correction["reason"].endswith(" no longer counts: 1 worth $99.99 when it was paid")
    assert correction["booked_in"] == "2026-03-16"

    # Both are paid together: 2,000 - 1,000.
    assert campaign.pay(creator)["amount_cents"] == 1_000
    yield computed(3, 23)
    assert [status for _, _, status in campaign.amounts(creator)] == ["paid"] * 3
    assert campaign.balance(creator) == (2_100, 2_100, 0)
