"""Pages and payments of an organization in a month, for each type of rule."""

import httpx
import pytest

from tests.factories.verifier import load_verifier
from tests.factories.visitors import visiting
from tests.fixtures.desk import Sitter
from tests.scenarios.conftest import STORIES, World
from tests.scenarios.money_pages import Ledger, causes_add_up, without_evidence

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("story", STORIES)
def test_a_month(world: World, story: str) -> None:
    if (failure := world.failures[story]) is not None:
        raise failure


@pytest.mark.parametrize("story", STORIES)
def test_amounts_on_pages_match_the_rows(world: World, story: str) -> None:
    """On the desk and on share pages, after the month."""
    tenant = world.campaigns[story].tenant
    ledger, admin = Ledger(tenant), Sitter(tenant)
    rows = {f"/payouts/amounts/{row['id']}": row for row in ledger.accruals}
    for path, page_text in ledger.pages():
        page = admin.get(f"{admin.home}{path}").raise_for_status().text
        causes_add_up(page)
        page_text.check(without_evidence(rows[path], page) if path in rows else page)
    for creator in ledger.creators:
        with visiting(tenant, {"id": creator}, show_analytics=True) as visitor:
            base = str(visitor.base_url).rstrip("/")
            ledger.share_page(creator).check(visitor.get(base).raise_for_status().text)
            for row in ledger.of(creator_id=creator):
                page = visitor.get(f"amounts/{row['id']}").raise_for_status().text
                ledger.share_amount(row).check(without_evidence(row, page))


@pytest.mark.parametrize("story", STORIES)
def test_every_statement_is_verified(world: World, story: str) -> None:
    """With the stand-alone verifier, and with the sentence of the server."""
    tenant, verifier = world.campaigns[story].tenant, load_verifier()
    keys = httpx.get(f"{tenant.api.base_url}/.well-known/jwks.json").json()
    for row in Ledger(tenant).accruals:
        signed = tenant.client.data("GET", f"/payout-accruals/{row['id']}/statement")
        assert signed["statement"]["summary"] in verifier.verify(signed, keys)
