"""Pages that rank: both orders, filters that add up, and the page as CSV."""

import re

from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched


def test_the_header_turns_the_order_round(member: Sitter) -> None:
    page = member.get(f"{member.home}/creators/ranked?period=90")
    [header] = re.findall(r'aria-sort="descending"><a href="([^"]+)"', page.text)
    assert header == "?period=90&amp;metric=views&amp;order=lowest"
    lowest = member.get(f"{member.home}/creators/ranked?period=90&metric=views&order=lowest")
    assert f"2 Ada 1,600 \u2013 no earlier data 1 {HOSTILE} 2,500" in read(lowest)
    assert 'aria-sort="ascending"' in lowest.text


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


def test_what_is_shown_is_a_file(member: Sitter, launched: Launched) -> None:
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
