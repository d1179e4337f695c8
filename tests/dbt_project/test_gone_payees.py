"""The last assignment to a rule is deleted after its amounts were published: it begins tomorrow."""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.factories.history import roll_up
from tests.factories.payouts import conversion_rule
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, running_api

pytestmark = pytest.mark.slow


class Month:
    """An organization that corrects its zone, so that an assignment from today begins tomorrow.

    `creator` is assigned to a rule that pays $50 for earlier conversions.
    """

    def __init__(self, served: Api, tenant: Tenant) -> None:
        self.tenant = tenant
        self._served, self._days = served, 0
        self.creator = tenant.creator()["id"]
        event = tenant.conversion_event()
        at = "2026-05-12T12:00:00Z"
        tenant.conversion(event, creator_id=self.creator, value_cents=50_000, occurred_at=at)
        rule = tenant.payout_structure(conversion_rule(event, backfill_on_assignment=True))
        tenant.payout_assignment(rule, {"id": self.creator})
        self._assignments = f"/payout-structures/{rule}/assignments"
        self.run()

    def run(self, *, full_refresh: bool = False) -> None:
        settings = self._served.settings.at(NOW + timedelta(days=self._days))
        roll_up(settings, self._served.store, full_refresh=full_refresh)
        self._days += 8

    def end_before_it_begins(self) -> None:
        path = f"/organizations/{self.tenant.organization_id}"
        self.tenant.client.data("PATCH", path, json={"analytics_tz": "UTC"})
        body = {"creator_ids": [self.creator]}
        assert self.tenant.client.data("DELETE", self._assignments, json=body)["ended"] == 1
        assert self.tenant.client.data("GET", self._assignments) == []

    def amounts(self) -> list[tuple[str, int]]:
        rows = self.tenant.client.data("GET", "/payout-accruals")
        return sorted((row["kind"], row["amount_cents"]) for row in rows)

    def balance(self) -> Mapping[str, Any]:
        return self.tenant.client.data("GET", f"/creators/{self.creator}/payout-balance")


@pytest.fixture
def month(api: Api, tmp_path: Path) -> Iterator[Month]:
    settings = api.settings.model_copy(update={"home": tmp_path})
    with (
        running_api(settings, api.store) as served,
        new_tenant(served, tz="Pacific/Auckland") as one,
    ):
        yield Month(served, one)


def test_unpaid_amounts_of_a_gone_payee_are_no_longer_owed(month: Month) -> None:
    """It stayed payable until the next full build."""
    assert month.amounts() == [("earning", 5000)]
    month.end_before_it_begins()
    month.run()
    assert month.amounts() == []


def test_paid_amounts_of_a_gone_payee_are_corrected(month: Month) -> None:
    """There was no correction, and the data test of each later full build failed."""
    month.end_before_it_begins()
    [amount] = month.tenant.client.data("GET", "/payout-accruals")
    [method, *_] = month.tenant.client.data("GET", "/payout-methods")
    payment = {
        "creator_id": month.creator,
        "project_id": str(month.tenant.project_id),
        "payout_method_id": method["id"],
        "accrual_ids": [amount["id"]],
    }
    month.tenant.client.data("POST", "/payout-payments", json=payment)
    for full_refresh in (False, True, False):
        month.run(full_refresh=full_refresh)
        assert month.amounts() == [("adjustment", -5000), ("earning", 5000)]
        assert month.balance()["balance_cents"] == -5000
