"""Amounts of view bonuses name their threshold and post, in lists and files."""

from dataclasses import replace
from uuid import UUID

import pytest

from tests.factories.visitors import read
from tests.fixtures.api import Tenant
from tests.fixtures.desk import Sitter
from tests.fixtures.payouts import LIST, Paying
from warehouse.operational.models import Video

pytestmark = pytest.mark.slow


@pytest.fixture
def bonuses(paying: Paying) -> Paying:
    """Bonuses for 10,000 and 100,000 views of one post, and one for a deleted post."""
    subject = _titled(paying.tenant, "Lake")
    bonus_by_name = {"settled": (subject, 10_000), "bobs": (subject, 100_000)}
    for name, (subject_id, view_count) in (bonus_by_name | {"last": (UUID(int=1), 5)}).items():
        earning = paying.earnings[name]
        content = replace(earning.content, subject_id=subject_id, view_count=view_count)
        paying.earnings[name] = replace(earning, content=content)
    paying.publish()
    return paying


def _titled(tenant: Tenant, title: str) -> UUID:
    video_id = UUID(tenant.video()["id"])
    with tenant.api.store.write_session() as session:
        session.get_one(Video, video_id).custom_title = title
    return video_id


def test_lists_name_them(bonuses: Paying) -> None:
    admin = Sitter(bonuses.tenant)
    final = read(admin.get(f"{admin.home}/payouts"))
    assert "Lake 27 Apr 2026 to 3 May 2026 10,000" in final
    assert "Lake 27 Apr 2026 to 3 May 2026 100,000" in final
    assert "11 May 2026 to 17 May 2026 5 $" in read(
        admin.get(f"{admin.home}/payouts?status=settling")
    )


def test_files_and_the_api_name_them(bonuses: Paying) -> None:
    admin = Sitter(bonuses.tenant)
    file = admin.get(f"{admin.home}/payouts?format=csv").text
    assert ",Fee,100000,Lake," in file
    listed = bonuses.tenant.client.data("GET", LIST, params={"status": "final"})
    assert {each["view_count"] for each in listed} == {10_000, 100_000}
