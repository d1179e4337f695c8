"""The number of posts behind an amount: over HTTP, in files, at the desk, for creators."""

import csv
from dataclasses import replace

import pytest

from tests.factories.visitors import read, visiting
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import LIST, Paying


def publish(paying: Paying, post_count: int | None, **changed: int) -> None:
    """Publish accruals that were all computed from this many posts."""
    paying.earnings = {
        name: replace(earning, content=replace(earning.content, post_count=post_count))
        for name, earning in paying.earnings.items()
    }
    paying.publish(**changed)


def test_lists_and_files_have_it(paying: Paying) -> None:
    publish(paying, 3)
    listed = paying.tenant.client.data("GET", LIST)
    assert [each["post_count"] for each in listed] == [3, 3, 3, 3]
    lines = paying.tenant.client.get("/exports/accruals").text.splitlines()
    assert [row["post_count"] for row in csv.DictReader(lines)] == ["3", "3", "3", "3"]


def test_a_later_decision_keeps_it(paying: Paying) -> None:
    publish(paying, 3)
    assert paying.decide("last", status="approved")["post_count"] == 3
    assert {each["post_count"] for each in paying.tenant.client.data("GET", LIST)} == {3}


def test_a_paid_amount_keeps_its_count(paying: Paying) -> None:
    publish(paying, 3)
    paying.pay("settled")
    publish(paying, 4)
    assert paying.accrual("settled")["post_count"] == 3
    assert paying.accrual("last")["post_count"] == 4


def test_it_is_unknown_for_older_payments(paying: Paying) -> None:
    paying.pay("settled")
    publish(paying, 3, settled=12_000)
    assert paying.accrual("settled")["post_count"] is None


@pytest.mark.slow
def test_adjustments_have_none(paying: Paying) -> None:
    publish(paying, 3)
    paying.pay("settled")
    publish(paying, 4, settled=12_000)
    [adjustment] = paying.adjustments()
    assert adjustment["post_count"] is None


@pytest.mark.slow
def test_pages_show_it_if_it_is_known(paying: Paying) -> None:
    admin = Sitter(paying.tenant)
    page = f"{admin.home}/payouts/amounts/{paying.id_of('last')}"
    own = f"/amounts/{paying.id_of('last')}"
    publish(paying, 1_234)
    with visiting(paying.tenant, paying.ada) as visitor:
        assert "version 1 of the rule, 1,234 posts, computed" in read(admin.get(page))
        assert "Status settling Posts counted 1,234" in read(visitor.get(own))
        publish(paying, None)
        assert "version 1 of the rule, computed" in read(admin.get(page))
        assert "Posts counted" not in read(visitor.get(own))
