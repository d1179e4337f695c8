"""A week that a creator verifies alone, before and after its correction (M8, M19)."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.factories.payouts import rule
from tests.factories.verifier import load_verifier
from tests.scenarios.campaign import Campaign, Wait, at, computed

POSTED = {"launch": at(3, 3, 9)}
VERIFIER = load_verifier()


def story(campaign: Campaign) -> Iterator[Wait]:
    creator = campaign.creator()
    campaign.pays(creator, "2026-03-02", rule("cpm"))
    campaign.scraped(at(3, 4), POSTED, launch=5_000)
    campaign.scraped(at(3, 7), POSTED, launch=12_400)
    yield computed(3, 9)
    # 10,000 views at $1.00 and 2,400 at $0.80 a thousand = 1,000 + 192 cents.
    [week] = campaign.accruals(creator)
    first = statement_of(campaign, week)
    assert redone(campaign, first) == 1_192
    [post] = first["statement"]["evidence"]["videos"]
    assert post["to_reading"]["captured_at"] == "2026-03-07T17:00:00.000000Z"  # noon in New York
    assert campaign.pay(creator)["amount_cents"] == 1_192

    # A forged statement with a larger amount is rejected.
    for field, more in (("amount_cents", 11_920), ("precise_amount", "11920.000000000")):
        forged = {**first["statement"]["accrual"], field: more}
        with pytest.raises(VERIFIER.WrongError):
            redone(campaign, {**first, "statement": {**first["statement"], "accrual": forged}})

    # A reading of that Sunday arrives late: 600 views more at $0.80 = 48 cents.
    campaign.scraped(at(3, 8), POSTED, launch=13_000)
    yield computed(3, 16)
    week, correction, *_ = campaign.accruals(creator)
    assert (week["amount_cents"], correction["amount_cents"]) == (1_192, 48)
    assert redone(campaign, statement_of(campaign, correction)) == 48
    # The paid amount has the same statement, and the earlier one stays valid.
    assert redone(campaign, statement_of(campaign, week)) == 1_192
    assert redone(campaign, first) == 1_192


def statement_of(campaign: Campaign, accrual: Any) -> Any:
    path = f"/payout-accruals/{accrual['id']}/statement"
    return campaign.tenant.client.data("GET", path)


def redone(campaign: Campaign, statement: Any) -> int:
    """Return the cents that the verifier computes, with the keys of the server's JWKS."""
    keys = httpx.get(f"{campaign.tenant.api.base_url}/.well-known/jwks.json").json()
    VERIFIER.verify(statement, keys)
    cents, _ = VERIFIER.redone(statement["statement"]["evidence"])
    return int(cents)
