"""Unknown values show as a dash at the desk, not as 0 or a meaningless percentage."""

import re
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID

import pytest
from jinja2 import Environment, PackageLoader

from tests.factories import marts
from tests.factories.comments import Said
from tests.factories.instants import at
from tests.factories.visitors import read
from tests.fixtures.api import Api, Tenant, new_tenant
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Account, Video

UNKNOWN = "\u2013 not known"


@pytest.fixture(scope="module")
def losing(apart: Api) -> Iterator[Tenant]:
    """A post that gained 2,500 views by the 16th, of which 100 were taken back on the 18th.

    Its comments, of the 16th and 18th, are Arabic and not scored. A photo on Instagram, which shows
    no views, is tracked since the 11th. Bea's account was checked, and has no posts.
    """
    with new_tenant(apart) as tenant:
        ada = tenant.creator("ada", display_name="Ada")
        account = marts.Account(f"account {ada['id']}", {at(11): None}, creator=UUID(ada["id"]))
        bea = tenant.creator("bea", display_name="Bea")
        checked = marts.Account("checked", {at(11): 900}, creator=UUID(bea["id"]))
        post = marts.Video(
            f"post {ada['id']}",
            {at(16): {"view": 2500}, at(18): {"view": 2400}},
            posted_at=at(15),
            creator=UUID(ada["id"]),
            account=account.id,
        )
        photo = marts.Video(
            "photo",
            {at(11): {"like": 5}},
            posted_at=at(10),
            platform="instagram",
            creator=UUID(ada["id"]),
        )
        comments = [Said(post.id, at(day), "كم السعر؟", None, language="ar") for day in (16, 18)]
        tenant.publish([post, photo], comments, accounts=[account, checked])
        own = {"id": post.id, "platform": "tiktok", "platform_video_id": "91"}
        with apart.store.write_session() as session:
            registered = Video(
                **own,
                organization_id=tenant.organization_id,
                project_id=tenant.project_id,
                creator_id=UUID(ada["id"]),
                account_id=UUID(ada["accounts"][0]["id"]),
                url="https://www.tiktok.com/@ada/video/91",
                caption=None,
                tracking_status="auto_tracked",
            )
            session.add(registered)
            whose = UUID(bea["accounts"][0]["id"])
            session.get_one(Account, whose).last_scraped_at = at(11)
        yield tenant


def test_removed_views_have_no_percentage(losing: Tenant) -> None:
    member = Sitter(losing, role="member")
    text = read(member.get(f"{member.home}/posts/falling"))
    assert "Post without a caption" in text
    assert "https://" not in text
    assert "\u2212100 2,500 \u2013 counts went down" in text


def test_gains_of_the_first_day_are_unknown_for_comparison(api: Api, tmp_path: Path) -> None:
    """All views of the 13th predate tracking; 15 to 16 May is compared with 13 to 14 May."""
    with api.changed(home=tmp_path) as served, new_tenant(served) as tenant:
        ada = UUID(tenant.creator("ada")["id"])
        counts = {at(13): {"view": 900}, at(14): {"view": 950}, at(16): {"view": 950}}
        old = marts.Video("old", counts, posted_at=at(1), creator=ada)
        tenant.publish([old])
        member = Sitter(tenant, role="member")
        for place in ("", f"/creators/{ada}"):
            page = member.get(f"{member.home}{place}?from=2026-05-15&to=2026-05-16").text
            before = values_of(charts_of(page)["Views by day"], "2 days before")
            assert before == {"2026-05-15": None, "2026-05-16": 50}


def test_feelings_of_comments_that_were_not_scored_are_unknown(losing: Tenant) -> None:
    member = Sitter(losing, role="member")
    falling = f"{member.home}/posts/falling"
    text = read(member.get(f"{member.home}/comments"))
    assert f"Arabic 2 {UNKNOWN} {UNKNOWN} {UNKNOWN} 0%" in text
    [path, *_] = re.findall(rf"{member.home}/posts/[0-9a-f-]{{36}}", member.get(falling).text)
    text = read(member.get(path))
    assert "2 comments collected. 0% of them have a sentiment" in text


def test_views_without_posts_are_unknown_in_lists_and_on_the_creators_page(losing: Tenant) -> None:
    member = Sitter(losing, role="member")
    creators = member.get(f"{member.home}/creators")
    assert f"@bea {UNKNOWN} 0 {UNKNOWN}" in read(creators)
    [path] = re.findall(r'<a href="([^"]+)"><bdi>Bea</bdi>', creators.text)
    text = read(member.get(path))
    assert "No views of counted posts are known for these days." in text
    assert text.endswith("Latest posts No posts yet.")


@pytest.mark.slow
def test_comments_are_compared_only_with_days_that_were_tracked(losing: Tenant) -> None:
    """On TikTok, tracking began within the three days that the first period is compared with."""
    member = Sitter(losing, role="member")
    comments = f"{member.home}/comments?from=2026-05"
    page = read(member.get(f"{comments}-17&to=2026-05-20&platform=tiktok"))
    assert "with 14 May 2026 to 16 May 2026" in page
    assert "All 1 \u2013 no comparison" in page
    assert "All 1 0%" in read(member.get(f"{comments}-18&to=2026-05-20"))
    tracked = read(member.get(f"{comments}-19&to=2026-05-19&platform=tiktok"))
    assert "All 0 \u2212100%" in tracked


@pytest.mark.parametrize(
    ("percent", "text"), [(0.4, "0%"), (-0.4, "0%"), (0.6, "+1%"), (-0.6, "\u22121%")]
)
def test_a_change_that_rounds_to_nothing_has_no_sign(percent: float, text: str) -> None:
    environment = Environment(loader=PackageLoader("serving_api"))
    change = environment.get_template("figures.html").module.change  # type: ignore[attr-defined]
    assert re.sub("<[^>]*>", "", change(percent)) == text


def test_a_count_below_zero_has_a_minus_sign() -> None:
    figures = Environment(loader=PackageLoader("serving_api")).get_template("figures.html").module
    shown = [figures.count(-1_218), figures.percent(-2.5)]  # type: ignore[attr-defined]
    assert shown == ["\u22121,218", "\u22122.5%"]


@pytest.mark.parametrize(("more_is", "look"), [(1, "bad"), (-1, "good"), (0, "")])
def test_a_fall_is_good_of_a_cost_and_neither_of_spend(more_is: int, look: str) -> None:
    change = Environment(loader=PackageLoader("serving_api")).get_template("figures.html").module
    shown = change.change(-32, more_is)  # type: ignore[attr-defined]
    assert shown.strip() == f'<span class="{look}">\u221232%</span>'
