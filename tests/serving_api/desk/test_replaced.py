"""An amount that a bonus replaced after a dispute: at most one of the two is owed."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import pytest

from tests.factories.accruals import earning, publish_earnings
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import Paying, week_until

pytestmark = pytest.mark.slow


@dataclass
class Replaced:
    """Ada's $100.00, disputed and void, and names of the bonuses that replaced it."""

    paying: Paying
    admin: Sitter

    def accept(self, name: str, dollars: str) -> str:
        """Dispute an amount and accept that with a lower one; return the bonus's id."""
        client = self.paying.tenant.client
        body = {"accrual_id": self.paying.id_of(name), "reason": "Two posts"}
        dispute = client.data("POST", "/payout-disputes", json=body)
        page = self.page(name)
        money = {"correct_cents": dollars, "correction_reason": "Two posts"}
        sent = {"state": "accepted", "answer": "Yes", **money}
        answer = self.admin.send(f"{page}/disputes/{dispute['id']}", page=page, **sent)
        assert answer.status_code == 303
        done = client.data("GET", f"/payout-disputes/{dispute['id']}")
        return str(done["correction_id"])

    def compute(self, name: str, bonus_id: str, cents: int) -> None:
        """Publish a bonus, as a run does."""
        rules = self.paying.tenant.client.data("GET", "/payout-structures?is_active=false")
        [rule] = [each for each in rules if each["amount_cents"] == cents]
        made = self.paying.tenant.client.data("GET", f"/payout-structures/{rule['id']}")
        row = earning(self.paying.tenant, made, self.paying.ada, week_until(3), cents)
        self.paying.earnings[name] = replace(row, id=UUID(bonus_id))
        self.paying.publish()

    def page(self, name: str) -> str:
        return f"{self.admin.home}/payouts/amounts/{self.paying.id_of(name)}"

    def refused(self, name: str, status: str = "final") -> Any:
        """Return `meta` of a refused restoring by REST, which changes nothing."""
        path, client = self.paying.path(name), self.paying.tenant.client
        meta = client.refusal("PATCH", path, "conflict", json={"status": status})
        assert self.paying.accrual(name)["status"] == "void"
        return meta


@pytest.fixture
def replaced(paying: Paying) -> Replaced:
    made = Replaced(paying, Sitter(paying.tenant))
    bonus_id = made.accept("settled", "60")
    assert made.refused("settled")["replaced_by"] == bonus_id
    made.compute("bonus", bonus_id, 6_000)
    return made


def by_rest(replaced: Replaced, status: str) -> tuple[int, str]:
    client, path = replaced.paying.tenant.client, replaced.paying.path("settled")
    answer = client.request("PATCH", path, json={"status": status})
    return answer.status_code, answer.text


def on_its_page(replaced: Replaced, status: str) -> tuple[int, str]:
    paying, page = replaced.paying, replaced.page("settled")
    seen = {f"cents-{paying.id_of('settled')}": "10000", "shown_status": "void"}
    answer = replaced.admin.send(page, page=page, status=status, note="", **seen)
    return answer.status_code, answer.text


def in_the_list(replaced: Replaced, status: str) -> tuple[int, str]:
    paying, payouts = replaced.paying, f"{replaced.admin.home}/payouts"
    accrual_id = paying.id_of("settled")
    sent = {status: accrual_id, f"cents-{accrual_id}": "10000"}
    answer = replaced.admin.send(f"{payouts}?status=void", page=replaced.page("settled"), **sent)
    return answer.status_code, answer.text


Way = Callable[[Replaced, str], tuple[int, str]]


@pytest.mark.parametrize("way", [by_rest, on_its_page, in_the_list])
@pytest.mark.parametrize("status", ["final", "approved"])
def test_a_replaced_amount_is_restored_once_its_bonus_is_void(
    replaced: Replaced, way: Way, status: str
) -> None:
    code, text = way(replaced, status)
    assert code == 409
    assert "$60.00 replaces this amount since a dispute: void that amount first" in text
    if way is not by_rest:
        assert f'<a href="{replaced.page("bonus")}">Open that amount</a>' in text
    paying = replaced.paying
    of_bonus = replaced.admin.get(replaced.page("bonus"))
    assert "Replaces $100.00 after a dispute." in read(of_bonus)
    assert f'href="{replaced.page("settled")}"' in of_bonus.text
    assert paying.accrual("settled")["status"] == "void"
    paying.decide("bonus", status="void")
    assert way(replaced, status)[0] in (200, 303)
    assert paying.accrual("settled")["status"] == status
    assert replaced.refused("bonus", status)["replaced_by"] == paying.id_of("settled")
    shown = read(replaced.admin.get(replaced.page("settled")))
    assert "orrected" not in shown.partition("Open dispute")[0].partition("Dispute")[2]
    assert "The correction will not be paid: Bonus for ada: Two posts" in shown


def test_restoring_both_at_once_restores_none(replaced: Replaced) -> None:
    paying = replaced.paying
    paying.decide("bonus", status="void")
    both = ",".join(paying.id_of(name) for name in ("settled", "bonus"))
    cents = {f"cents-{paying.id_of('settled')}": "10000", f"cents-{paying.id_of('bonus')}": "6000"}
    payouts, page = f"{replaced.admin.home}/payouts?status=void", replaced.page("bonus")
    answer = replaced.admin.send(payouts, page=page, final=both, **cents)
    assert answer.status_code == 409
    assert {paying.accrual(name)["status"] for name in ("settled", "bonus")} == {"void"}


def test_a_bonus_that_was_replaced_itself_does_not_free_the_first_amount(
    replaced: Replaced,
) -> None:
    second = replaced.accept("bonus", "40")
    for name in ("settled", "bonus"):
        assert replaced.refused(name)["replaced_by"] == second
    replaced.compute("second", second, 4_000)
    assert replaced.refused("settled")["replaced_by"] == second
    replaced.paying.decide("second", status="void")
    replaced.paying.decide("bonus", status="final")
    assert replaced.refused("second")["replaced_by"] == replaced.paying.id_of("bonus")


def test_an_amount_is_restored_once_its_bonus_is_gone(replaced: Replaced) -> None:
    assert "replaced_by" in replaced.refused("settled")
    paying = replaced.paying
    rows = [row for name, row in paying.earnings.items() if name != "bonus"]
    api = paying.tenant.api
    publish_earnings(api.settings, api.store, rows, settling_days=3)
    assert paying.decide("settled", status="final")["status"] == "final"
