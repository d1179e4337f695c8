"""The inbox at the desk: members approve or reject posts, and undo that."""

import re
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Video

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'
POSTED = datetime(2026, 5, 1, 12, tzinfo=UTC)


def add_posts(tenant: Tenant, creator: Any, captions: list[str]) -> list[str]:
    """Add posts to review; the first is found first and posted last. Return their ids."""
    [account] = creator["accounts"]
    with tenant.api.store.write_session() as session:
        rows = [
            Video(
                organization_id=tenant.organization_id,
                project_id=tenant.project_id,
                creator_id=UUID(creator["id"]),
                account_id=account["id"],
                platform=account["platform"],
                platform_video_id=f"{account['handle']}{number}",
                url=f"https://www.tiktok.com/@ada/video/{number}",
                caption=caption,
                posted_at=POSTED - timedelta(days=number),
                tracking_status="pending_review",
            )
            for number, caption in enumerate(captions)
        ]
        session.add_all(rows)
    return [str(row.id) for row in rows]


@pytest.fixture
def waiting(tenant: Tenant) -> list[str]:
    """Three posts to review, the latest posted first; the last is called HOSTILE."""
    ada = tenant.creator("ada", display_name="Ada")
    return add_posts(tenant, ada, ["Post 0", "Post 1", HOSTILE])


def status_of(tenant: Tenant, video_id: str) -> str:
    return str(tenant.client.data("GET", f"/videos/{video_id}")["tracking_status"])


