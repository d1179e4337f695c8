"""Errors of simulations, and answers before the first publication.

For the results see `tests/scenarios/lab.py` and `tests/dbt_project/test_simulations.py`.
"""

from typing import Any
from uuid import uuid4

import pytest

from tests.factories.payouts import conversion_rule, rule
from tests.fixtures.api import Tenant

PATH = "/payout-structures/simulate"
DAYS = {"from": "2026-05-01", "to": "2026-05-20"}


def new(tenant: Tenant, kind: str = "recurring") -> dict[str, Any]:
    return {"project_id": str(tenant.project_id), "name": "Other", **rule(kind)}


def refused_at(tenant: Tenant, field: str, **body: Any) -> str:
    meta = tenant.client.refusal("POST", PATH, "invalid_body", json=body)
    [issue] = meta["issues"]
    assert issue["path"] == field
    message: str = issue["message"]
    return message


def test_nothing_is_known_before_the_first_publication(tenant: Tenant, creator: Any) -> None:
    campaign = tenant.campaign()
    for who in ({"creator_ids": [creator["id"]]}, {"campaign_id": campaign["id"]}):
        body = {"structure": new(tenant), **who, **DAYS}
        assert tenant.client.data("POST", PATH, json=body) is None
    assert tenant.client.data("GET", "/payout-structures") == []


def test_one_structure_and_one_way_to_name_creators(tenant: Tenant, creator: Any) -> None:
    who = {"creator_ids": [creator["id"]]}
    refused_at(tenant, "structure", **who, **DAYS)
    refused_at(tenant, "structure", structure_id=str(uuid4()), **who, **DAYS)
    structure_id = tenant.payout_structure(rule("recurring"))
    both = {"structure_id": structure_id, "structure": new(tenant)}
    refused_at(tenant, "structure", **both, **who, **DAYS)
    refused_at(tenant, "creator_ids", structure=new(tenant), **DAYS)
    refused_at(
        tenant, "creator_ids", structure=new(tenant), campaign_id=str(uuid4()), **who, **DAYS
    )


@pytest.mark.parametrize(
    ("days", "field", "message"),
    [
        ({"from": "2026-05-20", "to": "2026-05-21"}, "to", "2026-05-20"),
        ({"from": "2026-02-17", "to": "2026-05-20"}, "to", "at most 92 days"),
        ({"from": "2026-05-20", "to": "2026-05-19"}, "from", "2026-05-19"),
    ],
)
def test_days_are_past_and_few(
    tenant: Tenant, creator: Any, days: dict[str, str], field: str, message: str
) -> None:
    """Today is 20 May; from 18 February on it is 92 days."""
    who = {"creator_ids": [creator["id"]]}
    assert message in refused_at(tenant, field, structure=new(tenant), **who, **days)


def test_the_longest_range_is_accepted(tenant: Tenant, creator: Any) -> None:
    days = {"from": "2026-02-18", "to": "2026-05-20"}
    body = {"structure": new(tenant), "creator_ids": [creator["id"]], **days}
    tenant.client.data("POST", PATH, json=body)


def test_at_most_100_creators(tenant: Tenant) -> None:
    creators = [str(uuid4()) for _ in range(101)]
    refused_at(tenant, "creator_ids", structure=new(tenant), creator_ids=creators, **DAYS)


def test_of_another_organization_is_absent(tenant: Tenant, other: Tenant, creator: Any) -> None:
    foreign, campaign = other.creator("somebody.else"), other.campaign()
    body = {"structure": new(tenant), "creator_ids": [creator["id"], foreign["id"]], **DAYS}
    meta = tenant.client.refusal("POST", PATH, "not_found", json=body)
    assert meta["not_found_ids"] == [foreign["id"]]
    who = {"creator_ids": [creator["id"]]}
    theirs = {"structure_id": other.payout_structure(rule("recurring"))}
    for foreign_body in (
        {"structure": new(other), **who},
        {**theirs, "rule": {"kind": "rule", **rule("recurring")}, **who},
        {"structure": new(tenant), "campaign_id": campaign["id"]},
    ):
        tenant.client.refusal("POST", PATH, "not_found", json=foreign_body | DAYS)


def test_what_a_change_would_be_refused_for(tenant: Tenant, creator: Any) -> None:
    structure_id = tenant.payout_structure(rule("recurring"))
    tenant.payout_assignment(structure_id, creator)
    another = {"structure_id": structure_id, "rule": {"kind": "rule", **rule("cpm")}}
    body = {**another, "creator_ids": [creator["id"]], **DAYS}
    tenant.client.refusal("POST", PATH, "structure_shape_locked", json=body)
    event = {"conversion_event_id": str(uuid4()), "rate_type": "flat", "amount_cents": 5}
    params = {"cadence": "every_conversion", "rates": [event]}
    terms = rule("conversion", criteria_params=params, period=None)
    who = {"creator_ids": [creator["id"]]}
    place = "criteria_params.rates.0.conversion_event_id"
    made = new(tenant) | terms
    refused_at(tenant, f"structure.{place}", structure=made, **who, **DAYS)
    selling = tenant.payout_structure(conversion_rule(tenant.conversion_event()))
    instead = {"structure_id": selling, "rule": {"kind": "rule", **terms}}
    refused_at(tenant, f"rule.{place}", **instead, **who, **DAYS)
