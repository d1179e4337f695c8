"""Signed statements of amounts: a holder can verify the signer and recompute the amount."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from serving_api.resources.payouts.accruals.presenter import without_fractions
from tests.factories.verifier import VERIFIER
from tests.fixtures.payouts import Paying
from tests.serving_api.resources.payouts.resigning import OURS, put, resigned, verifier, wrong

KEYS = "/.well-known/jwks.json"


@pytest.fixture(scope="module")
def keys(owing: Paying) -> Any:
    return httpx.get(owing.tenant.api.base_url + KEYS).json()


@pytest.fixture(scope="module")
def signed(owing: Paying) -> Any:
    return owing.tenant.client.data("GET", f"{owing.path('current')}/statement")


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all scalar values of a document."""
    match value:
        case dict():
            for name, child in value.items():
                yield from leaves(child, (*path, name))
        case list():
            for place, child in enumerate(value):
                yield from leaves(child, (*path, place))
        case _:
            yield path


def test_has_the_amount_with_its_rule_and_evidence(owing: Paying, signed: Any) -> None:
    statement, accrual = signed["statement"], owing.accrual("current")
    unsigned_fields = {"note", "summary", "evidence", "view_coverage", "held", "settles_at"}
    assert statement["accrual"] == {name: accrual[name] for name in {*accrual} - unsigned_fields}
    assert statement["evidence"] == accrual["evidence"]
    assert statement["summary"] == accrual["summary"]
    assert statement["rule"] | {"hold_anomalies": False} == owing.structure["current_version"]
    assert statement["organization_id"] == str(owing.tenant.organization_id)


def test_anyone_can_verify_it_with_one_file(owing: Paying, signed: Any, tmp_path: Path) -> None:
    statement_file = tmp_path / "statement.json"
    statement_file.write_text(json.dumps({"data": signed, "error": None}), encoding="utf-8")
    command = [
        sys.executable,
        "-I",
        VERIFIER,
        statement_file,
        "--keys",
        owing.tenant.api.base_url + KEYS,
    ]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert done.returncode == 0, done.stderr
    assert "computed: 10000 cents USD, as stated" in done.stdout
    statement_file.write_text(
        json.dumps(put(signed, ("statement", "issuer"), "https://other")), "utf-8"
    )
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "WRONG: the signature does not match this statement\n"


def test_nothing_in_it_can_be_changed(signed: Any, keys: Any) -> None:
    verifier.verify(signed, keys)
    places = [path for path in leaves(signed) if path[0] == "statement"]
    assert len(places) > 40
    for path in places:
        assert "signature" in wrong(put(signed, path, "other"), keys), path


def test_another_server_cannot_sign_for_this_one(signed: Any, keys: Any) -> None:
    assert "no key" in wrong(resigned(signed), keys)
    verifier.verify(resigned(signed), {"keys": [OURS.public_key]})
    pretended = {**OURS.public_key, "kid": keys["keys"][0]["kid"]}
    assert "signature" in wrong(signed, {"keys": [pretended]})


@pytest.mark.parametrize(
    ("place", "value", "reason"),
    [
        (("accrual", "amount_cents"), 10_001, "cents: stated 10001, computed 10000"),
        (("accrual", "precise_amount"), "10000.5", "exact cents"),
        (("evidence", "covered_days"), 6, "cents: stated 10000, "),
        (("evidence", "amount_cents"), 10_001, "cents: stated 10000, computed 10001"),
        (("rule", "amount_cents"), 9_000, "amount_cents as agreed: stated 10000, computed 9000"),
        (("rule", "id"), "another", "version"),
        (("rule", "criteria_type"), "cpm", "the rule is cpm, not recurring"),
        (("evidence", "type"), "gift", "unknown type gift"),
        (("format",), "payout-statement/2", "unknown format"),
    ],
)
def test_an_amount_that_does_not_follow_is_refused_even_if_signed(
    signed: Any, place: tuple[str, ...], value: Any, reason: str
) -> None:
    changed = resigned(put(signed, ("statement", *place), value))
    assert reason in wrong(changed, {"keys": [OURS.public_key]})


def test_the_note_stays_within_the_organization(paying: Paying) -> None:
    paying.decide("settled", note="between us")
    signed = paying.tenant.client.data("GET", f"{paying.path('settled')}/statement")
    assert "between us" not in json.dumps(signed)
    assert paying.accrual("settled")["note"] == "between us"


def test_a_paid_amount_is_proven_as_paid(paying: Paying) -> None:
    paying.pay("settled")
    paying.publish(settled=7_000)
    signed = paying.tenant.client.data("GET", f"{paying.path('settled')}/statement")
    assert signed["statement"]["accrual"]["status"] == "paid"
    assert signed["statement"]["accrual"]["amount_cents"] == 10_000
    verifier.verify(signed, httpx.get(paying.tenant.api.base_url + KEYS).json())


@pytest.mark.parametrize(
    ("sent", "agreed"),
    [
        (0.1, "0.1"),
        (0.000001, "0.000001"),
        (33.333333, "33.333333"),
        (100_000_000.5, "100000000.5"),
    ],
)
def test_fractions_of_a_rule_are_signed_as_agreed(sent: float, agreed: str) -> None:
    """JSON parsers round 0.1 differently, but all must read the signed value."""
    rule = {"tiers": [{"up_to_impressions": None, "cents_per_thousand": sent}], "mode": "all"}
    assert without_fractions(rule) == {
        "tiers": [{"up_to_impressions": None, "cents_per_thousand": agreed}],
        "mode": "all",
    }


def test_the_key_set_has_nothing_secret(keys: Any) -> None:
    [key] = keys["keys"]
    assert set(key) == {"alg", "crv", "kid", "kty", "use", "x"}
    assert (key["kty"], key["crv"], key["alg"]) == ("OKP", "Ed25519", "EdDSA")
