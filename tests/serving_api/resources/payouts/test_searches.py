"""Errors of searches for a number of a rule, and answers before the first publication.

For the results see `tests/scenarios/lab.py` and `tests/dbt_project/test_simulations.py`; for errors
that simulations share, `test_simulations.py`.
"""

from typing import Any

import pytest

from tests.factories.payouts import conversion_rule, rule
from tests.fixtures.api import Tenant

PATH = "/payout-structures/search"


@pytest.fixture
def search(tenant: Tenant) -> dict[str, Any]:
    days = {"from": "2026-05-01", "to": "2026-05-20"}
    return {"creator_ids": [tenant.creator()["id"]], "budget_cents": 5_000, **days}


def new(tenant: Tenant, terms: dict[str, Any]) -> dict[str, Any]:
    return {"project_id": str(tenant.project_id), "name": "Other", **terms}


def test_nothing_before_the_first_publication(tenant: Tenant, search: dict[str, Any]) -> None:
    body = {**search, "structure": new(tenant, rule("recurring")), "free": "amount_cents"}
    assert tenant.client.data("POST", PATH, json=body) is None
    sheet = tenant.client.post(PATH, params={"format": "csv"}, json=body)
    columns = "creator_id,in_force_cents,simulated_cents,difference_cents,change,held_cents"
    assert sheet.text == f"{columns}\r\n"


def test_a_number_that_pays_more_when_larger(tenant: Tenant, search: dict[str, Any]) -> None:
    selling = conversion_rule(tenant.conversion_event())
    for terms, free, is_taken in (
        (rule("recurring"), "amount_cents", True),
        (rule("cpm"), "amount_cents", False),
        (rule("cpm"), "criteria_params.max_payout_cents", True),
        (rule("cpm"), "criteria_params.tiers.1.cents_per_thousand", True),
        (rule("cpm"), "criteria_params.tiers.2.cents_per_thousand", False),
        (rule("cpm"), "criteria_params.tiers.0.up_to_impressions", False),
        (rule("view_threshold"), "criteria_params.thresholds.0.amount_cents", True),
        (rule("view_threshold"), "criteria_params.thresholds.0.view_count", False),
        (selling, "criteria_params.rates.0.percent_bps", True),
        (selling, "criteria_params.rates.0.amount_cents", False),
        (selling, "criteria_params.rates.-1.percent_bps", False),
    ):
        body = {**search, "structure": new(tenant, terms), "free": free}
        if is_taken:
            tenant.client.data("POST", PATH, json=body)
        else:
            meta = tenant.client.refusal("POST", PATH, "invalid_body", json=body)
            assert [issue["path"] for issue in meta["issues"]] == ["free"]
