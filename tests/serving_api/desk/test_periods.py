"""The period of a page: in its address, with the previous one; only complete days are compared."""

import re
from datetime import date, timedelta
from html import unescape

import pytest

from serving_api.desk.charts import ViewsChart
from serving_api.desk.periods import LABELS, Name, PeriodQuery, period_at
from tests.factories.tracking import change
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched
from warehouse.operational.models import Organization

COMPLETE_DAYS = "Changes compare the complete days, through 19 May 2026,"


@pytest.mark.parametrize(
    ("query", "days"),
    [
        (
            "",
            f"to 20 May 2026. {COMPLETE_DAYS} with 27 Mar 2026 to 22 Apr 2026",
        ),
        ("period=7", f"14 May 2026 to 20 May 2026. {COMPLETE_DAYS} with 8 May"),
        ("period=90", "20 Feb 2026 to 20 May 2026"),
        ("period=this-month", "1 May 2026 to 20 May 2026"),
        ("period=last-month", "30 Apr 2026. Changes compare with 2 Mar 2026 to 31 Mar 2026"),
        ("from=2026-05-14&to=2026-05-16", "16 May 2026. Changes compare with 11 May 2026"),
        ("from=2026-05-20&to=", "20 May 2026 Whole project"),
        ("from=2026-05-14&to=2026-12-31", "14 May 2026 to 20 May 2026"),
    ],
)
def test_the_address_has_the_period(member: Sitter, query: str, days: str) -> None:
    text = read(member.get(f"{member.home}/campaigns?{query}"))
    assert days in text


@pytest.mark.slow
def test_periods_that_are_none_are_refused(member: Sitter) -> None:
    for query in ("period=8", "from=yesterday", "from=2026-05-14&to=2026-05-13", "to=1999-01-01"):
        assert member.get(f"{member.home}?{query}").status_code == 400, query


PAGES = ("", "/campaigns", "/payouts", "/comments", "/posts/ranked")


@pytest.mark.parametrize("path", PAGES)
def test_invalid_dates_are_marked_on_their_page(member: Sitter, path: str) -> None:
    page = member.get(f"{member.home}{path}?from=2026-05-14&to=2026-05-13")
    assert page.status_code == 400
    assert 'name="from" value="2026-05-14" max="2026-05-20" required aria-invalid' in page.text
    assert 'id="wrong-from">Enter a date on or before 2026-05-13</p>' in page.text
    assert 'name="to" value="2026-05-13"' in page.text
    assert "<details open>" in page.text
    current = "All dates" if path == "/payouts" else "28 days"
    assert f'aria-current="true">{current}</a>' in page.text


@pytest.mark.parametrize(
    ("query", "field", "message"),
    [
        ("from=yesterday", "from", "Enter a date as YYYY-MM-DD"),
        ("to=1999-12-31", "to", "Enter a date from 2000 to 2099"),
        ("from=2000-01-01", "from", "Enter a date at most 3660 days before the end date"),
        ("from=2026-05-21&to=2026-05-22", "from", "Enter a date on or before 2026-05-20"),
    ],
)
def test_other_dates_are_marked(member: Sitter, query: str, field: str, message: str) -> None:
    page = member.get(f"{member.home}/campaigns?{query}")
    assert (page.status_code, f'id="wrong-{field}">{message}</p>' in page.text) == (400, True)


def test_a_file_of_invalid_dates_is_refused(member: Sitter, launched: Launched) -> None:
    costs = f"/campaigns/{launched.campaign}/costs"
    for path in ("/campaigns", "/payouts", "/creators/ranked", costs):
        address = f"{member.home}{path}?from=2026-05-14&to=2026-05-13"
        page = member.get(f"{address}&format=csv")
        assert page.status_code == 400
        assert "From: Enter a date on or before 2026-05-13" in page.text
        for link in re.findall(r'href="([^"]+format=csv)"', member.get(address).text):
            assert member.get(f"{member.home}{path}{unescape(link)}").status_code == 200


def test_dates_before_the_history_of_the_plan_are_marked(member: Sitter) -> None:
    tenant = member.tenant
    change(tenant.api.store, Organization, tenant.organization_id, plan="free")
    paths = [path for path in PAGES if path != "/comments"]  # not in the plan
    pages = {path: member.get(f"{member.home}{path}?from=2026-01-01") for path in paths}
    named = member.get(f"{member.home}/campaigns?period=90")
    change(tenant.api.store, Organization, tenant.organization_id, plan="ultra")
    payouts = pages.pop("/payouts")
    assert (payouts.status_code, 'aria-current="page">To approve' in payouts.text) == (200, True)
    for page in (*pages.values(), named):
        assert page.status_code == 400
        assert (
            'id="wrong-from">The plan includes 30 days. Enter 2026-04-20 or a later date</p>'
            in page.text
        )
        assert 'aria-current="true">28 days</a>' in page.text


