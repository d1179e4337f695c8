"""Exports of payouts: accruals, payments, and the tracker of all creators.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

import csv
import io
from typing import Any

import pytest

from tests.factories.accruals import earning
from tests.fixtures.api import new_tenant
from tests.fixtures.meanwhile import between_snapshots
from tests.fixtures.payouts import LIST, PAYMENTS, Paying, week_until

ACCRUALS, PAID, TRACKER = "accruals", "payments", "payouts-tracker"


def exported(paying: Paying, dataset: str, **params: str) -> list[dict[str, str]]:
    response = paying.tenant.client.get(f"/exports/{dataset}", params=params)
    assert response.status_code == 200, response.text
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


HELD = ("reason", "since_at", "readings_total", "readings")


def cells(item: dict[str, Any]) -> dict[str, str]:
    """A list item without a hold as the cells of a file."""
    if "held" in item:
        assert item.pop("held") is None
        item |= {f"held.{name}": None for name in HELD}
    return {name: "" if value is None else str(value) for name, value in item.items()}


class TestAccruals:
    def test_rows_equal_the_list_in_its_order(self, owing: Paying) -> None:
        listed = owing.tenant.client.data("GET", LIST)
        assert exported(owing, ACCRUALS) == [cells(each) for each in listed]

    def test_days_project_and_campaign(self, owing: Paying) -> None:
        def ids(**params: str) -> set[str]:
            return {row["id"] for row in exported(owing, ACCRUALS, **params)}

        assert ids(**{"from": "2026-05-04", "to": "2026-05-17"}) == {owing.id_of("last")}
        assert len(ids(project_id=str(owing.tenant.project_id))) == 4
        campaign = owing.tenant.campaign()["id"]
        assert ids(campaign_id=campaign) == set()
        item = {"item_type": "creator", "item_id": owing.bob["id"]}
        path = f"/campaigns/{campaign}/items"
        owing.tenant.client.data("POST", path, json=item)
        assert ids(campaign_id=campaign) == {owing.id_of("bobs")}

    @pytest.mark.slow
    def test_newer_decisions_are_included(self, paying: Paying) -> None:
        paying.decide("settled", status="void", note="=1+1")
        [void] = [row for row in exported(paying, ACCRUALS) if row["status"] == "void"]
        assert (void["id"], void["note"]) == (paying.id_of("settled"), "'=1+1")


class TestPayments:
    def test_rows_equal_the_list(self, paying: Paying) -> None:
        paying.decide("last", status="approved")
        paying.pay("settled", "last", reference="INV, 7")
        paying.pay(amount_cents=1, creator_id=paying.bob["id"])
        [bobs, adas] = exported(paying, PAID)
        [_, listed] = paying.tenant.client.data("GET", PAYMENTS)
        assert adas.pop("accrual_ids") == ",".join(listed.pop("accrual_ids"))
        assert adas == cells(listed)
        assert (bobs["amount_cents"], bobs["accrual_ids"]) == ("1", "")

    @pytest.mark.parametrize("day", ["2026-04-30", "2026-05-20"])
    def test_days_match_the_list(self, paying: Paying, day: str) -> None:
        """One was paid in April and recorded in May; the other is pending, so it has no day."""
        paying.pay("settled", paid_at="2026-04-30T23:59:59Z")
        paying.pay(amount_cents=1, status="pending")
        days = {"from": day, "to": day}
        [listed] = paying.tenant.client.data("GET", PAYMENTS, params=days)
        assert [row["id"] for row in exported(paying, PAID, **days)] == [listed["id"]]


class TestTracker:
    def test_every_creator_with_its_balance(self, paying: Paying) -> None:
        paying.pay("settled")
        bob, ada = exported(paying, TRACKER)
        assert ada == {
            "creator_id": paying.ada["id"],
            "handle": "ada",
            "display_name": "ada",
            "project_id": str(paying.tenant.project_id),
            "accrued_cents": "10000",
            "paid_cents": "10000",
            "balance_cents": "0",
            "open_cents": "17000",
            "currency": "USD",
        }
        assert (bob["handle"], bob["balance_cents"]) == ("bob", "5000")

    def test_removed_creators_stay_if_they_had_payouts(self, paying: Paying) -> None:
        paying.pay(amount_cents=1)
        for creator in (paying.ada, paying.bob):
            paying.tenant.client.data("DELETE", f"/creators/{creator['id']}")
        assert [row["creator_id"] for row in exported(paying, TRACKER)] == [paying.ada["id"]]


class TestMeanwhile:
    """Rows written while a page is made are not on it, and displace no row."""

    def pages(self, paying: Paying, dataset: str, limit: int) -> list[list[str]]:
        params, pages = {"limit": str(limit)}, []
        while True:
            response = paying.tenant.client.get(f"/exports/{dataset}", params=params)
            pages.append([row.split(",")[0] for row in response.text.splitlines()[1:]])
            if "X-Next-Cursor" not in response.headers:
                return pages
            params["cursor"] = response.headers["X-Next-Cursor"]

    def test_an_accrual_is_published(self, paying: Paying) -> None:
        listed = [row["id"] for row in exported(paying, ACCRUALS)]
        made = earning(paying.tenant, paying.structure, paying.bob, week_until(31), 7_000)

        def publish() -> None:
            paying.earnings["next"] = made
            paying.publish()

        with between_snapshots(f"/exports/{ACCRUALS}", publish):
            assert self.pages(paying, ACCRUALS, 2) == [listed[:2], listed[2:]]

    def test_an_accrual_is_decided_about(self, paying: Paying) -> None:
        listed = exported(paying, ACCRUALS)
        with between_snapshots(
            f"/exports/{ACCRUALS}", lambda: paying.decide("settled", note="seen")
        ):
            assert exported(paying, ACCRUALS) == listed

    @pytest.mark.parametrize("dataset", [PAID, TRACKER])
    def test_a_row_is_added(self, paying: Paying, dataset: str) -> None:
        names = iter(("carl", "dora", "erin"))

        def add() -> None:
            creator = paying.tenant.creator(next(names))
            paying.pay(amount_cents=1, creator_id=creator["id"])

        for _ in range(2):
            paying.pay(amount_cents=1)
        listed = [next(iter(row.values())) for row in exported(paying, dataset)]
        with between_snapshots(f"/exports/{dataset}", add):
            assert self.pages(paying, dataset, 1) == [[row] for row in listed]


@pytest.mark.parametrize("dataset", [ACCRUALS, PAID, TRACKER])
class TestEach:
    def test_another_organization_gets_nothing_of_it(self, owing: Paying, dataset: str) -> None:
        params = {"project_id": str(owing.tenant.project_id)}
        with new_tenant(owing.tenant.api) as other:
            path = f"/exports/{dataset}"
            other.client.refusal("GET", path, "not_found", params=params)
            assert other.client.get(path).text.count("\r\n") == 1
