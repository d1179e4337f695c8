"""Creators and posts sorted by their headers, over all pages, and filtered."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from html import unescape
from uuid import UUID

import pytest

from tests.factories import marts
from tests.factories.instants import at
from tests.factories.tracking import put_post
from tests.fixtures.api import Api, new_tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Project

FOLLOWERS: Mapping[str, int | None] = {"Bea": 30, "anna": 10, "Cleo": None}
VIEWS: Mapping[str, Sequence[int | None]] = {"Bea": [500, None], "anna": [2_000], "Cleo": []}
"""By creator's posts, the older one first."""
UNKNOWN = ["Bea 1", "Bea 0", "anna 0"]
"""Posts by id."""
ROWS = re.compile(r'<th scope="row">.*?<a href="[^"]+"><bdi>([^<]+)</bdi>', re.DOTALL)


@pytest.fixture(scope="module")
def member(apart: Api) -> Iterator[Sitter]:
    with new_tenant(apart) as tenant:
        accounts: list[marts.Account] = []
        videos: list[marts.Video] = []
        with apart.store.write_session() as session:
            for name, followers in FOLLOWERS.items():
                creator = tenant.creator(name.lower(), display_name=name)
                creator_id = UUID(creator["id"])
                account_id = UUID(creator["accounts"][0]["id"])
                accounts.append(marts.Account(name, {at(11): followers}, creator=creator_id))
                for number, views in enumerate(VIEWS[name]):
                    label, posted_at = f"{name} {number}", at(12 + len(videos))
                    video = marts.Video(
                        label,
                        {at(19): {"view": views}},
                        posted_at=posted_at,
                        creator=creator_id,
                        account=account_id,
                    )
                    videos.append(video)
                    put_post(session, tenant.made, video, caption=label)
        tenant.publish(videos, accounts=accounts)
        yield Sitter(tenant, role="member")


def names_on(page: str) -> list[str]:
    return [unescape(name) for name in ROWS.findall(page)]


@pytest.mark.parametrize(
    ("address", "names"),
    [
        ("creators?sort=name", ["anna", "Bea", "Cleo"]),
        ("creators?sort=-name", ["Cleo", "Bea", "anna"]),
        ("creators?sort=followers", ["anna", "Bea", "Cleo"]),
        ("creators?sort=-followers", ["Bea", "anna", "Cleo"]),
        ("creators?sort=posts_tracked", ["Cleo", "anna", "Bea"]),
        ("creators?sort=-posts_tracked", ["Bea", "anna", "Cleo"]),
        ("creators?sort=-views_gained", ["anna", "Bea", "Cleo"]),
        ("creators?sort=views_gained", ["Bea", "anna", "Cleo"]),
        ("creators?sort=-owed_cents", ["Cleo", "anna", "Bea"]),
        ("creators?sort=-name&search=an", ["anna"]),
        ("creators?sort=name&platform=instagram", []),
        ("posts?sort=posted_at", ["Bea 0", "Bea 1", "anna 0"]),
        ("posts?sort=-posted_at", ["anna 0", "Bea 1", "Bea 0"]),
        ("posts?sort=views", ["Bea 0", "anna 0", "Bea 1"]),
        ("posts?sort=-views", ["anna 0", "Bea 0", "Bea 1"]),
        ("posts?sort=-likes", UNKNOWN),
        ("posts?sort=-views&search=BEA", ["Bea 0", "Bea 1"]),
        ("posts?sort=-views&search=nothing", []),
        ("posts?sort=-views&platform=instagram", []),
        ("posts?sort=elsewhere", ["anna 0", "Bea 1", "Bea 0"]),
    ],
)
def test_lists_are_sorted_over_all_their_pages(
    member: Sitter, monkeypatch: pytest.MonkeyPatch, address: str, names: list[str]
) -> None:
    for module in ("creator_pages.routes", "post_pages.routes"):
        monkeypatch.setattr(f"serving_api.desk.{module}.ON_A_PAGE", 1)
    path, query = address.split("?")
    page = member.get(f"{member.home}/{address}").text
    listed = names_on(page)
    while following := re.findall(r'href="([^"]+)">(?:Next page|Older)', page):
        page = member.get(unescape(following[0])).text
        listed += names_on(page)
        assert 'aria-sort="' in page or "elsewhere" in query
    assert listed == names
    file = member.get(f"{member.home}/{path}?{query}&format=csv").text
    column = "name" if path == "creators" else "title"
    assert [row[column] for row in csv.DictReader(io.StringIO(file))] == names


def test_a_sorted_list_is_not_called_the_latest(member: Sitter) -> None:
    for path, order in (("creators", "-name"), ("posts", "views")):
        latest = re.compile(r'aria-current="page">Latest')
        assert latest.search(member.get(f"{member.home}/{path}").text)
        assert not latest.search(member.get(f"{member.home}/{path}?sort={order}").text)


def test_after_the_last_page_are_no_creators(member: Sitter) -> None:
    page = member.get(f"{member.home}/creators?sort=name&offset=50").text
    assert ("No creators match." in page, "No creators yet" in page) == (True, False)


def test_filters_keep_the_order(member: Sitter) -> None:
    for path in ("creators?sort=-name", "posts?sort=views"):
        page = member.get(f"{member.home}/{path}").text
        assert f'<input type="hidden" name="sort" value="{path.partition("=")[2]}">' in page


def test_rejected_posts_and_other_organizations_are_excluded(member: Sitter) -> None:
    tenant = member.tenant
    posts = f"{member.home}/posts?sort=-views"
    [bea] = [row for row in tenant.client.data("GET", "/videos") if row["title"] == "Bea 0"]
    assert names_on(member.get(f"{posts}&creator={bea['creator_id']}").text) == ["Bea 0", "Bea 1"]
    with tenant.api.store.write_session() as session:
        project = Project(organization_id=tenant.organization_id, name="Other")
        session.add(project)
        session.flush()
        other = project.id
    elsewhere = member.get(f"/desk/projects/{other}/posts?sort=-views").text
    assert (names_on(elsewhere), "No posts match" in elsewhere) == ([], True)
    assert "Posts found since the last update are not listed yet." in elsewhere
    tenant.client.data("PATCH", f"/videos/{bea['id']}", json={"tracking_status": "excluded"})
    assert names_on(member.get(posts).text) == ["anna 0", "Bea 1"]
    tenant.client.data("PATCH", f"/videos/{bea['id']}", json={"tracking_status": "auto_tracked"})


def test_a_search_of_too_many_posts_is_not_sorted_by_views(
    member: Sitter, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("serving_api.resources.tracking.videos.presenter.MOST_MATCHES", 1)
    page = member.get(f"{member.home}/posts?sort=-views&search=bea")
    assert page.status_code == 400
    assert "Narrow the filters to sort them by a count." in page.text
