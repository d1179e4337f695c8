"""The inbox at the desk: members let posts count, or leave them out."""

import re

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Video

HOSTILE = '"><img src=x onerror=alert(1)> \u202e'


@pytest.fixture
def waiting(tenant: Tenant) -> list[str]:
    """Three posts that wait, the latest found first; the latest is called HOSTILE."""
    creator = tenant.creator(display_name="Ada")
    with tenant.api.store.write_session() as session:
        rows = [
            Video(
                organization_id=tenant.organization_id,
                project_id=tenant.project_id,
                creator_id=creator["id"],
                account_id=creator["accounts"][0]["id"],
                platform="tiktok",
                platform_video_id=str(number),
                url=f"https://www.tiktok.com/@ada/video/{number}",
                caption=HOSTILE if number == 2 else f"Post {number}",
                tracking_status="pending_review",
            )
            for number in range(3)
        ]
        session.add_all(rows)
    return [str(row.id) for row in reversed(rows)]


def status_of(tenant: Tenant, video_id: str) -> str:
    return str(tenant.client.data("GET", f"/videos/{video_id}")["tracking_status"])


def test_a_member_reviews_posts(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    inbox = f"{member.home}/inbox"
    page = member.get(inbox)
    assert "3 posts were found and count once somebody says so." in read(page)
    assert HOSTILE not in page.text
    assert HOSTILE in read(page)
    *each, together = re.findall(r'name="approve" value="([^"]+)"', page.text)
    assert set(each) == set(together.split(",")) == set(waiting)
    member.send(inbox, page=inbox, exclude=waiting[0])
    assert status_of(tenant, waiting[0]) == "excluded"
    # Who has the page open still sends all three: what was reviewed meanwhile stays as it is.
    member.send(inbox, page=inbox, approve=together)
    assert [status_of(tenant, one) for one in waiting] == ["excluded", "included", "included"]
    assert "Nothing waits." in read(member.get(inbox))


def test_too_much_at_once_is_refused(tenant: Tenant, waiting: list[str]) -> None:
    member = Sitter(tenant, role="member")
    inbox = f"{member.home}/inbox"
    many = ",".join(f"{number:032x}" for number in range(201))
    assert member.send(inbox, page=inbox, approve=many).status_code == 400
    assert member.send(inbox, page=inbox).status_code == 400
    assert status_of(tenant, waiting[0]) == "pending_review"
