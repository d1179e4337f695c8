"""Rows that PostgreSQL would delete by cascade are deleted explicitly, and are in the audit log."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.factories.payouts import rule
from tests.fixtures.api import Tenant
from tests.serving_api.http.test_audit import records
from warehouse.operational.base import Base, Unlogged


def campaign_of(tenant: Tenant) -> str:
    path = f"/projects/{tenant.project_id}/campaigns"
    made: str = tenant.client.data("POST", path, json={"name": "Spring"})["id"]
    return made


def budget_of(tenant: Tenant, **scope: str) -> str:
    body = {"project_id": str(tenant.project_id), "name": "May", "amount_cents": 500, **scope}
    made: str = tenant.client.data("POST", "/budgets", json=body)["id"]
    return made


def report_of(tenant: Tenant, campaign_id: str) -> str:
    path = f"/projects/{tenant.project_id}/reports"
    body = {"campaign_id": campaign_id}
    made: str = tenant.client.data("POST", path, json=body)["id"]
    return made


def campaign_with_budget(tenant: Tenant) -> tuple[str, str]:
    campaign_id = campaign_of(tenant)
    return f"/campaigns/{campaign_id}", budget_of(tenant, campaign_id=campaign_id)


def campaign_with_report(tenant: Tenant) -> tuple[str, str]:
    campaign_id = campaign_of(tenant)
    return f"/campaigns/{campaign_id}", report_of(tenant, campaign_id)


def structure_with_budget(tenant: Tenant) -> tuple[str, str]:
    body = {"project_id": str(tenant.project_id), "name": "Pay", **rule("recurring")}
    made = tenant.client.data("POST", "/payout-structures", json=body)
    path = f"/payout-structures/{made['structure_id']}?mode=hard"
    return path, budget_of(tenant, structure_id=made["structure_id"])


def tag_on_a_campaign(tenant: Tenant) -> tuple[str, str]:
    campaign_id = campaign_of(tenant)
    tagged = tenant.client.data("POST", f"/campaigns/{campaign_id}/tags", json={"tags": ["May"]})
    return f"/tags/{tagged[0]['id']}", campaign_id


CASCADES: dict[tuple[str, str], Callable[[Tenant], tuple[str, str]]] = {
    ("payout_budgets", "campaign_id"): campaign_with_budget,
    ("payout_budgets", "structure_id"): structure_with_budget,
    ("report_links", "campaign_id"): campaign_with_report,
    ("tag_items", "tag_id"): tag_on_a_campaign,
}
"""By table and column: creates both rows, returns the deleted one and the one that it takes along.
"""


def test_each_foreign_key_that_cascades_into_a_logged_table_is_here() -> None:
    logged = {
        mapper.local_table
        for mapper in Base.registry.mappers
        if not issubclass(mapper.class_, Unlogged)
    }
    cascading = {
        (table.name, key.parent.name)
        for table in Base.metadata.sorted_tables
        for key in table.foreign_keys
        if key.ondelete == "CASCADE" and table in logged
    }
    assert cascading == set(CASCADES)


@pytest.mark.parametrize("cascade", CASCADES, ids=".".join)
def test_cascading_deletions_are_logged(tenant: Tenant, cascade: tuple[str, str]) -> None:
    path, entity_id = CASCADES[cascade](tenant)
    tenant.client.data("DELETE", path)
    (record, *_) = records(tenant)
    kinds = {(str(change.entity_id), change.kind) for change in record.changes}
    assert (entity_id, "deleted") in kinds


@pytest.mark.parametrize("with_it", [campaign_with_budget, campaign_with_report])
def test_a_member_deletes_no_budget_or_report_by_its_campaign(
    tenant: Tenant, with_it: Callable[[Tenant], tuple[str, str]]
) -> None:
    path, entity_id = with_it(tenant)
    plain = f"/campaigns/{campaign_of(tenant)}"
    with tenant.client_with(role="member") as member:
        meta: Any = member.refusal("DELETE", path, "insufficient_role")
        assert [entity_id] in (meta["budget_ids"], meta["report_ids"])
        member.data("DELETE", plain)
    assert tenant.client.data("GET", path)
