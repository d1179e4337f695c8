"""The overview of a project: what happened, and what to do next."""

import re
from datetime import date, timedelta
from html import unescape
from urllib.parse import parse_qsl, urlsplit
from uuid import UUID

import pytest

from serving_api.desk import disputes, overview
from serving_api.desk.charts import ViewsChart
from serving_api.desk.needs import at_least
from serving_api.desk.tiles import engagement_of
from serving_api.kit.request_context import RequestContext
from tests.factories.visitors import read
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched
from warehouse.operational.models import PayoutDispute
from warehouse.reading.project_views import DailyViews


def sections(page: str) -> dict[str, str]:
    """The text of each section by its heading."""
    parts = re.split(r"<h2[^>]*>", page)[1:]
    return {
        part.split("</h2>")[0]: " ".join(re.sub(r"<[^>]+>", " ", part.split("</h2>")[1]).split())
        for part in parts
    }


def tiles(page: str) -> dict[str, str]:
    """The figures at the top by their labels."""
    parts = re.findall(r"<div><dt><a [^>]*>(.*?)</a></dt>(.*?)</div>", page, re.DOTALL)
    return {label: " ".join(re.sub(r"<[^>]+>", " ", rest).split()) for label, rest in parts}


def test_an_empty_project_says_so(admin: Sitter) -> None:
    page = admin.get(admin.home)
    text_by_section = sections(page.text)
    assert "No numbers yet." in read(page)
    first = "No account is tracked yet. Add a creator to start."
    assert text_by_section["To do"] == first
    assert f'href="{admin.home}/creators/new">Add a creator</a>' in page.text
    admin.tenant.creator("ada")
    assert "No account is tracked yet" not in admin.get(admin.home).text
    assert text_by_section["Views by day"] == "No views of counted posts are known for these days."
    unknown = "\u2013 not known"
    assert tiles(page.text) == {
        **dict.fromkeys(("Views gained", "Posts published", "Engagements"), unknown),
        "Spend per 1,000": f"{unknown} Spend by views gained",
        "Spend": f"{unknown} Pay periods that end in these days",
        "To pay": "$0.00",
    }
    assert "<svg" not in page.text
    assert text_by_section["Budgets"].startswith("No budgets yet.")
    assert "Forecast" not in read(page)


@pytest.mark.slow
def test_what_happened_and_what_waits(launched: Launched) -> None:
    sitter = Sitter(launched.tenant, role="member")
    page = sitter.get(sitter.home)
    text_by_section = sections(page.text)
    assert "Numbers as of 20 May 2026, 12:00." in read(page)
    drawn = text_by_section["Views by day"]
    assert drawn.startswith("No earlier data")
    assert "Best day: 17 May 2026 , 2,500" in drawn
    assert values_of(charts_of(page.text)["Views by day"], "Views")["2026-05-16"] == 600
    assert f"Creator Views gained {HOSTILE} 2,500 Ada 1,600 Posts with" in read(page)
    assert "1 post to review in the inbox" in text_by_section["To do"]
    assert "$150.00 to approve" in text_by_section["To do"]
    # $100.00 + $70.00 + $50.00 of $400.00, and $80.00 to come, by $60.00 and $130.00.
    expected = "Forecast: $300.00 by 31 May 2026 ($280.00 to $350.00)."
    assert f"55% {expected} $220.00 $400.00" in text_by_section["Budgets"]
    assert (
        "Forecast until 31 May 2026 Views 12,000 9,000 to 18,000; at the recent pace 10,800"
        " Still to be earned $80.00 $60.00 to $130.00; at the recent pace $75.00" in read(page)
    )
    assert HOSTILE not in page.text


