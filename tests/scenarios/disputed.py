"""Two weeks of CPM pay, one of which a creator disputes (money.md M19)."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from tests.factories.payouts import rule
from tests.factories.visitors import main_page, read, visiting
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {"launch": at(3, 3, 9), "encore": at(3, 5, 9)}
DISPUTES = "/payout-disputes"


def story(campaign: Campaign) -> Iterator[Wait]:
    creator, client = campaign.creator(), campaign.tenant.client
    campaign.pays(creator, "2026-03-02", rule("cpm"))
    campaign.scraped(at(3, 4), POSTED, launch=4_000)
    campaign.scraped(at(3, 8), POSTED, launch=10_000)
    yield computed(3, 9)
    # 10,000 views at $1.00 a thousand = 1,000 cents, paid without the missing second post.
    assert campaign.pay(creator)["amount_cents"] == 1_000
    [week, *_] = campaign.accruals(creator)

    # The creator disputes the amount on the share page.
    with visiting(campaign.tenant, creator) as visitor:
        path = f"amounts/{week['id']}"
        text = read(visitor.get(path))
        assert "10,000 views counted: 10,000 at $1.00 per thousand." in text
        assert "Days that count: 2 Mar 2026 to 8 Mar 2026" in text
        # Clocks went forward on that day.
        assert "0 10,000 8 Mar 2026, 12:00 10,000 $1.00 $10.00" in text
        visitor.post(path, data={"reason": "My post of 5 March is missing"})

    # An org admin answers; a correction is refused while the amount is unchanged.
    campaign.an_hour_later()
    [made] = client.data("GET", DISPUTES, params={"creator_id": creator["id"]})
    opened, due = (datetime.fromisoformat(made[name]) for name in ("opened_at", "due_at"))
    assert (made["state"], due - opened) == ("open", timedelta(days=7))
    decide(campaign, made, state="answered", answer="We look for it")
    refused = {"state": "corrected", "answer": "There"}
    client.refusal("PATCH", f"{DISPUTES}/{made['id']}", "conflict", json=refused)

    # A late reading of that week has its 2,500 views.
    campaign.scraped(at(3, 8, 13), POSTED, encore=2_500)
    yield computed(3, 16)
    # 12,500 views: 1,000 cents, and 2,500 at $0.80 = 200 more.
    [_, correction, *_] = campaign.accruals(creator)
    assert (correction["kind"], correction["amount_cents"]) == ("adjustment", 200)
    assert overdue(campaign) == [made["id"]]  # seven days are over at noon
    done = decide(
        campaign,
        made,
        state="corrected",
        answer="It was imported",
        correction_id=correction["id"],
    )
    assert (done["correction_cents"], done["age_days"]) == (200, 7)
    assert overdue(campaign) == []

    with visiting(campaign.tenant, creator) as visitor:
        assert "Disputed, corrected by $2.00." in main_page(visitor)
        text = read(visitor.get(path))
        assert "disputed, corrected by $2.00 My post of 5 March is missing" in text
        assert "Answer, 16 Mar 2026, 1" in text
        assert "It was imported" in text
        text = read(visitor.get(f"amounts/{correction['id']}"))
        assert "Fee (correction) 2 Mar 2026 to 8 Mar 2026 Amount $2.00 Status to approve" in text
        assert "$12.00 owed now, $10.00 when it was paid: $2.00 to correct." in text
        assert "When it was paid Now Difference Dollars" in text
        assert "0 2,500 2,500 Tiers apply" in text
        assert "Owed now $12.00 When it was paid \u2212$10.00 To correct $2.00" in text
        assert "Corrects $10.00 of 2 Mar 2026 , paid on " in text
    assert campaign.pay(creator)["amount_cents"] == 200
    assert campaign.balance(creator) == (1_200, 1_200, 0)


def decide(campaign: Campaign, made: Any, **body: str) -> Any:
    return campaign.tenant.client.data("PATCH", f"{DISPUTES}/{made['id']}", json=body)


def overdue(campaign: Campaign) -> list[str]:
    path = f"/projects/{campaign.tenant.project_id}/program-health"
    health = campaign.tenant.client.data("GET", path)
    return [
        overdue_dispute["dispute_id"] for overdue_dispute in health["alerts"]["overdue_disputes"]
    ]
