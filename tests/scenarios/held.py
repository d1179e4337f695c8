"""Falling views: pay is put on hold for a check, released, and stays paid (money.md M17 to M19)."""

from collections.abc import Iterator
from typing import Any

from tests.contract.cases import HOOK
from tests.factories.payouts import rule
from tests.factories.visitors import main_page, visiting
from tests.scenarios.campaign import Campaign, Wait, at, computed
from warehouse.webhooks.comparing import notify_of_publication

POSTED = {"launch": at(3, 10, 9)}
GONE = "Review the readings of 1 post: 7,000 of 12,000 views are gone"


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, client = campaign.creator(), campaign.tenant.client
    structure = campaign.pays(creator, "2026-03-09", rule("cpm", hold_anomalies=True))
    client.data("POST", "/webhook-endpoints", json=HOOK)
    yield computed(3, 9)
    assert hold_events(campaign) == set()

    campaign.scraped(at(3, 11), POSTED, launch=4_000)
    campaign.scraped(at(3, 13), POSTED, launch=12_000)
    campaign.scraped(at(3, 15), POSTED, launch=5_000)
    yield computed(3, 18)
    # 10,000 at $1.00 and 2,000 at $0.80 a thousand = 1,160 cents, as without the fall, on hold.
    [week] = campaign.accruals(creator)
    assert (week["amount_cents"], week["status"], week["held"]["reason"]) == (1_160, "final", GONE)
    assert [reading["reason"] for reading in week["held"]["readings"]] == ["fall"]
    assert campaign.balance(creator) == (1_160, 0, 1_160)
    path = f"/payout-accruals/{week['id']}"
    refused(campaign, "PATCH", path, status="approved")
    refused(campaign, "POST", "/payout-payments", **campaign.payment(creator))
    with visiting(campaign.tenant, creator) as visitor:
        page = main_page(visitor)
        assert "$11.60 on hold" in page
        assert "are gone" not in page
    assert hold_events(campaign) == {"accrual.held"}
    simulated(campaign, {"structure_id": structure, "creator_ids": [creator["id"]]}, week)

    # A member checks the post and releases the amount, which does not change.
    freed = client.data("POST", f"{path}/release", json={"reason": "The platform recounted"})
    assert (freed["held"], freed["amount_cents"], freed["status"]) == (None, 1_160, "final")
    assert hold_events(campaign) == {"accrual.held", "accrual.released"}
    assert campaign.pay(creator)["amount_cents"] == 1_160

    # The next week has 400 views. A reading of late Sunday with a fall arrives much later.
    campaign.scraped(at(3, 18, 18), POSTED, launch=12_400)
    yield computed(3, 23)
    assert held_amounts(campaign, creator) == [(1_160, False), (40, False)]
    campaign.scraped(at(3, 22), POSTED, launch=3_000)
    yield computed(4, 1)
    assert held_amounts(campaign, creator) == [(1_160, False), (40, True)]

    # Further readings show a slow fall, never by a quarter: nothing is odd any more.
    for hour, views in enumerate((9_700, 7_600, 5_900, 4_600, 3_600)):
        campaign.scraped(at(3, 19, hour), POSTED, launch=views)
    # A day after the rise of the 18th: without it the rise could not be judged and would be held.
    campaign.scraped(at(3, 19, 18), POSTED, launch=3_400)
    # In the paid week it had 12,300 once, and fell: 300 at $0.80 = 24 cents more, on hold.
    campaign.scraped(at(3, 14), POSTED, launch=12_300)
    campaign.scraped(at(3, 14, 18), POSTED, launch=6_000)
    yield computed(4, 3)
    assert held_amounts(campaign, creator) == [(1_160, False), (24, True), (10, False)]
    paid, more, _ = campaign.accruals(creator)
    assert (paid["status"], more["kind"]) == ("paid", "adjustment")


def simulated(campaign: Campaign, whose: dict[str, Any], week: Any) -> None:
    """A simulation reports its amounts on hold if its rule holds anomalies."""
    client, days = campaign.tenant.client, {"from": "2026-03-09", "to": "2026-03-15"}
    for holds in (True, False):
        new = {"kind": "rule", **rule("cpm", hold_anomalies=holds)}
        body = {**whose, **days, "rule": new}
        answer = client.data("POST", "/payout-structures/simulate", json=body)
        [figures] = answer["creators"]
        [period] = figures["periods"]
        held = figures["simulated_cents"] if holds else 0
        assert answer["held_cents"] == figures["held_cents"] == held
        assert period["in_force"]["held"] == week["held"]
        assert period["simulated"]["held"] == (week["held"] if holds else None)
    search = {"budget_cents": 1_200, "free": "criteria_params.tiers.1.cents_per_thousand"}
    new["hold_anomalies"] = True
    match = client.data("POST", "/payout-structures/search", json=body | search)
    # 10,000 at $1.00; 2,000 more at $1.002499 a thousand are 200.4998 cents: 200.
    assert (match["simulated_cents"], match["held_cents"]) == (1_200, 1_200)
    assert [row["held_cents"] for row in match["creators"]] == [1_200]


def refused(campaign: Campaign, method: str, path: str, **body: Any) -> None:
    campaign.tenant.client.refusal(method, path, "accrual_held", json=body)


def held_amounts(campaign: Campaign, creator: Any) -> list[tuple[int, bool]]:
    """Return cents of every accrual, and whether it is on hold."""
    rows = campaign.accruals(creator)
    held = {"creator_id": creator["id"], "held": "true"}
    listed = campaign.tenant.client.data("GET", "/payout-accruals", params=held)
    assert [row["id"] for row in rows if row["held"]] == [row["id"] for row in listed]
    return [(row["amount_cents"], row["held"] is not None) for row in rows]


def hold_events(campaign: Campaign) -> set[str]:
    """Send the events of the publication, and return the types of hold events so far."""
    api = campaign.tenant.api
    notify_of_publication(api.settings, api.store)
    events = campaign.tenant.client.data("GET", "/webhook-events", params={"limit": 100})
    return {event["type"] for event in events} & {"accrual.held", "accrual.released"}
