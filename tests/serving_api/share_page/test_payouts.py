"""The payouts section of a share page.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

import re
from typing import Any
from uuid import uuid4

import httpx

from tests.factories.verifier import load_verifier
from tests.factories.visitors import main_page, visiting
from tests.fixtures.payouts import Paying


def page_of(paying: Paying, creator: Any) -> str:
    """The text of a creator's unlocked page."""
    with visiting(paying.tenant, creator) as visitor:
        return main_page(visitor)


def test_owed_and_paid_amounts(paying: Paying) -> None:
    paying.pay("settled", reference="Secret reference", readme="Secret note")
    paying.decide("last", status="approved", note="Secret note")
    paying.publish(settled=10_500)
    text = page_of(paying, paying.ada)
    assert "Earned $175.00 Paid $100.00 Balance $75.00 Not final yet $100.00" in text
    assert "Fee 18 May 2026 to 24 May 2026 $100.00 in progress" in text
    assert "Fee 11 May 2026 to 17 May 2026 $70.00 to pay" in text
    assert "Fee 27 Apr 2026 to 3 May 2026 $100.00 paid" in text
    assert "Fee (correction) 27 Apr 2026 to 3 May 2026 $5.00 to approve" in text
    assert "Latest payments Day Amount 20 May 2026 $100.00" in text
    assert "Secret" not in text


def test_other_creators_are_not_shown(paying: Paying) -> None:
    text = page_of(paying, paying.bob)
    assert "Earned $50.00 Paid $0.00" in text
    assert "$70.00" not in text
    assert "Latest payments" not in text


def test_a_creator_who_never_earned_anything(owing: Paying) -> None:
    assert "No payouts yet." in page_of(owing, owing.tenant.creator("new"))


def test_each_amount_is_explained(owing: Paying) -> None:
    text = page_of(owing, owing.ada)
    assert (
        "$100.00 in progress"
        " Day 3 of 7; at its end, if nothing changes: 7 of 7 days covered: $100.00."
        " Signed statement, how it was calculated."
        " Dispute this amount"
    ) in text


def test_a_creator_proves_an_amount_with_the_page_alone(owing: Paying) -> None:
    keys = httpx.get(f"{owing.tenant.api.base_url}/.well-known/jwks.json").json()
    with visiting(owing.tenant, owing.ada) as visitor:
        page = visitor.get(str(visitor.base_url).rstrip("/")).text
        [address, *_] = re.findall(r'href="([^"]+)" download', page)
        answer = visitor.get(f"{owing.tenant.api.base_url}{address}")
    assert answer.headers["Content-Disposition"].startswith("attachment; filename=")
    assert load_verifier().verify(answer.json(), keys)[-1] == "computed: 10000 cents USD, as stated"


def test_statements_are_of_this_creator_and_page_alone(owing: Paying) -> None:
    own, others = f"statements/{owing.id_of('current')}", f"statements/{owing.id_of('bobs')}"
    with visiting(owing.tenant, owing.ada) as visitor:
        assert visitor.get(own).status_code == 200
        assert visitor.get(others).status_code == 404
        assert visitor.get(f"statements/{uuid4()}").status_code == 404
        stranger = httpx.get(f"{visitor.base_url}{own}")
        assert "PIN" in stranger.text
        assert "signature" not in stranger.text
    with visiting(owing.tenant, owing.ada, show_payouts=False, show_analytics=True) as visitor:
        assert visitor.get(own).status_code == 404
