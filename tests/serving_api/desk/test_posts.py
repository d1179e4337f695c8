"""Pages of posts: the latest found, and those that gained most."""

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, Launched, launched

__all__ = ["launched"]


@pytest.fixture(scope="module")
def member(launched: Launched) -> Sitter:
    return Sitter(launched.tenant, role="member")


def test_posts_are_listed_with_whose_they_are(member: Sitter) -> None:
    page = member.get(f"{member.home}/posts")
    told = read(page)
    assert "First look Ada, TikTok 1,600 120" in told
    assert f"{HOSTILE} {HOSTILE}, TikTok 2,500 not known" in told
    assert "https://www.tiktok.com/@ada/video/1 Ada, TikTok, to review not known" in told
    assert HOSTILE not in page.text
    assert "<img" not in page.text


def test_posts_of_one_platform_are_asked_for(member: Sitter) -> None:
    assert "First look" in member.get(f"{member.home}/posts?platform=tiktok").text
    none = member.get(f"{member.home}/posts?platform=instagram")
    assert "No post was found yet." in none.text
    assert member.get(f"{member.home}/posts?platform=myspace").status_code == 400


def test_posts_are_ranked_by_what_they_gained(member: Sitter) -> None:
    page = member.get(f"{member.home}/posts/ranked")
    assert f"1 {HOSTILE} TikTok 2,500 nothing before 2 First look TikTok 1,600" in read(page)
    assert HOSTILE not in page.text
    liked = read(member.get(f"{member.home}/posts/ranked?metric=likes"))
    assert "1 First look TikTok 120 nothing before" in liked


def test_an_empty_project_says_so(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    assert "No post was found yet." in sitter.get(f"{sitter.home}/posts").text
    assert "Nothing is known of these days yet." in sitter.get(f"{sitter.home}/posts/ranked").text
