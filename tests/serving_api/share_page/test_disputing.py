"""A creator disputes an amount on the share page, and reads the decision.

The organization, its accruals and days are those of tests/fixtures/payouts.py.
"""

from typing import Any
from uuid import uuid4

import httpx
import pytest

from tests.factories.visitors import read, visiting
from tests.fixtures.payouts import Paying
from tests.serving_api.share_page.test_payouts import page_of

DISPUTES = "/payout-disputes"
HOSTILE = '<script>alert("x")</script> & \u202e"two" posts\nare missing'


def amount(paying: Paying, name: str) -> str:
    return f"amounts/{paying.id_of(name)}"


def disputes(paying: Paying) -> Any:
    return paying.tenant.client.data("GET", DISPUTES)


@pytest.mark.slow
def test_a_creator_gives_a_reason_and_reads_the_answer(paying: Paying) -> None:
    paying.pay("settled")
    path = amount(paying, "settled")
    with visiting(paying.tenant, paying.ada) as visitor:
        before = read(visitor.get(path))
        assert (
            "Fee 27 Apr 2026 to 3 May 2026 Amount $100.00 Status paid How it was calculated"
            in before
        )
        assert "Dispute this amount Why is this amount wrong?" in before
        sent = visitor.post(path, data={"reason": HOSTILE.replace("\n", "\r\n")})
        assert (sent.status_code, sent.headers["Location"]) == (303, sent.request.url.path)
        page = visitor.get(path)
        assert "<script" not in page.text
        assert "You, 20 May 2026, 12:00: disputed, not answered yet (due by 27 May" in (read(page))
        assert "Why is this amount wrong?" not in read(page)
        [made] = disputes(paying)
        assert (made["reason"], made["opened_by"]) == (HOSTILE, None)
        assert (made["creator_id"], made["amount_cents"]) == (paying.ada["id"], 10_000)
        paying.publish(settled=12_500)
        [adjustment] = paying.adjustments()
        body = {"state": "corrected", "answer": "You <b>were</b> right"}
        body["correction_id"] = adjustment["id"]
        paying.tenant.client.data("PATCH", f"{DISPUTES}/{made['id']}", json=body)
        answered = read(visitor.get(path))
    assert "12:00: disputed, corrected by $25.00 <script>" in answered
    assert "Answer, 20 May 2026, 12:00 You <b>were</b> right" in answered
    assert "Why is this amount wrong?" in answered
    listed = page_of(paying, paying.ada)
    assert "how it was calculated. Disputed, corrected by $25.00." in listed


def test_a_dispute_sent_twice_is_stored_once_and_is_in_the_audit_log(paying: Paying) -> None:
    path = amount(paying, "last")
    with visiting(paying.tenant, paying.ada) as visitor:
        for _ in range(2):
            assert visitor.post(path, data={"reason": "First"}).status_code == 303
        other = visitor.post(path, data={"reason": "Second"})
    assert (other.status_code, "Your text was not added" in other.text) == (400, True)
    [made] = disputes(paying)
    assert made["reason"] == "First"
    with paying.tenant.api.store.engine.connect() as connection:
        rows = connection.exec_driver_sql(
            "select channel, action from audit_entries where organization_id = %s"
            " and channel = 'page'",
            (paying.tenant.organization_id,),
        ).fetchall()
    assert [tuple(row) for row in rows] == [("page", "dispute_amount")]


@pytest.mark.parametrize("reason", ["", "  ", "\u200b", "x" * 1_001, "a\x00b"])
def test_an_invalid_reason_is_explained_on_the_page(paying: Paying, reason: str) -> None:
    path = amount(paying, "last")
    with visiting(paying.tenant, paying.ada) as visitor:
        refused = visitor.post(path, data={"reason": reason})
        assert refused.status_code == 400
        assert "Enter a reason of at most 1,000 characters." in refused.text
        longest = visitor.post(path, data={"reason": "\U0001f9ee" * 1_000})
        assert longest.status_code == 303
    [made] = disputes(paying)
    assert made["reason"] == "\U0001f9ee" * 1_000


def test_disputing_requires_an_unlocked_page_and_its_form(paying: Paying) -> None:
    own, form = amount(paying, "settled"), {"reason": "Mine"}
    with visiting(paying.tenant, paying.ada) as visitor:
        for other in (amount(paying, "bobs"), f"amounts/{uuid4()}"):
            assert visitor.get(other).status_code == 404
            assert visitor.post(other, data=form).status_code == 404
        for headers in ({"Origin": "https://evil.example"}, {"Sec-Fetch-Site": "cross-site"}):
            assert visitor.post(own, data=form, headers=headers).status_code == 403
        stranger = httpx.post(f"{visitor.base_url}{own}", data=form)
        assert "PIN" in stranger.text
        assert 'action="/share/creator/' in stranger.text
        assert "Fee" not in httpx.get(f"{visitor.base_url}{own}").text
    with visiting(paying.tenant, paying.ada, show_payouts=False, show_analytics=True) as visitor:
        assert visitor.get(own).status_code == 404
        assert visitor.post(own, data=form).status_code == 404
    assert disputes(paying) == []


def test_ten_a_minute_from_one_address(paying: Paying) -> None:
    api = paying.tenant.api
    path = f"/share/creator/{paying.ada['id']}/{amount(paying, 'last')}"
    with (
        api.changed(api_rate_limits=True) as served,
        httpx.Client(base_url=served.base_url, trust_env=False) as visitor,
    ):
        statuses = [visitor.post(path, data={"reason": ""}).status_code for _ in range(11)]
    assert statuses == [404] * 10 + [429]
