"""An amount that a bonus replaced after a dispute: at most one of the two is owed."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import text

from tests.factories.accruals import earning, publish_earnings
from tests.factories.visitors import main_page, read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.payouts import Paying, week_until

pytestmark = pytest.mark.slow


@dataclass
class Replaced:
    """Ada's $100.00, disputed and void, and the bonuses that replaced it by name."""

    paying: Paying
    admin: Sitter

    def accept(self, name: str, dollars: str) -> str:
        """Dispute an amount and accept that with another one; return the bonus's id."""
        dispute = self.dispute(name)
        answer = self.send(name, dispute, dollars)
        assert answer.status_code == 303
        done = self.paying.tenant.client.data("GET", f"/payout-disputes/{dispute}")
        return str(done["correction_id"])

    def dispute(self, name: str) -> str:
        body = {"accrual_id": self.paying.id_of(name), "reason": "Two posts"}
        dispute = self.paying.tenant.client.data("POST", "/payout-disputes", json=body)
        return str(dispute["id"])

    def send(self, name: str, dispute: str, dollars: str) -> httpx.Response:
        page = self.page(name)
        money = {"correct_cents": dollars, "correction_reason": "Two posts"}
        sent = {"state": "accepted", "answer": "Yes", **money}
        return self.admin.send(f"{page}/disputes/{dispute}", page=page, **sent)

    @property
    def accrued(self) -> int:
        cents: int = self.paying.balance(self.paying.ada)["accrued_cents"]
        return cents

    def compute(self, name: str, bonus_id: str, cents: int) -> None:
        """Publish a bonus, as a pipeline run does."""
        rule_id = self.bonus_rule(cents)["id"]
        made = self.paying.tenant.client.data("GET", f"/payout-structures/{rule_id}")
        row = earning(self.paying.tenant, made, self.paying.ada, week_until(3), cents)
        self.paying.earnings[name] = replace(row, id=UUID(bonus_id))
        self.paying.publish()

    def bonus_rule(self, cents: int) -> Any:
        rules = self.paying.tenant.client.data("GET", "/payout-structures?is_active=false")
        [rule] = [each for each in rules if each["amount_cents"] == cents]
        return rule

    def page(self, name: str) -> str:
        return f"{self.admin.home}/payouts/amounts/{self.paying.id_of(name)}"

    def refused(self, name: str, status: str = "final") -> Any:
        """Return `meta` of a refused restore by REST, which changes nothing."""
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
        assert f'Replaced after a dispute by <a href="{replaced.page("bonus")}">$60.00</a>' in text
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


def test_only_what_can_be_restored_is_offered_to_be(paying: Paying) -> None:
    """A bonus has no page until a pipeline run has computed its amount."""
    both = Replaced(paying, Sitter(paying.tenant))
    bonus_id, own = both.accept("settled", "60"), both.page("settled")
    void_list = f"{both.admin.home}/payouts?status=void"
    coming = "Replaced after a dispute by a bonus: the amount appears with the next run"
    for page in (own, void_list):
        shown = both.admin.get(page)
        assert coming in read(shown), page
        assert "Restore" not in shown.text
        assert bonus_id not in shown.text
    assert bonus_id not in on_its_page(both, "final")[1]
    both.compute("bonus", bonus_id, 6_000)
    for page in (own, void_list):
        shown = both.admin.get(page).text
        assert f'<a href="{both.page("bonus")}">$60.00</a>' in shown
        assert "Restore" not in shown
    paying.decide("bonus", status="void")
    assert "Restore" in both.admin.get(own).text
    assert both.admin.get(void_list).text.count(">Restore<") == 2


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


def test_an_amount_is_restored_once_its_bonus_is_removed(replaced: Replaced) -> None:
    """Its assignment was deleted, or is paused or pays nothing."""
    assert "replaced_by" in replaced.refused("settled")
    publish_without_bonus(replaced)
    assert replaced.paying.decide("settled", status="final")["status"] == "final"


def test_a_former_zero_amount_is_not_paid_beside_its_bonus(paying: Paying) -> None:
    """The bonus is the whole difference then, as if added to a paid amount."""
    paying.earnings["settled"] = paying.amounting("settled", 0)
    paying.publish()
    both = Replaced(paying, Sitter(paying.tenant))
    bonus_id = both.accept("settled", "50")
    paying.earnings["settled"] = paying.amounting("settled", 5_000)
    both.compute("bonus", bonus_id, 5_000)
    assert both.refused("settled", "approved")["replaced_by"] == bonus_id
    assert "Restore" not in both.admin.get(both.page("settled")).text


