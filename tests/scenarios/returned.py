"""An approved amount that disappears while its post is excluded, and bonuses (M13, M16, M17)."""

from collections.abc import Iterator

from tests.factories.payouts import rule
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {"launch": at(3, 3, 9)}


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, admin = campaign.creator(), Sitter(campaign.tenant)
    client, payouts = campaign.tenant.client, f"{admin.home}/payouts"
    campaign.pays(creator, "2026-03-02", rule("cpm"))
    campaign.scraped(at(3, 4), POSTED, launch=4_000)
    campaign.scraped(at(3, 8), POSTED, launch=10_000)
    yield computed(3, 9)
    [week] = campaign.accruals(creator)
    path = f"/payout-accruals/{week['id']}"
    client.data("PATCH", path, json={"status": "approved", "amount_cents": 1_000})

    # Its only post is excluded; the creator gets a bonus for yesterday instead.
    [post] = client.data("GET", "/videos", params={"creator_id": creator["id"]})
    client.data("PATCH", f"/videos/{post['id']}", json={"tracking_status": "excluded"})
    bonus = f"{payouts}/creators/{creator['id']}/bonus"
    sent = admin.send(bonus, page=bonus, amount_cents="33.33", reason="Best idea")
    assert "Bonus of $33.33 for 8 Mar 2026" in read(admin.get(sent.headers["Location"]))
    yield computed(3, 16)
    assert campaign.amounts(creator) == [("2026-03-08", 3_333, "final")]
    [paid_once] = campaign.accruals(creator)
    assert paid_once["precise_amount"] == "3333.000000000"
    assert paid_once["structure_name"] == f"Bonus for {campaign.handle}: Best idea"
    client.refusal("GET", path, "not_found")
    listed = read(admin.get(payouts))
    assert "2 Mar 2026 to 8 Mar 2026: approved, no longer owed" in listed
    own = read(admin.get(f"{payouts}/amounts/{week['id']}"))
    assert "which is excluded, no longer counts: 10,000 views before" in own

    # The exclusion is undone: the amount returns with its approval.
    client.data("PATCH", f"/videos/{post['id']}", json={"tracking_status": "included"})
    yield computed(3, 18)
    returned, *_ = (row for row in campaign.accruals(creator) if row["id"] == week["id"])
    assert (returned["amount_cents"], returned["status"]) == (1_000, "approved")
    assert "no longer owed" not in read(admin.get(payouts))

    # The creator claims more. A bonus of the next run replaces the amount.
    body = {"accrual_id": week["id"], "reason": "It had 12,340 views"}
    dispute = client.data("POST", "/payout-disputes", json=body)
    amount = f"{payouts}/amounts/{week['id']}"
    more = {"correct_cents": "12.35", "correction_reason": "Late views"}
    accepted = {"state": "accepted", "answer": "You are right", **more}
    admin.send(f"{amount}/disputes/{dispute['id']}", page=amount, **accepted)
    yield computed(3, 20)
    done = client.data("GET", f"/payout-disputes/{dispute['id']}")
    assert (done["state"], done["correction_cents"]) == ("corrected", 235)
    [paid_too] = [row for row in campaign.accruals(creator) if row["id"] == done["correction_id"]]
    assert (paid_too["amount_cents"], paid_too["status"]) == (1_235, "final")
    assert f"Corrected by $2.35: Bonus for {campaign.handle}: Late views" in read(admin.get(amount))
    assert campaign.pay(creator)["amount_cents"] == 3_333 + 1_235
