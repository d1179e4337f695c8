"""Comment settings over HTTP: the defaults, and the allowed values."""

import pytest

from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Organization

SETTINGS = "/comment-settings"


def set_plan(tenant: Tenant, name: str) -> None:
    with tenant.api.store.write_session() as session:
        session.get_one(Organization, tenant.organization_id).plan = name


def test_before_anything_is_set_there_are_defaults(tenant: Tenant) -> None:
    assert tenant.client.data("GET", SETTINGS) == {
        "org_id": str(tenant.organization_id),
        "org_name": "Acme",
        "min_comment_count": 5,
        "brand_terms": [],
        "effective_brand_terms": ["Acme"],
        "competitor_terms": [],
        "plan": {"comment_insights_enabled": True, "max_comment_videos_per_day": 5000},
        "updated_at": None,
    }


def test_sent_fields_are_set_and_the_others_stay(tenant: Tenant) -> None:
    changed = tenant.client.data(
        "PATCH", SETTINGS, json={"brand_terms": [" Acme App ", "été"], "min_comment_count": 0}
    )
    assert (changed["min_comment_count"], changed["brand_terms"]) == (0, ["Acme App", "été"])
    assert changed["effective_brand_terms"] == ["Acme App", "été"]
    assert changed["updated_at"] == NOW.isoformat().replace("+00:00", "Z")
    changed = tenant.client.data("PATCH", SETTINGS, json={"competitor_terms": ["Rival"]})
    assert (changed["min_comment_count"], changed["brand_terms"]) == (0, ["Acme App", "été"])
    assert changed["competitor_terms"] == ["Rival"]
    assert tenant.client.data("GET", SETTINGS) == changed


def test_an_empty_list_clears_and_the_name_is_the_brand_again(tenant: Tenant) -> None:
    tenant.client.data("PATCH", SETTINGS, json={"brand_terms": ["Other"]})
    cleared = tenant.client.data("PATCH", SETTINGS, json={"brand_terms": []})
    assert (cleared["brand_terms"], cleared["effective_brand_terms"]) == ([], ["Acme"])


def test_a_repeated_term_is_stored_once_as_first_written(tenant: Tenant) -> None:
    terms = ["Acme", "other", "ACME", "acme ", "Other"]
    changed = tenant.client.data("PATCH", SETTINGS, json={"brand_terms": terms})
    assert changed["brand_terms"] == ["Acme", "other"]


@pytest.mark.parametrize("least", [0, 100_000])
@pytest.mark.parametrize("field", ["brand_terms", "competitor_terms"])
def test_the_bounds_themselves_are_good(tenant: Tenant, field: str, least: int) -> None:
    terms = [f"{number:060}" for number in range(50)]
    changed = tenant.client.data("PATCH", SETTINGS, json={field: terms, "min_comment_count": least})
    assert (changed[field], changed["min_comment_count"]) == (terms, least)


@pytest.mark.parametrize(
    ("plan", "limits"), [("free", (False, 0)), ("starter", (True, 200)), ("ultra", (True, 5000))]
)
def test_it_works_on_every_plan(tenant: Tenant, plan: str, limits: tuple[bool, int]) -> None:
    set_plan(tenant, plan)
    plan_limits = tenant.client.data("PATCH", SETTINGS, json={"min_comment_count": 9})["plan"]
    assert (
        plan_limits["comment_insights_enabled"],
        plan_limits["max_comment_videos_per_day"],
    ) == limits
