"""Labels of sums on pages, compared with the rows in the sums.

A retainer of $7.00 a week, and a commission of a tenth. The one post gains views on two days.

    earned                           by the post     by none
    retainer, 4 and 5 March                $2.00
    retainer, the other five days                      $5.00
    sale of $50.00 by the post             $5.00
    sale of $100.00 by none                           $10.00
"""

from collections.abc import Iterator
from typing import Any

from tests.factories.payouts import conversion_rule, rule
from tests.factories.visitors import main_page, read, visiting
from tests.fixtures.desk import Sitter
from tests.scenarios.campaign import Campaign, Wait, at, computed

DAYS = "from=2026-03-02&to=2026-03-08"


def story(campaign: Campaign) -> Iterator[Wait]:
    tenant, creator = campaign.tenant, campaign.creator()
    sale = tenant.conversion_event("sale")
    fee = rule("recurring", period="weekly", amount_cents=700)
    campaign.pays(creator, "2026-03-02", fee)
    campaign.pays(creator, "2026-03-02", conversion_rule(sale))
    spring = tenant.campaign()["id"]
    item = {"item_type": "creator", "item_id": creator["id"]}
    tenant.client.data("POST", f"/campaigns/{spring}/items", json=item)
    for day, views in ((3, 0), (4, 100), (5, 300)):
        campaign.scraped(at(3, day, 18), {"launch": at(3, 3)}, launch=views)
    yield computed(3, 6)
    params = {"project_id": str(tenant.project_id)}
    [post] = tenant.client.data("GET", "/videos", params=params)
    when = at(3, 6).isoformat()
    tenant.conversion(sale, video_id=post["id"], occurred_at=when, value_cents=5_000)
    tenant.conversion(sale, creator_id=creator["id"], occurred_at=when, value_cents=10_000)
    yield computed(3, 9)
    rows = campaign.accruals(creator)
    earned = sum(row["amount_cents"] for row in rows if row["status"] == "final")
    assert sorted(row["amount_cents"] for row in rows if row["status"] == "final") == [700, 1_500]
    assert earned == 2_200
    at_the_desk(campaign, creator, spring, rows)


def at_the_desk(campaign: Campaign, creator: Any, spring: str, rows: list[Any]) -> None:
    member = Sitter(campaign.tenant, role="member")

    def page(path: str) -> str:
        return read(member.get(f"{member.home}{path}"))

    # The post earned 200 + 500 of 2,200; five days of retainer and a commission have no post.
    costs = page(f"/campaigns/{spring}/costs?{DAYS}")
    assert "Cost of this campaign $22.00" in costs
    parts = (
        "Cost of its posts $7.00",
        "Retainers and bonuses of its creators on days without views $5.00",
        "Commissions of its creators without a post $10.00",
        "Cost of this campaign $22.00",
        "The whole project\N{RIGHT SINGLE QUOTATION MARK}s spend is $22.00:",
    )
    assert " ".join(parts) in costs
    assert "Spend $22.00" in page(f"?{DAYS}")
    assert "Spend $22.00" in page(f"/campaigns?{DAYS}")

    cents = {
        status: sum(row["amount_cents"] for row in rows if row["status"] == status)
        for status in ("open", "settling", "final")
    }
    later = cents["open"] + cents["settling"]
    sums = f"Earned $22.00 Paid $0.00 Balance $22.00 Not final yet ${later / 100:.2f}"
    assert cents["open"] == later == 700
    assert sums in page(f"/creators/{creator['id']}")
    with visiting(campaign.tenant, creator) as visitor:
        assert sums in main_page(visitor)
    for status in ("open", "final"):
        listed = page(f"/payouts?status={status}")
        assert f"Total: ${cents[status] / 100:.2f}" in listed, (status, listed)
    campaign.tenant.client.data(
        "PATCH", f"/payout-accruals/{rows[0]['id']}", json={"status": "approved"}
    )
    approved = f"Total: ${rows[0]['amount_cents'] / 100:.2f}"
    assert approved in page("/payouts?status=approved")
