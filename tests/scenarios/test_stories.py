"""What an organization is shown and pays in a month, for each type of rule."""

import pytest

from tests.factories.visitors import visiting
from tests.fixtures.desk import Sitter
from tests.scenarios.conftest import STORIES, World
from tests.scenarios.money_pages import Ledger, without_evidence

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("story", STORIES)
def test_a_month(world: World, story: str) -> None:
    if (failure := world.failures[story]) is not None:
        raise failure


@pytest.mark.parametrize("story", STORIES)
def test_pages_say_of_money_what_rows_say(world: World, story: str) -> None:
    """On the desk and on share pages, after the month."""
    tenant = world.campaigns[story].tenant
    ledger, admin = Ledger(tenant), Sitter(tenant)
    rows = {f"/payouts/amounts/{row['id']}": row for row in ledger.accruals}
    for path, said in ledger.pages():
        page = admin.get(f"{admin.home}{path}").raise_for_status().text
        said.check(without_evidence(rows[path], page) if path in rows else page)
    for creator in ledger.creators:
        with visiting(tenant, {"id": creator}, show_analytics=True) as visitor:
            base = str(visitor.base_url).rstrip("/")
            ledger.share_page(creator).check(visitor.get(base).raise_for_status().text)
            for row in ledger.of(creator_id=creator):
                page = visitor.get(f"amounts/{row['id']}").raise_for_status().text
                ledger.share_amount(row).check(without_evidence(row, page))
