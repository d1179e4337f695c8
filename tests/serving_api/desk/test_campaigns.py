"""Pages of campaigns: their hierarchy, and the performance of one."""

import csv
import io
import re
from html import unescape
from types import SimpleNamespace
from urllib.parse import urlencode
from uuid import UUID

import pytest

from serving_api.desk import choices
from serving_api.desk.campaign_pages import comparison, routes
from serving_api.desk.campaign_pages.comparison import ComparedRow
from tests.factories import marts
from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched


def test_campaigns_are_listed_below_their_parents(member: Sitter) -> None:
    page = member.get(f"{member.home}/campaigns")
    text = read(page)
    assert (
        "Spring 4,100 \u2013 no comparison $40.00 $9.76 $40.00 2 None 20 May 2026 None Inside"
        in text
    )
    inside = f"Inside the campaign above: {HOSTILE} \u2013 not known $0.00 \u2013 not known $0.00"
    assert inside in text
    assert HOSTILE not in page.text


def test_a_campaign_in_two_is_listed_below_both_and_its_parts_once(
    member: Sitter, launched: Launched
) -> None:
    """Parts: both halves contain Shared, which contains Inner."""
    client = launched.tenant.client
    path = f"/organizations/{launched.tenant.organization_id}/projects"
    project = client.data("POST", path, json={"name": "Parts"})["id"]
    made = {
        name: client.data("POST", f"/projects/{project}/campaigns", json={"name": name})["id"]
        for name in ("Inner", "Shared", "Half", "Other half")
    }
    for outer, inner in (("Half", "Shared"), ("Other half", "Shared"), ("Shared", "Inner")):
        item = {"item_type": "campaign", "item_id": made[inner]}
        client.data("POST", f"/campaigns/{made[outer]}/items", json=item)
    text = read(member.get(f"/desk/projects/{project}/campaigns"))
    names = re.findall(
        "(> )?(Other half|Half|Shared|Inner) \u2013 not known",
        text.replace("Inside the campaign above: ", "> "),
    )
    assert ["".join(name) for name in names] == [
        "Other half",
        "> Shared",
        "> Inner",
        "Half",
        "> Shared",
    ]
    for query in ("format=csv", "format=csv&sort=name"):
        file = member.get(f"/desk/projects/{project}/campaigns?{query}").text
        assert file.count("Shared") == 1, query
    by_name = member.get(f"/desk/projects/{project}/campaigns?sort=name").text
    assert by_name.count("<bdi>Shared") == 1


@pytest.mark.parametrize("first", [1, 13, 14, 20])
def test_the_list_has_the_costs_that_each_campaign_has_by_itself(
    member: Sitter, launched: Launched, first: int
) -> None:
    client, days = launched.tenant.client, f"from=2026-05-{first:02}&to=2026-05-{first + 3:02}"
    file = member.get(f"{member.home}/campaigns?{days}&format=csv").text
    for row in csv.DictReader(io.StringIO(file.removeprefix("\ufeff"))):
        own = client.data("GET", f"/campaigns/{row['id']}/costs?{days}")
        earned, without_post = own["cost_cents"], own["without_post_cents"]
        for cell, cents in (("earned", earned), ("cost", earned + without_post)):
            assert row[cell] == ("" if cents is None else f"{cents / 100:.2f}"), (row, cell)


def test_two_campaigns_are_compared(member: Sitter, launched: Launched) -> None:
    client = launched.tenant.client
    path = f"/projects/{launched.tenant.project_id}/campaigns"
    other = client.data("POST", path, json={"name": "Autumn"})["id"]
    campaigns = f"{member.home}/campaigns"
    text = read(member.get(f"{campaigns}?compare={launched.campaign}&compare={other}"))
    assert "Compared Metric Spring Autumn" in text or "Compared Metric Autumn Spring" in text
    assert "$40.00" in text
    assert "$9.76" in text
    assert "Posts \u2013 not known 2 \u2013 not known" in text
    assert "Engagement \u2013 not known 2.9%" in text
    assert "Views by day as a table" in text
    compared = f"{campaigns}?sort=name&compare={launched.campaign}&compare={other}"
    [week] = re.findall(r'href="([^"]+period=7)"', member.get(compared).text)
    assert "Compared" in read(member.get(f"{campaigns}{unescape(week)}"))
    [by_spend] = re.findall(r'href="([^"]+sort=-earned_cents)"', member.get(compared).text)
    assert "Compared" in read(member.get(f"{campaigns}{unescape(by_spend)}"))
    dates = re.findall(r'type="hidden" name="(compare|sort)"', member.get(compared).text)
    assert dates == ["sort", "compare", "compare", "sort"]
    third = client.data("POST", path, json={"name": "Winter"})["id"]
    [(name, value)] = re.findall(r'name="(\w+)" value="(\w+)">Compare', member.get(campaigns).text)
    for ticked in ([], [other], [other, third, launched.campaign]):
        query = urlencode({"compare": ticked, name: value}, doseq=True)
        wrong = read(member.get(f"{campaigns}?{query}"))
        assert "Tick two campaigns to compare them." in wrong
        assert "Compared" not in wrong