@pytest.mark.slow
@pytest.mark.parametrize(("today", "is_shown"), [(30, True), (31, False)])
def test_the_last_day_of_a_month_has_no_forecast(
    launched: Launched, monkeypatch: pytest.MonkeyPatch, today: int, is_shown: bool
) -> None:
    """Only the day in progress would be left, whose numbers are partly known."""
    monkeypatch.setattr(RequestContext, "marts_today", date(2026, 5, today))
    sitter = Sitter(launched.tenant)
    for path in ("", f"/creators/{launched.ada['id']}"):
        page = read(sitter.get(f"{sitter.home}{path}"))
        assert ("Forecast until 31 May 2026" in page) is is_shown, path


@pytest.mark.slow
def test_figures_equal_the_apis(launched: Launched) -> None:
    sitter, client = Sitter(launched.tenant), launched.tenant.client
    days = {"from": "2026-05-01", "to": "2026-05-19"}

    def counted(metric: str) -> int:
        query = {**days, "entity": "creator", "metric": metric, "hide_auto": "1", "tz": "UTC"}
        ids = f"{launched.ada['id']},{launched.eve['id']}"
        series = client.data("GET", "/analytics", params={**query, "entity_ids": ids})["series"]
        return sum(point["value"] or 0 for each in series for point in each["points"])

    views = client.data("GET", f"/projects/{sitter.tenant.project_id}/views-by-day", params=days)
    gained = views["views"] - views["views_before_tracking"]
    own = {"project_id": str(sitter.tenant.project_id)}
    spend = client.answer("GET", "/payout-accruals", params={**own, **days})["meta"]["total_cents"]
    engaged = sum(map(counted, ("likes", "comments", "shares", "saves")))
    assert (gained, counted("video_count"), engaged, spend) == (4_100, 2, 120, 22_000)
    page = sitter.get(f"{sitter.home}?from={days['from']}&to={days['to']}").text
    assert tiles(page) == {
        "Views gained": "4,100",
        "Posts published": "2",
        "Engagements": "120 2.9% of views gained",
        "Spend": "$220.00 Pay periods that end in these days",
        "Spend per 1,000": "$53.66 Spend by views gained",  # 22,000 / 4.1 = 5,365.9 cents
        "To pay": "$0.00 $150.00 to approve",
    }
    assert page.count('class="spark"') == 5
    week = tiles(sitter.get(f"{sitter.home}?from=2026-05-12&to=2026-05-19").text)
    assert week["Spend"].startswith("$70.00 Pay")
    # Views of 30 April to 9 May are unknown, so $150.00 is not compared either.
    fortnight = tiles(sitter.get(f"{sitter.home}?from=2026-05-10&to=2026-05-19").text)
    assert fortnight["Spend"].startswith("$70.00 Pay")


@pytest.mark.slow
@pytest.mark.parametrize(
    "query", ["", "?period=90", "?period=this-month", "?from=2026-05-01&to=2026-05-15"]
)
def test_each_tile_leads_to_a_page_with_its_figure(launched: Launched, query: str) -> None:
    """For the same days, if the figure has any, and with its change."""
    sitter = Sitter(launched.tenant)
    page = sitter.get(f"{sitter.home}{query}").text
    links = re.findall(r'<dt><a href="([^"]+)">(.*?)</a></dt>', page)
    assert len(links) == len(tiles(page)) == 6
    for path, label in links:
        target = unescape(path)
        text = read(sitter.get(target))
        figure = tiles(page)[label]
        if label == "To pay":
            assert figure.startswith("$0.00")
            assert "No approved amounts to pay." in text
            continue
        shown = f"{label} {figure}"
        if label == "Spend":
            shown = f"{figure.split()[0]} in all statuses except Not paid, the overview's spend"
        assert shown in text, (target, text)
        assert parse_qsl(urlsplit(target).query)[: query.count("=")] == parse_qsl(query[1:])


