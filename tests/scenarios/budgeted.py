"""Five weeks of a weekly fee whose assignments stop at the end of the budget (money.md M2, M17).

The rest is forecast (docs/rules/forecasts.md, Payouts and budgets).
"""

from collections.abc import Iterator
from typing import Any

from tests.contract.cases import HOOK
from tests.factories.payouts import rule
from tests.scenarios.campaign import Campaign, Wait, computed
from warehouse.webhooks.comparing import notify_of_publication


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, client = campaign.creator(), campaign.tenant.client
    fee = rule("recurring", period="weekly", amount_cents=10_000, proration_mode="prorate")
    structure = campaign.pays(creator, "2026-03-02", fee)
    client.data("POST", "/webhook-endpoints", json=HOOK)
    body = {
        "project_id": str(campaign.tenant.project_id),
        "structure_id": structure,
        "name": "Fees",
        "amount_cents": 25_000,
        "period": "monthly",
        "thresholds": [50, 100],
        "on_exceeded": "stop_assignments",
    }
    budget = client.data("POST", "/budgets", json=body)
    further = campaign.tenant.creator(f"{campaign.handle}.further")
    path, assigned = f"/payout-structures/{structure}/assignments", {"creator_ids": [further["id"]]}

    yield computed(3, 9)
    # The week of 2 March is due, the week of the 9th is in progress: 20,000 of 25,000.
    assert reached_thresholds(campaign) == [50]
    assert spent(campaign, budget) == ("2026-03-01", 20_000, 0.8, [50])
    # The weeks of the 16th and 23rd end in March too: 20,000 more through the 31st. Evenly, in 23
    # days, the 5,000 up to the budget take 5,000 x 23 / 20,000 = 5.75 days: the sixth is the 14th.
    assert forecast(campaign, budget) == (40_000, "2026-03-31", [(100, "2026-03-14")])

    yield computed(3, 16)
    # Three weeks: 30,000. The spent budget blocks assignments, but reduces no pay.
    assert reached_thresholds(campaign) == [50, 100]
    assert spent(campaign, budget) == ("2026-03-01", 30_000, 1.2, [50, 100])
    # The week of the 23rd is to come, without a further threshold.
    assert forecast(campaign, budget) == (40_000, "2026-03-31", [])
    refused = client.refusal("POST", path, "budget_exceeded", json=assigned)
    assert refused["budgets"] == {budget["id"]: "Fees"}
    assert campaign.pay(creator)["amount_cents"] == 20_000
    assert spent(campaign, budget) == ("2026-03-01", 30_000, 1.2, [50, 100])

    yield computed(4, 1)
    # The week of 30 March ends in April, which has its own budget: 10,000 of 25,000.
    assert reached_thresholds(campaign) == [50, 100]
    assert spent(campaign, budget) == ("2026-04-01", 10_000, 0.4, [])
    # Three more weeks end in April: 30,000 in 30 days. 2,500 up to a half take 2.5 days, 15,000
    # up to the budget 15.
    halfway, whole = (50, "2026-04-03"), (100, "2026-04-15")
    assert forecast(campaign, budget) == (40_000, "2026-04-30", [halfway, whole])
    client.data("POST", path, json=assigned)


def reached_thresholds(campaign: Campaign) -> list[int]:
    """Send the events of the publication, and return the thresholds of all events."""
    api = campaign.tenant.api
    notify_of_publication(api.settings, api.store)
    params = {"type": "budget.reached"}
    events = campaign.tenant.client.data("GET", "/webhook-events", params=params)
    return sorted(event["data"]["threshold"] for event in events)


def spent(campaign: Campaign, budget: Any) -> tuple[str, int, float, list[int]]:
    """Return the month, the spend, its share of the budget, and the exceeded thresholds."""
    now = campaign.tenant.client.data("GET", f"/budgets/{budget['id']}")["exposure"]
    return now["month"], now["exposure_cents"], now["share"], now["reached"]


def forecast(campaign: Campaign, budget: Any) -> tuple[int, str, list[tuple[int, str]]]:
    """Return the forecast spend, its last day, and the days on which thresholds are reached."""
    now = campaign.tenant.client.data("GET", f"/budgets/{budget['id']}")["exposure"]
    reached = [(crossing["threshold"], crossing["day"]) for crossing in now["foreseen"]]
    return now["projected_cents"], now["projected_through"], reached