def test_a_member_reviews_posts(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    inbox = f"{member.home}/inbox"
    page = member.get(inbox)
    assert "3 posts to review." in read(page)
    assert HOSTILE not in page.text
    assert HOSTILE in read(page)
    *each, selected, together = re.findall(r'name="approve" value="([^"]+)"', page.text)
    assert each == waiting  # by posting time, not discovery
    assert (selected, set(together.split(","))) == ("selected", set(waiting))
    member.send(inbox, page=inbox, exclude=waiting[0])
    assert status_of(tenant, waiting[0]) == "excluded"
    # An open page still sends all three: posts reviewed meanwhile do not change.
    member.send(inbox, page=inbox, approve=together)
    assert [status_of(tenant, post) for post in waiting] == ["excluded", "included", "included"]
    assert "No posts to review." in read(member.get(inbox))


def test_a_refused_review_keeps_its_selection(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    inbox, ticked = f"{member.home}/inbox", f"selected.{waiting[1]}"
    refused = member.send(inbox, page=inbox, no_button="yes", **{ticked: "yes"})
    assert re.findall(r'name="(selected[^"]+)"[^>]* checked>', refused.text) == [ticked]


def test_a_review_is_undone_and_rejected_posts_come_back(
    tenant: Tenant, waiting: list[str]
) -> None:
    member = Sitter(tenant, role="member")
    inbox = f"{member.home}/inbox"
    boxes = {f"selected.{post}": "yes" for post in waiting[:2]}
    answer = member.send(inbox, page=inbox, exclude="selected", **boxes)
    after = member.get(answer.headers["Location"])
    assert "2 posts rejected." in read(after)
    [undo] = re.findall(r'name="return" value="([^"]+)"', after.text)
    rejected = read(member.get(f"{inbox}?tab=rejected"))
    assert "2 rejected posts." in rejected
    assert "Post 0" in rejected
    assert HOSTILE not in rejected
    member.send(inbox, page=inbox, **{"return": undo})
    assert {status_of(tenant, post) for post in waiting} == {"pending_review"}
    assert "No rejected posts." in read(member.get(f"{inbox}?tab=rejected"))


def test_a_post_is_reviewed_on_its_own_page_which_explains_waiting(
    tenant: Tenant, waiting: list[str]
) -> None:
    member = Sitter(tenant, role="member")
    page = f"{member.home}/posts/{waiting[0]}"
    text = read(member.get(page))
    assert "is checked, but counts in numbers and payouts only after approval." in text
    assert "not tracked" not in text
    assert "0 3 to review" in read(member.get(f"{member.home}/creators"))
    assert f'name="approve" value="{waiting[0]}"' in member.get(page).text
    member.send(f"{member.home}/inbox", page=page, exclude=waiting[0])
    assert "Rejected: the post does not count. Move to inbox" in read(member.get(page))
    member.send(f"{member.home}/inbox", page=page, **{"return": waiting[0]})
    member.send(f"{member.home}/inbox", page=page, approve=waiting[0])
    assert "Reject" not in member.get(page).text


def test_a_post_of_a_removed_account_is_not_offered_for_review(
    tenant: Tenant, waiting: list[str]
) -> None:
    member = Sitter(tenant, role="member")
    account = tenant.client.data("GET", f"/videos/{waiting[0]}")["account_id"]
    tenant.client.data("DELETE", f"/accounts/{account}")
    html = member.get(f"{member.home}/posts/{waiting[0]}").text
    assert 'name="approve"' not in html
    assert "To review" not in html


@pytest.mark.slow
def test_a_stale_page_undoes_no_review_of_another_user(tenant: Tenant, waiting: list[str]) -> None:
    member, admin = Sitter(tenant, role="member"), Sitter(tenant)
    inbox = f"{member.home}/inbox"
    admin.send(inbox, page=inbox, approve=waiting[0])
    # A stale page rejects two posts, one of them approved meanwhile: the message says so.
    answer = member.send(inbox, page=inbox, exclude=",".join(waiting[:2]))
    shown = member.get(answer.headers["Location"])
    after = shown.text
    assert "1 post rejected." in read(shown)
    undo = re.findall(r'name="(undone|return)" value="([^"]+)"', after)
    assert dict(undo)["return"] == waiting[1]
    refused = member.send(inbox, page=inbox, exclude=waiting[0])
    assert refused.status_code == 400
    assert "Someone else has reviewed these posts" in refused.text
    # A rejection that another user has reverted and approved cannot be undone.
    for action in ("return", "approve"):
        admin.send(inbox, page=inbox, **{action: waiting[1]})
    refused = member.send(inbox, page=inbox, **dict(undo))
    assert "Someone else has reviewed these posts" in refused.text
    assert {status_of(tenant, video) for video in waiting[:2]} == {"included"}
    answer = member.send(inbox, page=inbox, approve=waiting[2])
    after = member.get(answer.headers["Location"]).text
    undo = re.findall(r'name="(undone|return)" value="([^"]+)"', after)
    member.send(inbox, page=inbox, **dict(undo))
    assert status_of(tenant, waiting[2]) == "pending_review"


@pytest.mark.slow
def test_posts_are_filtered_by_creator_and_campaign(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    eve = tenant.creator("eve", display_name="Eve")
    add_posts(tenant, eve, ["Eve's"])
    outer, inner = (
        tenant.client.data("POST", f"/projects/{tenant.project_id}/campaigns", json={"name": name})[
            "id"
        ]
        for name in ("Outer", "Inner")
    )
    for campaign, item in (
        (outer, {"item_type": "campaign", "item_id": inner}),
        (inner, {"item_type": "creator", "item_id": eve["id"]}),
        (inner, {"item_type": "video", "item_id": waiting[1]}),
    ):
        tenant.client.data("POST", f"/campaigns/{campaign}/items", json=item)
    of_eve = f"{member.home}/inbox?creator={eve['id']}&campaign="
    page = member.get(of_eve)
    assert "1 post to review." in read(page)
    assert "Ada (3)" in page.text
    assert f'value="{eve["id"]}" selected>Eve (1)' in page.text
    of_outer = read(member.get(f"{member.home}/inbox?campaign={outer}"))
    assert "2 posts to review." in of_outer
    assert "Post 1" in of_outer
    # The form's redirect keeps the filter.
    answer = member.send(of_eve, page=of_eve, approve="selected")
    assert answer.status_code == 400
    assert "Select at least one item first" in answer.text
    [post] = re.findall(r'name="approve" value="([^"]{36})"', page.text)
    answer = member.send(of_eve, page=of_eve, approve=post)
    assert f"creator={eve['id']}" in answer.headers["Location"]
    assert member.get(f"{member.home}/inbox?creator=eve").status_code == 400


def test_too_much_at_once_is_refused(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    inbox = f"{member.home}/inbox"
    many = ",".join(f"{number:032x}" for number in range(201))
    assert member.send(inbox, page=inbox, approve=many).status_code == 400
    assert member.send(inbox, page=inbox).status_code == 400
    assert status_of(tenant, waiting[0]) == "pending_review"


def test_the_inbox_runs_its_own_script(tenant: Tenant) -> None:
    member = Sitter(tenant, role="member")
    page = member.get(f"{member.home}/inbox")
    assert "script-src 'self'; " in page.headers["Content-Security-Policy"]
    assert "connect-src" not in page.headers["Content-Security-Policy"]
    [script] = re.findall(r'<script src="([^"]+inbox[^"]+)"', page.text)
    assert member.get(script).headers["Content-Type"].startswith("text/javascript")
