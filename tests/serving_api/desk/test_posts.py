"""Pages of posts: the latest ones, and those that gained most."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from tests.factories import marts
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.launched import HOSTILE, PICTURE, Launched
from warehouse.operational.models import Video

ONE_DAY = timedelta(days=1)


@pytest.fixture(scope="module")
def risen(apart: Api) -> Iterator[Tenant]:
    """Six posts of a creator: one has three times the views of the others, one has lost momentum.

    The latter's likes are unknown. Its 30 comments alone are 0.6% of its views.
    """
    with new_tenant(apart) as tenant:
        creator = tenant.creator("ada")
        ada = UUID(creator["id"])
        account = marts.Account("tracked earlier", {NOW - 20 * ONE_DAY: None}, creator=ada)
        sunk = marts.Video(
            "sunk",
            {
                NOW - 5 * ONE_DAY: {"view": 100},
                NOW - 4 * ONE_DAY: {"view": 5_000},
                NOW - ONE_DAY: {"view": 5_100, "comment": 30},
            },
            posted_at=NOW - 6 * ONE_DAY,
            creator=ada,
            account=account.id,
        )
        posts = [
            marts.Video(
                f"risen {views}",
                {NOW - ONE_DAY: {"view": views}},
                posted_at=NOW - 2 * ONE_DAY,
                creator=ada,
            )
            for views in (998, 999, 1_000, 1_002, 3_000)
        ]
        tenant.publish([*posts, sunk], accounts=[account])
        with apart.store.write_session() as session:
            registered = Video(
                id=sunk.id,
                platform="tiktok",
                platform_video_id="92",
                organization_id=tenant.organization_id,
                project_id=tenant.project_id,
                creator_id=ada,
                account_id=UUID(creator["accounts"][0]["id"]),
                url="https://www.tiktok.com/@ada/video/92",
                caption=f"Sunk {HOSTILE}",
                posted_at=sunk.posted_at,
                tracking_status="auto_tracked",
            )
            session.add(registered)
        yield tenant


def test_posts_are_listed_with_their_creators(member: Sitter) -> None:
    page = member.get(f"{member.home}/posts")
    text = read(page)
    few = "\u2013 fewer than three other approved posts with views"
    assert f"First look Ada, TikTok 1,600 120 {few} 7.5% \u2013 not known" in text
    assert f"{HOSTILE} {HOSTILE}, TikTok 2,500 \u2013 not known" in text
    assert "Post without a caption Ada, TikTok, to review \u2013 not known" in text
    assert HOSTILE not in page.text


def test_a_posts_age_is_counted_in_days(member: Sitter, launched: Launched) -> None:
    posted_at = datetime(2026, 5, 12, 10, tzinfo=UTC)
    for at, age in ((posted_at, "7.5% 8 days"), (None, "7.5% \u2013 not known")):
        with launched.tenant.api.store.write_session() as session:
            session.get_one(Video, marts.named(f"one {launched.ada['id']}")).posted_at = at
        assert age in read(member.get(f"{member.home}/posts"))


def test_posts_that_outperform_have_a_tab(risen: Tenant) -> None:
    member = Sitter(risen, role="member")
    [address] = re.findall(
        r'href="([^"]+)">Outperforming<', member.get(f"{member.home}/posts").text
    )
    rising = member.get(address)
    assert "Post without a caption 3,000 3.0\u00d7" in read(rising)
    assert rising.text.count('data-label="Views"') == 2
    assert f'<a href="{member.home}/posts/ranked?period=7&amp;metric=views">Most' in rising.text
    rows = member.get(f"{address}?format=csv").text.splitlines()
    assert rows[0] == "\ufeffid,posted_at,views,times_median"
    assert rows[-1].endswith(",3000,3.0")


def test_posts_of_some_days_are_listed_and_outperform(risen: Tenant) -> None:
    """One was posted on 14 May and outperforms; the others, only in the marts, on 18 May."""
    member = Sitter(risen, role="member")
    posts, sunk = f"{member.home}/posts", f"Sunk {HOSTILE}"
    for day, found in ((13, 0), (14, 1), (15, 0), (18, 0)):
        days = f"from=2026-05-{day}&to=2026-05-{day}"
        for order in ("", "&sort=-views", "&sort=posted_at"):
            page = member.get(f"{posts}?{days}{order}")
            assert read(page).count(sunk) == found
            assert "No posts match" in read(page) or found
        rising = member.get(f"{posts}/rising?{days}")
        assert rising.text.count('data-label="Views"') == {14: 1, 18: 1}.get(day, 0)
        for shown, tab in ((page, f"{posts}/rising"), (rising, posts)):
            assert f'href="{tab}?{days.replace("&", "&amp;")}"' in shown.text
    assert "All dates" in read(member.get(posts))
    for query in ("", "?period=28", "?from=never"):
        rising = member.get(f"{posts}/rising{query}")
        assert rising.text.count('data-label="Views"') == 2
        current = re.search(r'aria-current="true">([^<]+)<', rising.text)
        assert current
        assert current[1] == ("28 days" if query else "7 days")


def test_tabs_keep_the_days(risen: Tenant) -> None:
    member = Sitter(risen, role="member")
    posts = f"{member.home}/posts"
    for days in ("period=28", "period=90", "from=2026-05-11&to=2026-05-12"):
        sent = days.replace("&", "&amp;")
        for page in ("", "/rising", "/ranked"):
            metric = "&metric=views" if page == "/ranked" else ""
            text = member.get(f"{posts}{page}?{days}{metric}").text
            [ranked] = re.findall(r'href="([^"]+)"[^>]*>Most likes<', text)
            fields = {*days.split("&"), "metric=likes"}
            assert {*ranked.partition("?")[2].split("&amp;")} == fields
            for tab in ("", "/rising"):
                assert f'href="{posts}{tab}?{sent}"' in text
    undated = member.get(f"{posts}/ranked").text
    assert f'href="{posts}/rising"' in undated
    assert f'href="{posts}/ranked?metric=likes"' in undated


def test_the_overview_links_posts_that_outperform_and_that_lose_momentum(risen: Tenant) -> None:
    """The one that lost momentum has five times the median of the others, and is in both."""
    member = Sitter(risen, role="member")
    overview = member.get(member.home).text
    assert f'href="{member.home}/posts/rising">2 posts outperforming' in overview
    assert f'href="{member.home}/posts/falling">1 post losing momentum' in overview
    rising = member.get(f"{member.home}/posts/rising")
    assert f"Sunk {HOSTILE}" in read(rising)
    assert "They may be past their peak." in read(rising)
    falling = member.get(f"{member.home}/posts/falling")
    assert f"Sunk {HOSTILE}" in read(falling)
    assert "100 5,000 \u221298%" in read(falling)
    assert HOSTILE not in falling.text


def test_lists_without_posts_to_review_count_the_waiting_ones(
    member: Sitter, launched: Launched, risen: Tenant
) -> None:
    posts, campaign = f"{member.home}/posts", f"?campaign={launched.campaign}"
    links = {"/rising": "", "/falling": "", "/ranked": "", f"/ranked{campaign}": campaign}
    for path, query in links.items():
        page, inbox = member.get(posts + path), f"{member.home}/inbox{query}"
        assert "1 post to review is not listed." in read(page)
        assert f'href="{inbox}">1 post to review</a>' in page.text
        assert "1 post to review." in read(member.get(inbox))
    assert "not listed" not in read(member.get(posts))
    other = Sitter(risen, role="member")
    assert "to review" not in read(other.get(f"{other.home}/posts/rising"))


def test_comments_alone_are_no_engagement(risen: Tenant) -> None:
    text = read(Sitter(risen, role="member").get(f"/desk/projects/{risen.project_id}/posts"))
    assert "5,100 \u2013 not known 5.1\u00d7 \u2013 likes are not known" in text


@pytest.mark.slow
def test_the_stored_picture_of_a_post_is_shown(member: Sitter, launched: Launched) -> None:
    own = marts.named(f"one {launched.ada['id']}")
    campaign, ada = f"/campaigns/{launched.campaign}", f"/creators/{launched.ada['id']}"
    for address in ("", campaign, ada, "/posts", "/posts/ranked", f"/posts/{own}"):
        page = member.get(member.home + address)
        [picture_url] = re.findall(r'<img class="picture" src="([^"]+)" alt=""', page.text)
        assert picture_url.startswith(f"{member.home}/posts/{own}/picture?v=")
        assert "img-src 'self' data:; " in page.headers["Content-Security-Policy"]
    picture = member.get(picture_url)
    assert picture.content == PICTURE
    assert picture.headers["Content-Type"] == "image/png"
    assert picture.headers["Cache-Control"] == "private, max-age=86400, immutable"
    assert "sandbox" in picture.headers["Content-Security-Policy"]
    other = marts.named(f"two {launched.eve['id']}")
    assert member.get(f"{member.home}/posts/{other}/picture").status_code == 404


def test_posts_are_filtered_by_platform(member: Sitter) -> None:
    assert "First look" in member.get(f"{member.home}/posts?platform=tiktok").text
    none = member.get(f"{member.home}/posts?platform=instagram")
    assert "No posts match these filters." in none.text
    assert member.get(f"{member.home}/posts?platform=myspace").status_code == 400


def test_posts_are_ranked_by_gained_views(member: Sitter) -> None:
    page = member.get(f"{member.home}/posts/ranked")
    assert (
        f"1 {HOSTILE} {HOSTILE}, TikTok 2,500 \u2013 no comparison 2 First look Ada, TikTok 1,600"
        in read(page)
    )
    assert HOSTILE not in page.text
    liked = read(member.get(f"{member.home}/posts/ranked?metric=likes"))
    assert "1 First look Ada, TikTok 120 \u2013 no comparison" in liked


def test_a_post_is_compared_with_three_others_or_with_none(
    member: Sitter, launched: Launched
) -> None:
    """Another post of Ada's waits for review; the browser stories have a creator of four posts."""
    own = marts.named(f"one {launched.ada['id']}")
    page = member.get(f"{member.home}/posts/{own}")
    assert "Compared with other posts" not in read(page)


def test_an_empty_project_says_so(tenant: Tenant) -> None:
    sitter = Sitter(tenant)
    posts = sitter.get(f"{sitter.home}/posts").text
    assert "No posts yet." in posts
    assert f'{sitter.home}/creators/new">Add a creator</a>' in posts
    for path in ("rule-lab", "payouts"):
        assert f'{sitter.home}/settings/structures">' in sitter.get(f"{sitter.home}/{path}").text
    assert (
        "No numbers for these dates and filters." in sitter.get(f"{sitter.home}/posts/ranked").text
    )
