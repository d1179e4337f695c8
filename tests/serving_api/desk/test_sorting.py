"""Tables and rankings sorted both ways, with the order in the address; and as CSV."""

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import replace
from html import unescape
from types import SimpleNamespace
from typing import Any, cast

import pytest
from fastapi import Request
from starlette.datastructures import QueryParams

from serving_api.desk.payouts import files, listing
from serving_api.desk.sorting import MOST_IN_FILE, Column, SortedTable
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched

COLUMNS: Sequence[Column[tuple[str, int | None]]] = (
    Column("name", "Name", lambda row: row[0]),
    Column("views", "Views", lambda row: row[1], is_number=True),
    Column("secret", None, lambda row: "x"),
)
CELL = r'<td class="number"[^>]*>(\$[0-9.]+)'
ROWS = [("b", 2), ("A", None), ("C", 10)]


def table_of(**params: str) -> SortedTable[tuple[str, int | None]]:
    request = cast("Request", SimpleNamespace(query_params=QueryParams(params)))
    return SortedTable(request, COLUMNS, ROWS)


@pytest.mark.parametrize(
    ("sort", "names"),
    [
        ("", "bAC"),
        ("name", "AbC"),
        ("-name", "CbA"),
        ("views", "bCA"),
        ("-views", "CbA"),
        ("secret", "bAC"),
        ("nothing", "bAC"),
    ],
)
def test_rows_are_in_order_and_unknown_ones_last(sort: str, names: str) -> None:
    assert "".join(name for name, _ in table_of(sort=sort).rows) == names


def test_a_header_sorts_and_then_turns_the_order_round() -> None:
    def headers(**params: str) -> list[tuple[str | None, str]]:
        return [(header.direction, header.href) for header in table_of(**params).headers]

    assert headers(period="7") == [
        (None, "?period=7&sort=name"),
        (None, "?period=7&sort=-views"),
    ]
    assert headers(sort="-views", format="csv") == [
        (None, "?sort=name"),
        ("descending", "?sort=views"),
    ]
    assert headers(sort="name")[0] == ("ascending", "?sort=-name")
    assert headers(sort="views")[1] == ("ascending", "?sort=-views")


def test_the_file_has_the_rows_of_the_page() -> None:
    table = table_of(period="7", sort="-views")
    assert table.csv_address == "?period=7&sort=-views&format=csv"
    assert table_of(format="csv").is_file
    assert not table.is_file


@pytest.mark.parametrize(
    ("path", "column", "values"),
    [
        ("settings/budgets", "name", [HOSTILE]),
        ("settings", "role", ["admin", "member"]),
        ("campaigns/{campaign}/costs", "views", ["2500", "1600"]),
        ("campaigns", "name", [HOSTILE, "Spring"]),
    ],
)
def test_a_page_is_sorted_by_its_header(
    launched: Launched, path: str, column: str, values: list[str]
) -> None:
    admin = Sitter(launched.tenant)
    Sitter(launched.tenant, role="member")
    address = f"{admin.home}/{path.format(campaign=launched.campaign)}"
    links = re.findall(r'<th scope="col"[^>]*><a href="([^"]+)"', admin.get(address).text)
    [header] = [link for link in map(unescape, links) if re.search(rf"sort=-?{column}$", link)]
    page = admin.get(f"{address}{header}").text
    assert re.search(r'aria-sort="(as|des)cending"><a', page)
    [link] = re.findall(r'href="([^"]+format=csv)"', page)
    file = admin.get(f"{address}{unescape(link)}")
    assert file.headers["Content-Type"].startswith("text/csv")
    cells = [row[column] for row in csv.DictReader(io.StringIO(file.text))]
    assert list(dict.fromkeys(cells)) == values


def test_another_order_begins_at_the_first_page_unless_it_sorts_this_page() -> None:
    table = table_of(cursor="abc", offset="25", period="7")
    sorted_page = "?cursor=abc&period=7&sort=name"
    assert next(header.href for header in table.headers) == sorted_page
    all_rows = replace(table, is_sorted=True)
    assert next(header.href for header in all_rows.headers) == "?period=7&sort=name"
    assert table.csv_address == "?period=7&format=csv"


