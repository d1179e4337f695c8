"""What an outcome keeps: everything of the answer but its secrets."""

import json
from typing import Any

import pytest

from serving_api.idempotency.idempotent_request import fingerprint, without_secrets


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