@pytest.mark.parametrize(
    ("values", "difference"), [((200, 150), -25), ((2, 2), 0), ((0, 5), None), ((None, 5), None)]
)
def test_the_second_campaign_is_measured_by_the_first(
    values: tuple[int | None, int], difference: int | None
) -> None:
    assert ComparedRow("Views", values).difference == difference


def test_campaigns_of_a_later_page_are_compared(
    admin: Sitter, tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "ON_A_PAGE", 2)
    for name in ("First", "Second", "Third", "Fourth"):
        path = f"/projects/{tenant.project_id}/campaigns"
        tenant.client.data("POST", path, json={"name": name})
    campaigns = f"{admin.home}/campaigns"
    [older] = re.findall(r'href="([^"]+)">Older', admin.get(campaigns).text)
    form = admin.get(unescape(older)).text
    kept = re.findall(r'type="hidden" name="(cursor)" value="([^"]+)"', form)
    ticked = re.findall(r'name="(compare)" value="([^"]+)"', form)
    text = read(admin.get(f"{campaigns}?{urlencode([*kept, *ticked])}"))
    assert "Compared Metric Second First" in text
    query = urlencode([*kept, *ticked])
    [by_name] = re.findall(r'href="([^"]+sort=name)"', admin.get(f"{campaigns}?{query}").text)
    assert "Compared Metric" in read(admin.get(f"{campaigns}{unescape(by_name)}"))


def test_a_campaign_counts_creators_of_its_sub_campaigns_once(
    member: Sitter, launched: Launched
) -> None:
    client = launched.tenant.client
    path = f"/projects/{launched.tenant.project_id}/campaigns"
    parent = client.data("POST", path, json={"name": "Whole year"})["id"]
    items = f"/campaigns/{parent}/items"
    for kind, item in (("campaign", launched.campaign), ("creator", launched.ada["id"])):
        client.data("POST", items, json={"item_type": kind, "item_id": item})
    text = read(member.get(f"{member.home}/campaigns?compare={parent}&compare={launched.campaign}"))
    assert "Creators 2 2" in text
    client.data("DELETE", f"/campaigns/{parent}")


