"""The payouts section of a share page.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

import re
from html import unescape
from typing import Any

import httpx

from tests.fixtures.payouts import Paying

PIN = "4821"


def page_of(paying: Paying, creator: Any) -> str:
    """The page of a creator, after its PIN, as it is read."""
    body = {"pin": PIN, "show_analytics": False, "show_payouts": True}
    paying.tenant.client.data(
        "POST", f"/creators/{creator['id']}/share-link", json=body, status=201
    )
    path = f"/share/creator/{creator['id']}"
    base_url = paying.tenant.api.base_url
    with httpx.Client(base_url=base_url, trust_env=False, timeout=30) as visitor:
        visitor.post(path, data={"pin": PIN})
        html = visitor.get(path).raise_for_status().text
    without_inline = re.sub(r"</?(time|bdi)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_inline)).split())


def test_what_is_owed_and_was_paid(paying: Paying) -> None:
    paying.pay("settled", reference="Secret reference", readme="Secret note")
    paying.decide("last", status="approved", note="Secret note")
    paying.publish(settled=10_500)
    text = page_of(paying, paying.ada)
    assert "Earned $175.00 Paid $100.00 To be paid $75.00 Not final yet $100.00" in text
    assert "Fee 18 May 2026 to 24 May 2026 $100.00 in progress" in text
    assert "Fee 11 May 2026 to 17 May 2026 $70.00 approved" in text
    assert "Fee 27 Apr 2026 to 3 May 2026 $100.00 paid" in text
    assert "Fee (correction) 27 Apr 2026 to 3 May 2026 $5.00 due" in text
    assert "Latest payments Day Amount 20 May 2026 $100.00" in text
    assert "Secret" not in text


def test_others_are_not_told_of(paying: Paying) -> None:
    text = page_of(paying, paying.bob)
    assert "Earned $50.00 Paid $0.00" in text
    assert "$70.00" not in text
    assert "Latest payments" not in text


def test_one_who_was_never_owed_anything(owing: Paying) -> None:
    assert "There are no payouts yet." in page_of(owing, owing.tenant.creator("new"))