def test_all_amounts_are_sorted_not_only_one_page(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ON_A_PAGE", 1)
    admin = Sitter(launched.tenant)
    payouts = f"{admin.home}/payouts"
    by_order = {"-amount_cents": ["$100.00", "$50.00"], "amount_cents": ["$50.00", "$100.00"]}
    for sort, amounts in by_order.items():
        first = admin.get(f"{payouts}?sort={sort}")
        assert "Total: $150.00" in read(first)
        [following] = re.findall(r'href="([^"]+offset=1)"', first.text)
        assert f"sort={sort}" in following
        second = admin.get(unescape(following))
        pages = [re.findall(CELL, page.text) for page in (first, second)]
        assert pages == [[amount] for amount in amounts]
    file = admin.get(f"{payouts}?sort=amount_cents&format=csv").text
    assert [row["amount"] for row in csv.DictReader(io.StringIO(file))] == ["50.00", "100.00"]
    assert admin.get(f"{payouts}?sort=name").status_code == 400


def test_a_file_has_all_amounts_of_a_list(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(listing, "ON_A_PAGE", 1)
    admin = Sitter(launched.tenant)
    address = f"{admin.home}/payouts?status=final&format=csv"
    assert len(list(csv.DictReader(io.StringIO(admin.get(address).text)))) == 2
    monkeypatch.setattr(files, "MOST_IN_FILE", 1)
    assert admin.get(address).status_code == 400


PAGES = ("creators", "creators/ranked", "posts", "posts/ranked", "campaigns", "settings")


@pytest.mark.slow
def test_a_file_has_the_rows_of_all_pages(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = Sitter(launched.tenant)

    def link_of(path: str) -> tuple[str, str]:
        page = admin.get(f"{admin.home}/{path}").text
        [(address, label)] = re.findall(r'href="([^"]+format=csv)">([^<]+)<', page)
        return unescape(address), label

    def ids_in(path: str, link: str) -> list[str]:
        file = admin.get(f"{admin.home}/{path}{link}").text
        rows = csv.DictReader(io.StringIO(file.removeprefix("\ufeff")))
        return [row.get("id") or row["user_id"] for row in rows]

    whole = {}
    for path in PAGES:
        link, label = link_of(path)
        assert label == "Download as CSV"
        whole[path] = ids_in(path, link)
        assert len(whole[path]) > 1, path
    for module in ("creator_pages.routes", "post_pages.routes", "rankings"):
        monkeypatch.setattr(f"serving_api.desk.{module}.ON_A_PAGE", 1)
    for module in ("campaign_pages.routes", "settings.members"):
        monkeypatch.setattr(f"serving_api.desk.{module}.ON_A_PAGE", 1)
    for path in PAGES:
        link, label = link_of(path)
        assert label == f"Download as CSV (up to {MOST_IN_FILE:,} rows)"
        assert ids_in(path, link) == whole[path], path
    [following] = re.findall(r'href="([^"]+)">Older', admin.get(f"{admin.home}/posts").text)
    second = unescape(following).rpartition("/")[2]
    assert ids_in("posts", link_of(second)[0]) == whole["posts"], "from the second page"
    monkeypatch.setattr("serving_api.desk.sorting.MOST_IN_FILE", 1)
    assert ids_in("posts", link_of("posts")[0]) == whole["posts"][:1]


def test_a_file_of_costs_has_more_creators_than_the_page(
    launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.desk.campaign_pages.routes.MOST_CREATORS", 1)
    admin = Sitter(launched.tenant)
    costs = f"{admin.home}/campaigns/{launched.campaign}/costs"
    page = admin.get(costs).text
    assert ("Top 1 of 2 creators" in page, "Download as CSV (up to 10,000" in page) == (True, True)
    assert len(admin.get(f"{costs}?format=csv").text.splitlines()) == 3


def test_goals_are_sorted_by_progress(launched: Launched, monkeypatch: pytest.MonkeyPatch) -> None:
    client, admin = launched.tenant.client, Sitter(launched.tenant)
    for creator, target in ((launched.ada, 10), (launched.eve, 500)):
        body: dict[str, Any] = {"metric": "posts", "period": "weekly", "target_value": target}
        client.data("POST", f"/creators/{creator['id']}/goals", json=body, status=201)
    goals = f"{admin.home}/settings/goals"
    for sort, expected in (("target", ["10", "500"]), ("-target", ["500", "10"])):
        page = admin.get(f"{goals}?sort={sort}").text
        assert re.findall(r"(\d+) posts each week", page) == expected
        rows = admin.get(f"{goals}?sort={sort}&format=csv").text.splitlines()
        position = rows[0].split(",").index("target")
        assert [row.split(",")[position] for row in rows[1:]] == expected
    monkeypatch.setattr("serving_api.desk.settings.goals.MOST_LISTED", 1)
    assert "1 more creators have goals" in read(admin.get(goals))
    assert len(admin.get(f"{goals}?format=csv").text.splitlines()) == 3, "goals of all creators"


def test_the_header_turns_the_order_round(member: Sitter) -> None:
    page = member.get(f"{member.home}/creators/ranked?period=90")
    [header] = re.findall(r'aria-sort="descending"><a href="([^"]+)"', page.text)
    assert header == "?period=90&amp;metric=views&amp;order=lowest"
    lowest = member.get(f"{member.home}/creators/ranked?period=90&metric=views&order=lowest")
    assert f"2 Ada 1,600 \u2013 no comparison 1 {HOSTILE} 2,500" in read(lowest)
    assert 'aria-sort="ascending"' in lowest.text


def test_lists_and_rankings_keep_the_period_of_each_other(member: Sitter) -> None:
    creators = f"{member.home}/creators"
    for tab in ("", "?sort=name", "/ranked"):
        page = member.get(f"{creators}{tab}{'&' if '?' in tab else '?'}period=7&platform=tiktok")
        [tabs] = re.findall(
            r'<nav class="tabs" aria-label="Order">(.+?)</nav>', page.text, re.DOTALL
        )
        links = re.findall(r'href="([^"]+)"', tabs)
        assert len(links) == 6
        assert all("period=7" in link and "platform=tiktok" in link for link in links)


def test_filters_add_up_and_stay(member: Sitter, launched: Launched) -> None:
    address = f"{member.home}/posts/ranked"
    spring = f"campaign={launched.campaign}"
    page = member.get(f"{address}?{spring}&platform=tiktok&order=lowest&period=7&metric=likes")
    assert "First look" in page.text
    chosen = f"metric=likes&amp;platform=tiktok&amp;{spring}&amp;order=lowest"
    assert f'href="?{chosen}&amp;period=90"' in page.text
    none = member.get(f"{address}?{spring}&platform=instagram")
    assert "No numbers for these dates and filters." in none.text
    assert member.get(f"{address}?platform=&campaign=").status_code == 200
    assert member.get(f"{address}?campaign=01a215dd-013f-79ea-b983-1f42acbfd10b").status_code == 404


def test_a_table_is_a_file(member: Sitter, launched: Launched) -> None:
    file = member.get(f"{member.home}/creators/ranked?order=lowest&format=csv")
    assert file.headers["Content-Type"].startswith("text/csv")
    header, ada, eve = file.text.splitlines()
    assert header == "\ufeffrank,id,name,gained,before_tracking,change_pct"
    assert ada == f"2,{launched.ada['id']},Ada,1600,0,"
    assert eve.startswith(f"1,{launched.eve['id']},")
    launched.tenant.client.data(
        "PATCH", f"/creators/{launched.ada['id']}", json={"display_name": "=1+1"}
    )
    file = member.get(f"{member.home}/creators/ranked?order=lowest&format=csv")
    assert ",'=1+1,1600," in file.text