def test_admins_share_a_campaign_from_its_page(
    member: Sitter, launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin, campaign = Sitter(launched.tenant), f"/campaigns/{launched.campaign}"
    path = f"{admin.home}/settings/reports/new?campaign_id={launched.campaign}"
    assert f'href="{path}">Share<' in admin.get(f"{admin.home}{campaign}").text
    assert ">Share<" not in member.get(f"{member.home}{campaign}").text
    chosen = f'<option value="{launched.campaign}" selected>Spring<'
    monkeypatch.setattr(choices, "MOST_CAMPAIGNS", 1)  # which shows another campaign
    wrong = admin.send(path, page=path, campaign_id=launched.campaign, pin="12")
    for form in (admin.get(path), wrong):
        assert chosen in form.text
    assert wrong.status_code == 400
    assert re.findall('name="show_creators"[^>]* (checked)', admin.get(path).text)
    assert "Report shared" in read(admin.send(path, page=path, campaign_id=launched.campaign))
    reports = f"/projects/{launched.tenant.project_id}/reports"
    [report, *_] = launched.tenant.client.data("GET", reports)
    assert report["campaign_id"] == launched.campaign


def test_budgets_of_a_month_are_not_added_to_those_of_all_time(
    member: Sitter, launched: Launched
) -> None:
    scope = {"project_id": str(launched.tenant.project_id), "campaign_id": launched.campaign}
    for cents, period in ((100_000, None), (20_000, None), (10_000, "monthly")):
        body = {**scope, "name": f"{cents}", "amount_cents": cents, "period": period}
        launched.tenant.client.data("POST", "/budgets", json=body, status=201)
    text = read(member.get(f"{member.home}/campaigns?compare={launched.campaign}"))
    assert "$1,200.00 and $100.00 a month" in text


def test_a_campaign_page_has_views_members_and_budget(member: Sitter, launched: Launched) -> None:
    tenant = launched.tenant
    budget = {
        "project_id": str(tenant.project_id),
        "campaign_id": launched.campaign,
        "name": "Spring money",
        "amount_cents": 50_000,
    }
    tenant.client.data("POST", "/budgets", json=budget)
    page = member.get(f"{member.home}/campaigns/{launched.campaign}")
    text = read(page)
    assert "4,100 views gained No earlier data. Best day: 17 May 2026, 2,500" in text
    assert "Forecast" not in text
    assert f"Creator Views gained {HOSTILE} 2,500 Ada 1,600 Posts with" in text
    assert f"{HOSTILE} {HOSTILE}, TikTok 2,500 First look Ada, TikTok 1,600" in text
    assert "Creator, all posts 20 May 2026" in text
    # $100.00 + $70.00 + $50.00 of $500.00.
    assert "Spring money 44% $220.00 $500.00" in text
    assert f'creators/{launched.eve["id"]}"' in page.text
    assert HOSTILE not in page.text


def test_engagement_differs_in_points(
    member: Sitter, launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = f"/projects/{launched.tenant.project_id}/campaigns"
    newer = launched.tenant.client.data("POST", path, json={"name": "Newer"})["id"]
    rates = {newer: 12.44, launched.campaign: 12.86}
    rows = [SimpleNamespace(entity_id=UUID(each), value=rate) for each, rate in rates.items()]
    board = SimpleNamespace(rows=rows)
    monkeypatch.setattr(comparison, "views_gained", lambda *_: (None, board))
    compared = f"{member.home}/campaigns?compare={newer}&compare={launched.campaign}"
    assert "Engagement 12.4% 12.9% +0.5 points" in read(member.get(compared))
    rows[0].value = rows[1].value
    assert "Engagement 12.9% 12.9% 0 points" in read(member.get(compared))


def test_a_campaign_of_another_project_is_not_found(member: Sitter, launched: Launched) -> None:
    tenant = launched.tenant
    path = f"/organizations/{tenant.organization_id}/projects"
    there = tenant.client.data("POST", path, json={"name": "Other"})
    other = f"/desk/projects/{there['id']}/campaigns"
    assert member.get(f"{other}/{launched.campaign}").status_code == 404
    assert f'{other}/new">Create one</a>' in member.get(other).text


def test_what_a_thousand_views_of_a_campaign_cost(member: Sitter, launched: Launched) -> None:
    campaign = f"{member.home}/campaigns/{launched.campaign}"
    assert f'href="{campaign}/costs">Cost of this campaign</a>' in member.get(campaign).text
    page = member.get(f"{campaign}/costs")
    text = read(page)
    assert "Changes compare" not in text, "no number is compared"
    assert "Cost of its posts $40.00 $9.76 per 1,000 views Views gained 4,100" in text
    assert f"Ada $40.00 1,600 $25.00 {HOSTILE} $0.00 2,500 $0.00" in text
    assert "13 May 2026 $40.00 1,000 14 May 2026 $0.00 \u2013 not known" in text
    assert "13 May 2026 $40.00 14 May 2026 \u2013 not known" in text
    assert HOSTILE not in page.text


def test_a_post_of_a_campaign_is_shown_with_its_picture(member: Sitter, launched: Launched) -> None:
    client, post = launched.tenant.client, marts.named(f"one {launched.ada['id']}")
    project = f"/projects/{launched.tenant.project_id}"
    campaign = client.data("POST", f"{project}/campaigns", json={"name": "Posts"})["id"]
    for video in client.data("GET", f"/videos?creator_id={launched.ada['id']}"):
        item = {"item_type": "video", "item_id": video["id"]}
        client.data("POST", f"/campaigns/{campaign}/items", json=item)
    page = member.get(f"{member.home}/campaigns/{campaign}")
    assert "First look Ada, TikTok 20 May 2026" in read(page)
    assert "Post without a caption Ada, TikTok 20 May 2026" in read(page)
    assert f'<a href="{member.home}/posts/{post}"><bdi>First look</bdi></a>' in page.text
    assert f'<img class="picture" src="{member.home}/posts/{post}/picture?v=' in page.text
