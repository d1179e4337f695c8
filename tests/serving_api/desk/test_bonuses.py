"""A one-off bonus at the desk: one form with a reason makes a retainer of one day."""

import pytest

from tests.factories.visitors import read
from tests.fixtures.desk import Sitter, beside
from tests.fixtures.payouts import Paying


@pytest.fixture
def admin(paying: Paying) -> Sitter:
    return Sitter(paying.tenant)


def test_a_bonus_is_a_rule_of_one_day_that_is_offered_nowhere_else(
    paying: Paying, admin: Sitter
) -> None:
    ada, client = paying.ada["id"], paying.tenant.client
    page = f"{admin.home}/payouts/creators/{ada}/bonus"
    assert f'href="{page}"' in admin.get(f"{admin.home}/creators/{ada}").text
    paying.decide("settled", status="approved")
    assert f'href="{page}"' in admin.get(f"{admin.home}/payouts/creators/{ada}").text
    answer = admin.send(page, page=page, amount_cents="1,050.50", reason="Best post of May")
    shown = read(admin.get(answer.headers["Location"]))
    assert "Bonus of $1,050.50 for 19 May 2026. Payouts lists it after the next run" in shown
    [made] = client.data("GET", "/payout-structures", params={"is_active": "false"})
    assert made["name"] == "Bonus for ada: Best post of May"
    rule = (made["criteria_type"], made["period"], made["amount_cents"], made["proration_mode"])
    assert rule == ("recurring", "daily", 105_050, "full")
    [assigned] = client.data("GET", f"/payout-structures/{made['id']}/assignments")
    days = (assigned["start_date"], assigned["end_date"])
    assert (assigned["creator_id"], *days) == (ada, "2026-05-19", "2026-05-19")


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("amount_cents", "0", "Enter an amount above 0"),
        ("amount_cents", "ten", "Enter dollars with a point as decimal separator (1.50)"),
        ("amount_cents", "-38.20", "A bonus cannot be negative, see above"),
        ("amount_cents", "$\u221238.20", "A bonus cannot be negative, see above"),
        ("reason", " ", "This field is required"),
        ("day", "2026-05-21", "Enter today or an earlier date"),
    ],
)
def test_a_bonus_without_what_it_needs_is_refused_at_the_field(
    paying: Paying, admin: Sitter, field: str, value: str, message: str
) -> None:
    page = f"{admin.home}/payouts/creators/{paying.ada['id']}/bonus"
    sent = {"amount_cents": "50", "reason": "Best post", "day": "", field: value}
    answer = admin.send(page, page=page, **sent)
    assert answer.status_code == 400
    assert beside(answer.text, field) == message
    assert len(paying.tenant.client.data("GET", "/payout-structures")) == 1
