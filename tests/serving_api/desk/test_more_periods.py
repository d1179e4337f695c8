"""Periods of payouts and comments: in the address, with the previous one beside them.

The program is that of tests/fixtures/launched.py; payouts without a period show all dates.
"""

import gc
import re

import pytest
from sqlalchemy import QueuePool

from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import Launched
from tests.fixtures.payouts import Paying


@pytest.fixture
def admin(launched: Launched) -> Sitter:
    return Sitter(launched.tenant)


@pytest.mark.slow
def test_amounts_of_a_period_with_the_previous_ones(admin: Sitter) -> None:
    """The weeks until 3 May are due, $150.00."""
    payouts = f"{admin.home}/payouts"
    every = admin.get(payouts)
    assert '<a href="?status=final" aria-current="true">All dates</a>' in every.text
    assert "Total: $150.00 ." in read(every)
    month = admin.get(f"{payouts}?period=this-month")
    compared = "Changes compare the complete days, through 19 May 2026, with"
    assert f"1 May 2026 to 20 May 2026. {compared}" in read(month)
    assert "Total: $150.00 , previous period $0.00." in read(month)
    weeks = read(admin.get(f"{payouts}?from=2026-05-03&to=2026-05-04"))
    assert "Total: $150.00 , previous period $0.00." in weeks
    later = read(admin.get(f"{payouts}?from=2026-05-04&to=2026-05-10"))
    assert "No amounts for these dates." in later
    assert "Previous period: $150.00." in later
    assert '<a href="?status=final&amp;period=7">7 days</a>' in every.text
    assert f'{payouts}?period=this-month&amp;status=approved"' in month.text


@pytest.mark.slow
def test_days_until_today_have_the_amounts_in_progress(paying: Paying) -> None:
    """The week until 24 May is in progress on the 20th."""
    admin = Sitter(paying.tenant)
    text = read(admin.get(f"{admin.home}/payouts?status=open&period=7"))
    assert "18 May 2026 to 24 May 2026" in text
    past = read(admin.get(f"{admin.home}/payouts?status=open&to=2026-05-19"))
    assert "18 May 2026 to 24 May 2026" not in past


def test_decisions_keep_the_period(paying: Paying) -> None:
    admin = Sitter(paying.tenant)
    page = f"{admin.home}/payouts?status=final&period=this-month"
    accrual_id = paying.id_of("bobs")
    form = admin.get(page).text
    assert f'action="{admin.home}/payouts?period=this-month&amp;status=final"' in form
    answer = admin.send(page, page=page, approved=accrual_id, **{f"cents-{accrual_id}": "5000"})
    assert answer.status_code == 303
    assert "period=this-month" in answer.headers["Location"]


@pytest.mark.slow
def test_comments_of_a_period_with_the_change(admin: Sitter) -> None:
    """All five are of 18 May, and there are none of earlier days."""
    comments = f"{admin.home}/comments"
    text = read(admin.get(comments))
    assert "All 5 \u2013 no comparison Flagged 1" in text
    before = admin.get(f"{comments}?to=2026-05-17&from=2026-05-10")
    assert "No comments match." in read(before)
    assert "10 May 2026 to 17 May 2026. Changes compare with 2 May 2026 to 9 May 2026" in read(
        before
    )
    after = admin.get(f"{comments}?from=2026-05-19&to=2026-05-19&sort=top").text
    assert 'name="from" value="2026-05-19"' in after
    week = admin.get(f"{comments}?period=7&platform=tiktok&q=link").text
    assert re.search(r'href="\?[^"]*platform=tiktok[^"]*period=90"', week)
    assert "period=7&amp;signal=risk" in week


def test_comments_that_fell_off_say_so(admin: Sitter) -> None:
    """The 19th had no comments, the 18th five."""
    text = read(admin.get(f"{admin.home}/comments?from=2026-05-19&to=2026-05-19"))
    assert "All 0 \u2212100% Flagged 0 \u2212100%" in text


@pytest.mark.slow
def test_a_refused_decision_leaves_no_connection_open(paying: Paying) -> None:
    """The error page renders after the session ends, from data that was read before."""
    admin, pool = Sitter(paying.tenant), paying.tenant.api.store.engine.pool
    page, accrual_id = f"{admin.home}/payouts?period=this-month", paying.id_of("bobs")
    form = {"form": admin.hidden(page), "approved": accrual_id, f"cents-{accrual_id}": "1"}
    assert isinstance(pool, QueuePool)
    gc.collect()
    gc.disable()  # it closes unreferenced connections
    try:
        answers = [admin.post(page, data=form) for _ in range(3)]
        open_connections = pool.checkedout()
    finally:
        gc.enable()
    assert [answer.status_code for answer in answers] == [400] * 3
    assert "previous period $0.00" in re.sub(r"<[^>]+>", "", answers[0].text)
    assert open_connections == 0
