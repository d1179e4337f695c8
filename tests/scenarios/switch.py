"""Support turns conversion payouts off for a week (decisions.md, Organizations; money.md M12)."""

from collections.abc import Iterator
from datetime import datetime

from tests.factories.payouts import conversion_rule
from tests.factories.platform import make_platform_admin
from tests.scenarios.campaign import Campaign, Wait, at, computed, on


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    sale = campaign.tenant.conversion_event("sale")
    campaign.pays(creator, "2026-03-02", conversion_rule(sale))  # 10%, by week
    make_platform_admin(campaign.tenant.api.store, campaign.tenant.made.user_id)

    def sold(when: datetime, cents: int) -> None:
        about = {"creator_id": creator["id"], "occurred_at": when.isoformat()}
        campaign.tenant.conversion(sale, value_cents=cents, **about)

    def switch(*, is_enabled: bool) -> None:
        path = f"/admin/organizations/{campaign.tenant.organization_id}"
        body = {"conversion_payouts_enabled": is_enabled}
        campaign.tenant.client.data("PATCH", path, json=body)

    yield on(3, 4)
    sold(at(3, 3), 10_000)  # pays
    sold(at(3, 6), 2_000)  # pays too: recorded beforehand, while it was on
    campaign.an_hour_later()
    switch(is_enabled=False)
    sold(at(3, 3), 100_000)  # at the very instant of the switch, dated a day back: off
    yield on(3, 5)
    sold(at(3, 3), 300_000)  # dated two days back, when it was on: off
    sold(at(3, 10), 500_000)  # dated to when it will be on again: off
    yield computed(3, 9)
    # 10% of 10,000 + 2,000.
    assert campaign.amounts(creator) == [("2026-03-02", 1_200, "final")]

    switch(is_enabled=True)
    sold(at(3, 5), 7_000)  # at the very instant of the switch, dated to when it was off: pays
    yield computed(3, 16)
    # 10% of 12,000 + 7,000; conversions recorded while it was off never pay.
    assert campaign.amounts(creator) == [("2026-03-02", 1_900, "final")]
