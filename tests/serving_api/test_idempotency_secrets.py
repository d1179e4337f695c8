"""What an outcome keeps: everything of the answer but its secrets."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import select

from serving_api.idempotency.idempotent_request import fingerprint, without_secrets
from tests.fixtures.api import Tenant
from warehouse.operational.models import IdempotencyOutcome

bodies = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)


@given(bodies)
def test_a_body_is_the_same_in_any_order_and_spacing(body: Any) -> None:
    tight = json.dumps(body, separators=(",", ":")).encode()
    wide = json.dumps(body, indent=3, sort_keys=True).encode()
    assert fingerprint(tight, []) == fingerprint(wide, [])


@given(bodies, bodies)
def test_another_body_is_another(request_body: Any, other: Any) -> None:
    first, second = (json.dumps(body, sort_keys=True) for body in (request_body, other))
    same = fingerprint(first.encode(), []) == fingerprint(second.encode(), [])
    assert same == (first == second)


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000])
def test_what_is_no_json_stands_for_itself(body: bytes) -> None:
    assert fingerprint(body, []) == fingerprint(body, [])
    assert fingerprint(body, []) != fingerprint(body + b"x", [])


def test_the_query_is_part_of_the_request_in_any_order() -> None:
    pairs = [("a", "1"), ("b", "2")]
    assert fingerprint(b"", pairs) == fingerprint(b"", pairs[::-1]) != fingerprint(b"", pairs[:1])


@pytest.mark.parametrize(
    ("data", "secrets", "stored"),
    [
        ({"key": "svc_1", "name": "A"}, ["key"], {"key": None, "name": "A"}),
        ([{"pin": "1234"}, {"pin": None}], ["pin"], [{"pin": None}, {"pin": None}]),
        ({"link": {"pin": "1", "url": "u"}}, ["link.pin"], {"link": {"pin": None, "url": "u"}}),
        ({"name": "A"}, ["key"], {"name": "A"}),
        (None, ["key"], None),
    ],
)
def test_secrets_are_null_in_what_is_kept(data: Any, secrets: list[str], stored: Any) -> None:
    envelope = json.dumps({"data": data, "error": None, "meta": {}}).encode()
    assert json.loads(without_secrets(envelope, secrets))["data"] == stored


def test_a_new_key_is_shown_once_and_never_again(tenant: Tenant) -> None:
    path = f"/organizations/{tenant.organization_id}/api-keys"
    request = {"json": {"name": "CI"}, "headers": {"Idempotency-Key": "one"}}
    first = tenant.client.data("POST", path, **request)
    again = tenant.client.data("POST", path, **request)
    assert first["key"].startswith("svc_")
    assert again == {**first, "key": None}
    mine = IdempotencyOutcome.organization_id == tenant.organization_id
    with tenant.api.store.read_session() as session:
        response_body = session.scalars(select(IdempotencyOutcome.response_body).where(mine)).one()
    assert first["key"].encode() not in response_body