def test_a_project_without_campaigns_has_the_period(admin: Sitter) -> None:
    page = admin.get(f"{admin.home}/campaigns?from=yesterday")
    assert "No campaigns yet" in page.text
    assert 'id="wrong-from">Enter a date as YYYY-MM-DD</p>' in page.text


@pytest.mark.parametrize("path", ["", "/campaigns", "/payouts", "/comments"])
def test_nothing_is_compared_with_days_before_2000(member: Sitter, path: str) -> None:
    text = read(member.get(f"{member.home}{path}?from=2000-01-01&to=2000-01-10"))
    assert "1 Jan 2000 to 10 Jan 2000" in text
    assert "Changes compare" not in text


def test_a_last_day_alone_is_of_the_thirty_before_it(member: Sitter) -> None:
    for query, days in (
        ("to=2026-05-15", "15 Apr 2026 to 15 May 2026"),
        ("to=2000-01-02", "1 Jan 2000 to 2 Jan 2000"),
    ):
        assert days in read(member.get(f"{member.home}/campaigns?{query}"))


def test_links_keep_the_period(member: Sitter, launched: Launched) -> None:
    overview = member.get(f"{member.home}?period=7").text
    assert f'creators/{launched.ada["id"]}?period=7"' in overview
    assert '<a href="?period=7" aria-current="true">7 days</a>' in overview
    ranked = member.get(f"{member.home}/creators/ranked?metric=likes&period=7").text
    assert '<a href="?metric=likes&amp;period=90">90 days</a>' in ranked
    assert '<input type="hidden" name="metric" value="likes">' in ranked
    assert "ranked?period=7&amp;metric=views" in ranked


def test_a_day_in_progress_is_compared_with_nothing(member: Sitter) -> None:
    """Numbers end at noon of the 20th: of 17 to 20 May, three days are compared with 14 to 16 May.

    Ada gained 600 on the 16th. A week is compared with 8 to 12 May, which is unknown.
    """
    for last in (19, 20):
        text = read(member.get(f"{member.home}?from=2026-05-17&to=2026-05-{last}"))
        assert f"{HOSTILE} 2,500 \u2013 no comparison Ada 0 \u2212100%" in text, last
        assert "with 14 May 2026 to 16 May 2026" in text, last
    week = read(member.get(f"{member.home}?period=7"))
    assert "with 8 May 2026 to 13 May 2026" in week
    assert "The period before is known only in part" in week
    assert f"{HOSTILE} 2,500 Ada 600 Posts with" in week


@pytest.mark.parametrize("name", LABELS)
@pytest.mark.parametrize("behind", range(3))
def test_each_day_is_in_one_of_both_periods(name: Name, behind: int) -> None:
    """Whether the numbers end today or some days ago."""
    today = date(2026, 5, 20)
    whole_to = today - timedelta(days=behind)
    query = PeriodQuery(period=name)
    period = period_at(query, zone="UTC", today=today, whole_to=whole_to, retention=None)
    assert period.before.to_day + timedelta(days=1) == period.compared.from_day
    assert period.before.days == period.compared.days


def test_a_chart_compares_whole_days() -> None:
    days = [date(2026, 5, 18), date(2026, 5, 19), date(2026, 5, 20)]
    chart = ViewsChart(days, [20, 10, 1], [10, 10, 90], [0] * 3, whole_to=days[1])
    assert (chart.total, chart.change) == (31, 50.0)


@pytest.mark.slow
def test_every_page_of_numbers_has_the_period(member: Sitter, launched: Launched) -> None:
    creator, campaign = launched.ada["id"], launched.campaign
    pages = ("", f"/creators/{creator}", f"/campaigns/{campaign}", f"/campaigns/{campaign}/costs")
    for page in (*pages, "/campaigns", "/creators/ranked", "/posts/ranked"):
        response = member.get(f"{member.home}{page}?from=2026-05-13&to=2026-05-13")
        assert re.search(r'name="from" value="2026-05-13"', response.text), page
    assert "1,000 views gained" in read(
        member.get(f"{member.home}/creators/{creator}?from=2026-05-13&to=2026-05-13")
    )