@pytest.mark.parametrize("disputed", ["settled", "bonus"])
@pytest.mark.parametrize("correct", [8_000, 11_500])
def test_a_second_dispute_replaces_the_bonus_of_the_first(
    paying: Paying, disputed: str, correct: int
) -> None:
    both = Replaced(paying, Sitter(paying.tenant))
    before = both.accrued
    bonus_id = both.accept("settled", "107.77")
    early = both.dispute("settled")
    for shown in (both.admin.get(both.page("settled")), both.send("settled", early, "80")):
        assert "The next run computes the bonus of an earlier dispute" in shown.text
    both.compute("bonus", bonus_id, 10_777)
    assert both.accrued - before == 777
    assert "Replaces $100.00 after a dispute." in read(both.admin.get(both.page("bonus")))
    assert both.refused("settled")["replaced_by"] == bonus_id
    dispute = early if disputed == "settled" else both.dispute(disputed)
    assert "Now $107.77. A bonus of the correct" in read(both.admin.get(both.page(disputed)))
    assert both.send(disputed, dispute, str(correct / 100)).status_code == 303
    done = paying.tenant.client.data("GET", f"/payout-disputes/{dispute}")
    both.compute("second", done["correction_id"], correct)
    assert both.accrued - before == correct - 10_000
    assert done["correction_cents"] == correct - 10_777
    assert paying.accrual("bonus")["status"] == "void"


def test_a_bonus_that_adds_to_a_paid_amount_counts_in_its_later_disputes(paying: Paying) -> None:
    both = Replaced(paying, Sitter(paying.tenant))
    payment = paying.pay("settled")
    before = both.accrued
    both.compute("adding", both.accept("settled", "107.77"), 777)
    assert "Adds to $100.00 after a dispute." in read(both.admin.get(both.page("adding")))
    dispute = both.dispute("settled")
    assert "Now $107.77. A bonus pays the difference." in read(both.admin.get(both.page("settled")))
    assert "Enter more than $107.77" in both.send("settled", dispute, "105").text
    paying.change(payment, status="void")
    assert "Enter at least $7.77" in both.send("settled", dispute, "5").text
    assert both.send("settled", dispute, "50").status_code == 303
    done = paying.tenant.client.data("GET", f"/payout-disputes/{dispute}")
    both.compute("second", done["correction_id"], 4_223)
    assert both.accrued - before == 5_000 - 10_000
    paying.decide("second", status="void")
    assert paying.decide("settled", status="final")["status"] == "final"


def test_an_accepted_amount_that_settles_is_not_paid_too_once_it_follows_its_data(
    paying: Paying,
) -> None:
    both = Replaced(paying, Sitter(paying.tenant))
    both.compute("bonus", both.accept("last", "80"), 8_000)
    paying.publish(last=8_000)
    owed = {name: paying.accrual(name) for name in ("last", "bonus")}
    assert [each["amount_cents"] for each in owed.values() if each["status"] != "void"] == [8_000]


def test_an_amount_that_is_voided_meanwhile_gets_no_bonus(paying: Paying) -> None:
    both, store = Replaced(paying, Sitter(paying.tenant)), paying.tenant.api.store
    dispute = both.dispute("settled")
    void = {"status": "void", "amount_cents": 10_000}
    with ThreadPoolExecutor(2) as pool, store.engine.connect() as locking:
        locking.execute(
            text("select 1 from creators where id = :id for no key update"),
            {"id": paying.ada["id"]},
        )
        first = pool.submit(paying.decide, "settled", **void)
        wait_until_waiting(store.dsn)
        second = pool.submit(both.send, "settled", dispute, "107.77")
        wait_until_waiting(store.dsn, 2)
        locking.rollback()
    assert first.result()["status"] == "void"
    assert "Restore this amount first" in second.result().text
    assert paying.tenant.client.data("GET", "/payout-structures?is_active=false") == []


def test_a_correction_that_ended_with_the_payment_replaces_nothing(paying: Paying) -> None:
    client, payment = paying.tenant.client, paying.pay("settled")
    dispute = Replaced(paying, Sitter(paying.tenant)).dispute("settled")
    paying.publish(settled=7_500)
    [adjustment] = paying.adjustments()
    body = {"state": "corrected", "answer": "Yes", "correction_id": adjustment["id"]}
    client.data("PATCH", f"/payout-disputes/{dispute}", json=body)
    paying.change(payment, status="void")
    paying.decide("settled", status="void")
    assert paying.decide("settled", status="final")["status"] == "final"


def test_the_creator_reads_that_the_correction_is_not_paid(replaced: Replaced) -> None:
    paying = replaced.paying
    amount = f"/amounts/{paying.id_of('settled')}"
    with visiting(paying.tenant, paying.ada) as visitor:
        for wanted in ("orrected by", "accepted, but the correction will not be paid"):
            for shown in (read(visitor.get(amount)), main_page(visitor)):
                assert wanted in shown
                assert ("orrected by" in shown) is (wanted == "orrected by")
            paying.decide("bonus", status="void")


@pytest.fixture
def moved(paying: Paying) -> tuple[Replaced, str]:
    """Ada's $100.00, replaced by a bonus whose day has ended in no zone of the organization."""
    both = Replaced(paying, Sitter(paying.tenant))
    move(paying, "Pacific/Kiritimati")  # where the 21st has begun
    bonus_id = both.accept("settled", "60")
    move(paying, "America/Los_Angeles")
    publish_without_bonus(both)
    return both, bonus_id


