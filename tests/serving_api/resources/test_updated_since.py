"""Lists return rows changed since an instant, which is all that callers with a copy need."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import inspect, update

from tests.factories.tracking import add_video
from tests.fixtures.api import NOW, Tenant
from tests.fixtures.payouts import LIST, PAYMENTS, Paying
from warehouse.operational.models import (
    Account,
    Conversion,
    Creator,
    PayoutAccrualDecision,
    PayoutPayment,
    PayoutPaymentAccrual,
    Video,
)

HOUR = timedelta(hours=1)
BEFORE = NOW - 5 * HOUR
LATER = (NOW + HOUR).isoformat()


def ids(tenant: Tenant, path: str, **query: Any) -> list[str]:
    """The ids on all pages of one item."""
    found: list[str] = []
    cursor = None
    while True:
        page = {"limit": 1, **query, **({"cursor": cursor} if cursor else {})}
        answer = tenant.client.answer("GET", path, params=page)
        found += [each["id"] for each in answer["data"]]
        cursor = answer["meta"]["nextCursor"]
        if cursor is None:
            return found


def age(tenant: Tenant, model: type[Any], *row_ids: str, **changes: Any) -> None:
    """Set columns of rows, by default `updated_at` to a time long ago."""
    key = inspect(model).primary_key[0]
    changed = update(model).where(key.in_(row_ids)).values(changes or {"updated_at": BEFORE})
    with tenant.api.store.write_session() as session:
        session.execute(changed)


def test_videos_are_listed_that_changed_since(tenant: Tenant) -> None:
    new = [str(add_video(tenant.api.store, tenant.made, str(number))) for number in range(3)]
    age(tenant, Video, str(add_video(tenant.api.store, tenant.made, "old")))
    age(tenant, Video, new[0], updated_at=NOW - HOUR)
    since = (NOW - HOUR).isoformat()
    assert sorted(ids(tenant, "/videos", updated_since=since)) == sorted(new)
    assert ids(tenant, "/videos", updated_since=LATER) == []


def test_accounts_and_their_creators_are_listed_that_changed_since(tenant: Tenant) -> None:
    by_itself, by_account, neither = (tenant.creator(f"demo.{number}") for number in range(3))
    age(tenant, Creator, by_account["id"], neither["id"])
    age(tenant, Account, by_itself["accounts"][0]["id"], neither["accounts"][0]["id"])
    since = NOW.isoformat()
    assert ids(tenant, "/accounts", updated_since=since) == [by_account["accounts"][0]["id"]]
    assert ids(tenant, "/creators", updated_since=since) == [by_account["id"], by_itself["id"]]
    assert len(ids(tenant, "/creators", updated_since=BEFORE.isoformat())) == 3


def test_conversions_are_listed_that_were_recorded_or_voided_since(tenant: Tenant) -> None:
    creator, event = tenant.creator(), tenant.conversion_event()
    old, voided = (tenant.conversion(event, creator_id=creator["id"])["id"] for _ in range(2))
    age(tenant, Conversion, old, voided, created_at=BEFORE)
    path = f"/projects/{tenant.project_id}/conversions"
    tenant.client.data("DELETE", f"{path}/{voided}")
    new = tenant.conversion(event, creator_id=creator["id"])["id"]
    found = ids(tenant, path, status="all", updated_since=NOW.isoformat())
    assert sorted(found) == sorted([voided, new])


def test_payments_are_listed_that_changed_since(paying: Paying) -> None:
    old, new = paying.pay(amount_cents=100), paying.pay(amount_cents=200)
    age(paying.tenant, PayoutPayment, old["id"])
    assert ids(paying.tenant, PAYMENTS, updated_since=NOW.isoformat()) == [new["id"]]


def test_accruals_are_listed_that_were_computed_or_decided_since(paying: Paying) -> None:
    everything = ["current", "last", "settled", "bobs"]
    assert sorted(paying.listed(updated_since=NOW.isoformat())) == sorted(everything)
    assert paying.listed(updated_since=LATER) == []
    paying.decide("bobs", status="approved")
    payment = paying.pay("settled")
    bobs, later = paying.id_of("bobs"), NOW + 2 * HOUR
    age(paying.tenant, PayoutAccrualDecision, bobs, decided_at=later)
    assert paying.listed(updated_since=LATER) == ["bobs"]
    assert paying.total(updated_since=LATER) == 5_000
    age(paying.tenant, PayoutAccrualDecision, bobs, decided_at=NOW)
    age(paying.tenant, PayoutPayment, payment["id"], updated_at=later)
    assert paying.listed(updated_since=LATER) == ["settled"]
    age(paying.tenant, PayoutPayment, payment["id"])
    age(paying.tenant, PayoutPaymentAccrual, payment["id"], frozen_at=later)
    assert paying.listed(updated_since=LATER) == ["settled"]


@pytest.mark.parametrize("path", ["/creators", "/accounts", "/videos", LIST, PAYMENTS])
def test_an_instant_has_an_offset(tenant: Tenant, path: str) -> None:
    for wrong in ("2026-05-20", "2026-05-20T12:00:00"):
        params = {"updated_since": wrong}
        [issue] = tenant.client.refusal("GET", path, "invalid_query", params=params)["issues"]
        assert issue["path"] == "updated_since"
