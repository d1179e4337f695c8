"""One search over creators, posts, campaigns and payouts, and the filters of posts."""

import pytest

from tests.factories import marts
from tests.factories.visitors import read
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched


def results(member: Sitter, text: str) -> str:
    page = member.get(f"{member.home}/search", params={"q": text})
    assert page.status_code == 200
    assert HOSTILE not in page.text
    return read(page).rpartition("Sign out everywhere")[2]


def test_a_name_finds_a_creator_and_the_latest_amounts(member: Sitter) -> None:
    text = results(member, "ADA")
    assert "Creators Ada TikTok @ada" in text
    assert "Payouts" in text
    assert "Settling $70.00" in text
    assert "$50.00" not in text, "Eve's"


def test_amounts_of_each_creator_have_a_heading_and_a_link_to_more(
    member: Sitter, launched: Launched, monkeypatch: pytest.MonkeyPatch
) -> None:
    more = f'creators/{launched.ada["id"]}#owed">Show more amounts of'
    page = member.get(f"{member.home}/search?q=a")
    text = read(page)
    assert f"Payouts {HOSTILE} Latest amounts Period" in text
    assert "Ada Latest amounts Period" in text
    assert "more amounts" not in text
    monkeypatch.setattr("serving_api.desk.search.MOST_AMOUNTS", 1)
    page = member.get(f"{member.home}/search?q=a")
    assert page.text.count("Show more amounts of") == 1, "Eve has one"
    assert more in page.text
    assert ("$70.00" in page.text, "$100.00" in page.text) == (True, False)
    monkeypatch.setattr("serving_api.desk.search.MOST_READ", 1)
    page = member.get(f"{member.home}/search?q=a")
    assert page.text.count("Show more amounts of") == 2, "Eve's amounts are older"
    assert page.text.count("Latest amounts") == 1


def test_a_caption_a_handle_and_an_id_find_a_post(member: Sitter, launched: Launched) -> None:
    post = marts.named(f"one {launched.ada['id']}")
    for text in ("first LOOK", str(post)):
        page_text = results(member, text)
        assert "Posts Post Views Likes First look Ada" in page_text, text
    campaign_alone = results(member, "spri")
    assert "Campaigns Spring" in campaign_alone
    assert "Payouts" not in campaign_alone, "no creator matches"


def test_an_empty_result_is_explained(member: Sitter) -> None:
    assert "No results for \u201c100%\u201d." in results(member, "100%")
    assert "Enter a name, handle" in results(member, "  ")
    assert member.get(f"{member.home}/search?q={'a' * 201}").status_code == 400


def test_an_impossible_text_finds_as_much_as_an_empty_one(
    member: Sitter, launched: Launched
) -> None:
    assert "Enter a name, handle" in results(member, "\x00")
    filling = f"campaigns/{launched.campaign}/creators"
    for page in ("creators", filling):
        for text in ("%00", "%20", "%E2%80%A8"):
            assert "Ada" in read(member.get(f"{member.home}/{page}?search={text}")), (page, text)


def test_each_page_has_the_search(member: Sitter) -> None:
    page = member.get(f"{member.home}/payouts")
    assert f'action="{member.home}/search"' in page.text
    assert "script-src 'self';" in page.headers["Content-Security-Policy"]
    assert "/desk/files/desk.js" in page.text


def test_filters_of_posts_add_up(member: Sitter, launched: Launched) -> None:
    ada = launched.ada["id"]
    listed = read(member.get(f"{member.home}/posts?creator={ada}&platform=tiktok&search=look"))
    assert "First look Ada" in listed
    assert "video/2" not in listed
    assert "Remove filter: TikTok Remove filter: Ada Remove filter: look" in listed
    for query in (f"creator={ada}&search=nothing", f"creator={ada}&platform=instagram"):
        assert "No posts match these filters." in member.get(f"{member.home}/posts?{query}").text
    assert "First look" in member.get(f"{member.home}/posts?creator=&platform=&search=").text


def test_posts_of_a_campaign_are_listed_and_a_file(member: Sitter, launched: Launched) -> None:
    tenant = launched.tenant
    path = f"/projects/{tenant.project_id}/campaigns"
    empty = tenant.client.data("POST", path, json={"name": "Empty"})["id"]
    posts = f"{member.home}/posts?platform=tiktok&campaign="
    assert "No posts match these filters." in member.get(posts + empty).text
    page = member.get(posts + launched.campaign)
    assert "First look" in page.text
    assert f'<option value="{launched.campaign}" selected>Spring' in page.text
    file = member.get(f"{posts}{launched.campaign}&format=csv")
    header, *rows = file.content.decode("utf-8-sig").splitlines()
    assert header == "id,url,platform,creator_id,posted_at,title,tracking_status,views,likes"
    [first] = [row for row in rows if "First look" in row]
    assert first.endswith(",First look,auto_tracked,1600,120")


def test_filters_stay_between_the_latest_and_the_ranked(member: Sitter, launched: Launched) -> None:
    filters = f"platform=tiktok&amp;campaign={launched.campaign}"
    for path, other in (("posts", "posts/ranked"), ("posts/ranked", "posts")):
        page = member.get(f"{member.home}/{path}?{filters.replace('&amp;', '&')}&period=7").text
        assert f'href="{member.home}/{other}?{filters}' in page
    creators = member.get(f"{member.home}/creators?platform=tiktok").text
    assert f'href="{member.home}/creators/ranked?platform=tiktok&amp;metric=views"' in creators
    ranked = member.get(f"{member.home}/creators/ranked?platform=tiktok").text
    assert f'href="{member.home}/creators?platform=tiktok"' in ranked