def move(paying: Paying, zone: str) -> None:
    path = f"/organizations/{paying.tenant.organization_id}"
    paying.tenant.client.data("PATCH", path, json={"analytics_tz": zone})


def publish_without_bonus(both: Replaced) -> None:
    """Publish all other amounts, as a pipeline run after the bonus does."""
    rows = [row for name, row in both.paying.earnings.items() if name != "bonus"]
    api = both.paying.tenant.api
    publish_earnings(api.settings, api.store, rows, settling_days=3)


@pytest.mark.parametrize("way", [by_rest, on_its_page, in_the_list])
@pytest.mark.parametrize("status", ["final", "approved"])
def test_a_bonus_of_a_day_that_a_new_zone_moved_still_replaces_the_amount(
    moved: tuple[Replaced, str], way: Way, status: str
) -> None:
    both, bonus_id = moved
    paying, run = both.paying, "the first run on 21 May 2026 or later"
    code, shown = way(both, status)
    assert code == 409
    assert f"$60.00, which {run} computes, replaces this amount since a dispute" in shown
    assert both.refused("settled", status)["replaced_by"] == bonus_id
    assert paying.refused("accrual_void", "settled")
    own = both.admin.get(both.page("settled"))
    assert f"A bonus of $60.00 replaces this amount; Payouts lists it after {run}." in read(own)
    assert f"Replaced after a dispute by a bonus: the amount appears with {run}" in read(own)
    assert "Restore" not in own.text
    both.dispute("settled")
    the_run = f"The{run[3:]} computes the bonus of an earlier dispute: enter the amount after it"
    assert the_run in read(both.admin.get(both.page("settled")))
    move(paying, "Pacific/Kiritimati")
    both.compute("bonus", bonus_id, 6_000)
    assert way(both, status)[0] == 409
    paying.decide("bonus", status="approved")
    assert (paying.pay("bonus")["amount_cents"], paying.accrual("settled")["status"]) == (
        6_000,
        "void",
    )


def test_a_void_bonus_stays_void_while_the_publication_lacks_it(replaced: Replaced) -> None:
    replaced.paying.decide("bonus", status="void")
    publish_without_bonus(replaced)
    page = replaced.admin.get(replaced.page("settled"))
    assert "The correction will not be paid." in read(page)
    assert "Restore $100.00" in read(page)
    assert replaced.paying.decide("settled", status="approved")["status"] == "approved"


def test_neither_is_paid_if_both_were_restored_by_an_older_version(
    moved: tuple[Replaced, str],
) -> None:
    both, bonus_id = moved
    paying, approved = both.paying, {"status": "approved"}
    with paying.tenant.api.store.write_session() as session:
        statement = (
            "update payout_accrual_decisions set decision = 'approved' where accrual_id = :id"
        )
        session.execute(text(statement), {"id": paying.id_of("settled")})
    assert paying.refused("conflict", "settled")["replaced_by"] == bonus_id
    both.compute("bonus", bonus_id, 6_000)
    for name in ("settled", "bonus"):
        assert paying.refused("conflict", name)["reason"] == "replaced"
        paying.tenant.client.refusal("PATCH", paying.path(name), "conflict", json=approved)
    page = f"{both.admin.home}/payouts/run"
    run = both.admin.get(page).text
    [version] = re.findall(r'name="(version\.[^"]+)" value="([^"]+)"', run)
    sent = {f"selected.{paying.ada['id']}": "on", "payout_method_id": method_of(paying)}
    refused = both.admin.send(page, page=page, for_all="", **dict([version]), **sent)
    assert "$60.00 replaces this amount since a dispute: void that amount first" in refused.text
    paying.decide("settled", status="void")
    assert paying.pay("bonus")["amount_cents"] == 6_000


def method_of(paying: Paying) -> str:
    return str(paying.payment()["payout_method_id"])


@pytest.mark.parametrize("status", ["final", "approved"])
def test_a_correction_to_nothing_is_not_paid_once_its_amount_is_restored(
    paying: Paying, status: str
) -> None:
    both = Replaced(paying, Sitter(paying.tenant))
    assert both.send("settled", both.dispute("settled"), "0").status_code == 303
    inbox, amount = f"{both.admin.home}/inbox/disputes", f"/amounts/{paying.id_of('settled')}"
    with visiting(paying.tenant, paying.ada) as visitor:
        assert "Corrected by \u2212$100.00." in read(both.admin.get(both.page("settled")))
        assert "Corrected by \u2212$100.00" in read(both.admin.get(inbox))
        assert "orrected by \u2212$100.00" in main_page(visitor)
        paying.decide("settled", status=status)
        shown = read(both.admin.get(both.page("settled")))
        assert "20 May 2026, 12:00: accepted. All disputes" in shown
        assert "The correction will not be paid." in shown
        assert "orrected by" not in shown
        assert "Corrected not paid: \u2212$100.00" in read(both.admin.get(inbox))
        for creators in (read(visitor.get(amount)), main_page(visitor)):
            assert "accepted, but the correction will not be paid" in creators
            assert "orrected by" not in creators
    paying.publish(settled=None)
    assert "not paid" not in read(both.admin.get(inbox))
