"""What a share page shows to its creator, and hides from everyone else."""

import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from html import unescape
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest

from tests.factories.shared import CAPTIONS, NAME, PIN, TRACKED_SINCE, SharedCreator, shared_creator
from tests.factories.tracking import change
from tests.fixtures.api import Api
from tests.fixtures.charts import charts_of, values_of
from warehouse.operational.models import Organization, Video

Refuse = Callable[[SharedCreator], Any]


def unlocked(visitor: httpx.Client, shared: SharedCreator) -> httpx.Response:
    visitor.post(shared.path, data={"pin": PIN})
    return visitor.get(shared.path)


def text_of(html: str) -> str:
    """The visible text of a page: without markup, with single spaces."""
    without_inline = re.sub(r"</?(time|span|bdi|a)\b[^>]*>", "", html)
    return " ".join(unescape(re.sub(r"<[^>]+>", " ", without_inline)).split())


def totals_of(html: str) -> dict[str, str]:
    pairs = re.findall(r"<dt>(.*?)</dt><dd>(.*?)</dd>", html)
    return {name: text_of(value) for name, value in pairs}


def days_of(html: str) -> dict[str, int | None]:
    return values_of(charts_of(html)["Views by day"], "Views")


class TestAnalytics:
    def test_totals_are_of_all_time(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        assert totals_of(unlocked(visitor, shared).text) == {
            "Followers": "4,321",
            "Views": "269,000",
            "Likes": "10",
            "Comments": "\u2013 not known",
            "Shares": "4",
            "Posts": "2",
        }

    def test_the_last_four_weeks(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        html = unlocked(visitor, shared).text
        days = days_of(html)
        assert list(days)[0::27] == ["2026-04-23", "2026-05-20"]
        assert days["2026-04-30"] is None
        assert (days["2026-05-01"], days["2026-05-17"]) == (1_000, 1_000)
        assert (days["2026-05-18"], days["2026-05-19"]) == (251_000, 0)
        assert "18 May 2026 251,000" in text_of(html)
        assert "30 Apr 2026 \u2013 not known" in text_of(html)
        assert "20 May 2026 so far 1,000" in text_of(html)

    def test_any_days_that_the_plan_keeps(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        unlocked(visitor, shared)
        week = visitor.get(f"{shared.path}?period=7")
        assert list(days_of(week.text))[0::6] == ["2026-05-14", "2026-05-20"]
        own = visitor.get(f"{shared.path}?from=2026-05-17&to=2026-05-18")
        assert days_of(own.text) == {"2026-05-17": 1_000, "2026-05-18": 251_000}
        assert "so far" not in own.text
        old = f"{shared.path}?from=2026-01-01"
        assert len(days_of(visitor.get(old).text)) == 140
        organization_id = shared.tenant.organization_id
        change(shared.api.store, Organization, organization_id, plan="free")
        refused = visitor.get(old)
        page = visitor.get(shared.path)
        change(shared.api.store, Organization, organization_id, plan="ultra")
        assert (refused.status_code, page.status_code) == (400, 200)
        assert "The plan includes 30 days. Enter 2026-04-20 or a later date" in refused.text
        assert ("90 days" in week.text, "90 days" in page.text) == (True, False)
        for query in ("period=8", "from=2026-05-18&to=2026-05-17"):
            assert visitor.get(f"{shared.path}?{query}").status_code == 400
        page = visitor.get(f"{shared.path}?from=2026-05-18&to=2026-05-17")
        assert 'id="wrong-from">Enter a date on or before 2026-05-17</p>' in page.text

    def test_it_has_a_date(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        sentence = "As of 20 May 2026, 12:00, last checked 20 May 2026, 11:30 (UTC)."
        assert sentence in text_of(unlocked(visitor, shared).text)

    def test_top_posts_come_by_views(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        html = unlocked(visitor, shared).text
        links = re.findall(r'<a href="(.*?)" rel="(.*?)"><bdi>(.*?)</bdi>', html)
        first, second = (unescape(title) for _, _, title in links)
        assert first == CAPTIONS["second"][:100]
        assert second == CAPTIONS["first"].splitlines()[0]
        assert {rel for _, rel, _ in links} == {"noopener nofollow"}
        assert links[0][0].startswith("https://www.tiktok.com/@demo.creator/video/")
        assert "TikTok, 18 May 2026 249,000 views as of 19 May 2026, 10:00" in text_of(html)
        assert "TikTok, 1 May 2026 20,000 views, 10 likes" in text_of(html)

    def test_excluded_posts_are_hidden(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        listed = shared.client.data("GET", "/videos", params={"creator_id": shared.id})
        (spring,) = [post["id"] for post in listed if post["caption"].startswith("Spring")]
        change(shared.api.store, Video, UUID(spring), tracking_status="excluded")
        html = unlocked(visitor, shared).text
        change(shared.api.store, Video, UUID(spring), tracking_status="auto_tracked")
        assert "Spring" not in html
        assert "249,000 views" in html

    def test_text_is_never_markup(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        html = unlocked(visitor, shared).text
        assert NAME in html
        assert "&lt;script&gt;alert(&#34;x&#34;)&lt;/script&gt;" in html
        scripts = re.findall(r"<script\b[^>]*>", html)
        assert scripts.pop() == '<script type="application/json">'
        assert len(scripts) == 2
        assert all('src="/charts/' in script for script in scripts)

    def test_titles_before_captions(self, shared: SharedCreator, visitor: httpx.Client) -> None:
        listed = shared.client.data("GET", "/videos", params={"creator_id": shared.id})
        (spring,) = [post["id"] for post in listed if post["caption"].startswith("Spring")]
        shared.client.data("PATCH", f"/videos/{spring}", json={"title": "Our favourite"})
        assert "Our favourite" in unlocked(visitor, shared).text
        change(shared.api.store, Video, UUID(spring), custom_title=None, caption=None)
        assert "Post without a caption" in unlocked(visitor, shared).text
        change(shared.api.store, Video, UUID(spring), caption=CAPTIONS["first"])


class TestSections:
    @pytest.mark.parametrize(("analytics", "payouts"), [(True, False), (False, True), (True, True)])
    def test_a_page_has_the_sections_of_its_link(
        self, shared: SharedCreator, visitor: httpx.Client, *, analytics: bool, payouts: bool
    ) -> None:
        shared.share(show_analytics=analytics, show_payouts=payouts)
        html = unlocked(visitor, shared).text
        assert ("Views by day" in html) == analytics
        assert ("No payouts yet." in html) == payouts

    def test_an_unpublished_creator_has_no_numbers_yet(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        accounts = [{"platform": "tiktok", "handle": f"new{uuid4().hex[:8]}"}]
        body = {"project_id": str(shared.tenant.project_id), "accounts": accounts}
        creator = shared.client.data("POST", "/creators", json=body)["id"]
        new = SharedCreator(shared.api, shared.tenant, shared.client, creator)
        new.share()
        html = unlocked(visitor, new).text
        assert "No numbers yet." in html
        assert not re.search(r"<dd>|<td>", html)


@pytest.fixture(scope="module")
def far_east(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCreator]:
    home: Path = tmp_path_factory.mktemp("far-east")
    with shared_creator(api, home, tz="Pacific/Kiritimati") as creator:
        creator.share()
        yield creator


def test_days_and_times_are_the_organizations(far_east: SharedCreator) -> None:
    """Kiritimati is 14 hours ahead: both 10:00 and 12:00 UTC of 20 May are on the 21st there."""
    with httpx.Client(base_url=far_east.api.base_url, trust_env=False) as visitor:
        html = unlocked(visitor, far_east).text
    days = days_of(html)
    assert list(days)[0::27] == ["2026-04-24", "2026-05-21"]
    assert (days["2026-05-01"], days["2026-05-02"]) == (None, 1_000)
    assert "As of 21 May 2026, 02:00, last checked 21 May 2026, 01:30 (Pacific/Kiritimati)." in (
        text_of(html)
    )


def test_views_from_before_tracking_are_shown_separately(api: Api, tmp_path: Path) -> None:
    """Tracking began after the first post's first reading, which had 1,000 views."""
    since = TRACKED_SINCE + timedelta(days=1)
    with (
        shared_creator(api, tmp_path, since=since) as creator,
        httpx.Client(base_url=creator.api.base_url, trust_env=False) as visitor,
    ):
        creator.share()
        html = unlocked(visitor, creator).text
    assert days_of(html)["2026-05-01"] == 0
    assert "1 May 2026 0 1,000" in text_of(html)
    assert "Another 1,000 are from before tracking" in text_of(html)


class TestNotAvailable:
    """Responses do not reveal whether an address has, or had, a creator or a link."""

    @pytest.fixture(autouse=True)
    def _all_is_well_again(self, shared: SharedCreator) -> Iterator[None]:
        yield
        change(shared.api.store, Organization, shared.tenant.organization_id, is_suspended=False)

    @pytest.mark.parametrize(
        "refuse",
        [
            lambda shared: shared.ask("PATCH", json={"enabled": False}),
            lambda shared: shared.ask("DELETE"),
            lambda shared: change(
                shared.api.store, Organization, shared.tenant.organization_id, is_suspended=True
            ),
        ],
        ids=["disabled", "deleted", "suspended"],
    )
    def test_a_closed_page_looks_like_an_unknown_address(
        self, shared: SharedCreator, visitor: httpx.Client, refuse: Refuse
    ) -> None:
        assert unlocked(visitor, shared).status_code == 200
        refuse(shared)
        self.hold_same(visitor, shared.path)

    def test_a_removed_creators_page_looks_like_an_unknown_address(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        accounts = [{"platform": "tiktok", "handle": f"gone{uuid4().hex[:8]}"}]
        body = {"project_id": str(shared.tenant.project_id), "accounts": accounts}
        creator = shared.client.data("POST", "/creators", json=body)["id"]
        gone = SharedCreator(shared.api, shared.tenant, shared.client, creator)
        gone.share()
        assert unlocked(visitor, gone).status_code == 200
        shared.client.data("DELETE", f"/creators/{creator}")
        self.hold_same(visitor, gone.path)

    def test_a_creator_without_a_link_and_an_invalid_address_are_alike(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        shared.ask("DELETE")
        for path in (
            shared.path,
            "/share/creator/nobody",
            f"/share/creator/{shared.id.upper()}",
            f"/share/creator/{{{shared.id}}}",
            "/share/creator/%00",
            "/share/creator/" + "9" * 500,
        ):
            self.hold_same(visitor, path)

    def hold_same(self, visitor: httpx.Client, path: str) -> None:
        """Assert the response of an unknown address, with and without PIN and session."""
        unknown = f"/share/creator/{uuid4()}"
        for method, form in (("GET", None), ("POST", {"pin": PIN}), ("POST", {"pin": "x"})):
            here, there = (
                visitor.request(method, address, data=form) for address in (path, unknown)
            )
            assert here.status_code == there.status_code == 404
            assert here.content == there.content
            assert self.headers_of(here) == self.headers_of(there)
            assert "Not found" in here.text

    def headers_of(self, response: httpx.Response) -> dict[str, str]:
        return {
            name: value
            for name, value in response.headers.items()
            if name not in {"date", "x-request-id"}
        }


class TestHeaders:
    def test_no_page_is_cached_indexed_or_framed_and_no_referrer_is_sent(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        form, gone = visitor.get(shared.path), visitor.get("/share/creator/nobody")
        for response in (form, gone, unlocked(visitor, shared)):
            headers = response.headers
            assert headers["Cache-Control"] == "no-store"
            assert headers["X-Robots-Tag"] == "noindex"
            assert '<meta name="robots" content="noindex">' in response.text
            assert headers["Referrer-Policy"] == "same-origin"
            assert headers["X-Content-Type-Options"] == "nosniff"
            policy = headers["Content-Security-Policy"]
            assert policy.startswith("default-src 'none'; ")
            assert "frame-ancestors 'none'" in policy
            assert "unsafe" not in policy

    def test_scripts_run_on_the_open_page_alone_and_come_from_here(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        assert "script-src" not in visitor.get(shared.path).headers["Content-Security-Policy"]
        page = unlocked(visitor, shared)
        assert "script-src 'self';" in page.headers["Content-Security-Policy"]
        loaded = re.findall(r'(?:<script src|<link rel="stylesheet" href)="(.*?)"', page.text)
        assert len(loaded) == 3
        assert all(address.startswith(("/charts/", "/share/files/")) for address in loaded)


class TestFiles:
    def test_files_may_be_cached_because_each_version_has_an_address(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        page = unlocked(visitor, shared).text
        for address in re.findall(r'"((?:/charts|/share/files)/.*?)"', page):
            response = visitor.get(address)
            assert response.status_code == 200
            kind = "text/javascript" if ".js?" in address else "text/css"
            assert response.headers["Content-Type"] == f"{kind}; charset=utf-8"
            assert response.headers["Cache-Control"] == "public, max-age=31536000, immutable"
            assert response.headers["X-Content-Type-Options"] == "nosniff"

    @pytest.mark.parametrize("name", ["LICENSE", "nothing.js", "..%2froutes.py", "%00", "uplot"])
    def test_other_files_are_not_handed_out(self, visitor: httpx.Client, name: str) -> None:
        assert visitor.get(f"/share/files/{name}").status_code == 404
        assert visitor.get(f"/charts/{name}").status_code == 404


class TestConnecting:
    def test_an_unlocked_page_leads_to_where_accounts_are_connected(
        self, shared: SharedCreator, visitor: httpx.Client
    ) -> None:
        visitor.post(shared.path, data={"pin": PIN})
        text = visitor.get(shared.path).text
        [path] = re.findall(r'href="(/connect/[^"]+)"', text)
        assert "@demo.creator" in visitor.get(path).text
        assert "/connect/" not in httpx.get(f"{shared.api.base_url}{shared.path}").text