def test_figures_of_days_before_tracking_are_unknown(launched: Launched) -> None:
    """The first pay period ended on 3 May, so April's spend is known to be zero."""
    sitter = Sitter(launched.tenant)
    page = sitter.get(f"{sitter.home}?from=2026-04-01&to=2026-04-30").text
    unknown = "\u2013 not known"
    assert tiles(page) == {
        **dict.fromkeys(("Views gained", "Posts published", "Engagements"), unknown),
        "Spend": "$0.00 Pay periods that end in these days",
        "Spend per 1,000": f"{unknown} Spend by views gained",
        "To pay": "$0.00 $150.00 to approve",
    }


def test_engagements_are_unknown_where_the_platform_shows_none() -> None:
    day = date(2026, 5, 13)
    views = ViewsChart([day], [1_000], [None], [0])
    known = DailyViews({day: 1_000}, {}, engagements={day: 0})
    assert engagement_of(views, known)[1] == 0
    engaged, rate = engagement_of(views, DailyViews({day: 1_000}, {}))
    assert (engaged.views, rate) == ([None], None)


def test_an_overdue_dispute_comes_first(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Even if newer ones fill the list of disputes."""
    sitter = Sitter(launched.tenant)
    body = {"accrual_id": launched.id_of("settled"), "reason": "Six posts, not five"}
    made = launched.tenant.client.data("POST", "/payout-disputes", json=body)
    with launched.tenant.api.store.write_session() as session:
        session.get_one(PayoutDispute, UUID(made["id"])).due_at -= timedelta(days=30)
    to_do = sections(sitter.get(sitter.home).text)["To do"]
    assert to_do.startswith("Urgent 1 overdue dispute"), to_do
    first, _, rest = to_do.partition("Next")
    assert "disputed amount" not in rest
    assert "post to review" not in first
    newer = body | {"accrual_id": launched.id_of("last")}
    launched.tenant.client.data("POST", "/payout-disputes", json=newer)
    both = '/inbox#disputed">2 disputed amounts, 1 overdue dispute</a>'
    assert both in sitter.get(sitter.home).text
    assert sitter.get(f"{sitter.home}/inbox").text.count("#dispute-") == 2
    for limit in (disputes, "MOST"), (overview, "MOST_DISPUTES"):
        monkeypatch.setattr(*limit, 1)
    first, _, rest = sections(sitter.get(sitter.home).text)["To do"].partition("Next")
    assert first.startswith("Urgent 1 or more disputed amounts, 1 overdue dispute"), first
    assert "dispute" not in rest


def test_budgets_that_are_or_will_be_exceeded_are_to_do(launched: Launched) -> None:
    """$220.00 is committed, $300.00 expected."""
    client, own = launched.tenant.client, {"project_id": str(launched.tenant.project_id)}
    made = {
        name: client.data("POST", "/budgets", json={**own, "name": name, "amount_cents": cents})
        for name, cents in {"Spent": 20_000, "Tight": 25_000, "Wide": 30_000}.items()
    }
    try:
        admin, member = (Sitter(launched.tenant, role=role) for role in ("admin", "member"))
        page, of_member = admin.get(admin.home).text, member.get(member.home).text
    finally:
        for budget in made.values():
            client.data("DELETE", f"/budgets/{budget['id']}")
    to_do = sections(page)["To do"]
    urgent, _, others = to_do.partition("Next")
    assert "Budget Spent: $20.00 over" in urgent
    assert "Budget Tight: $50.00 over expected" in others
    assert "Wide" not in to_do
    assert page.count('high="0.99" optimum="0"') == 1, "only a bar above 100% is red"
    assert f'href="{admin.home}/settings/budgets/{made["Spent"]["id"]}">Budget Spent' in page
    assert f'href="{member.home}#budgets">Budget Spent' in of_member


@pytest.mark.parametrize(
    ("number", "text"), [(1, "1 post"), (24, "24 posts"), (25, "25 or more posts")]
)
def test_a_list_that_was_cut_is_no_number(number: int, text: str) -> None:
    assert at_least(range(number), 25, "post") == text
