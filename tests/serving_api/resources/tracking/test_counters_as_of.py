"""Responses say when counters were read, and if a posting time is uncertain."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from uuid import UUID

import pytest

from tests.factories.shared import SharedCreator, shared_creator
from tests.factories.tracking import change
from tests.fixtures.api import NOW, Api, Tenant
from warehouse.operational.models import Video

READ = "2026-05-20T09:00:00Z"
SHOWN_VIEWS = "2026-05-19T10:00:00Z"


@pytest.fixture(scope="module")
def shared(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedCreator]:
    with shared_creator(api, tmp_path_factory.mktemp("shared")) as creator:
        yield creator


def test_a_post_has_reading_times_in_lists_and_details(shared: SharedCreator) -> None:
    """The second post's last fetch had its shares, but not its views."""
    listed = shared.client.data("GET", "/videos", params={"creator_id": shared.id})
    [second] = [post for post in listed if post["view_count"] == 249_000]
    instants = {
        "view_count": SHOWN_VIEWS,
        "like_count": None,
        "comment_count": None,
        "share_count": READ,
    }
    assert second["counters_as_of"] == instants
    detail = shared.client.data("GET", f"/videos/{second['id']}")
    assert detail["counters_as_of"] == {**instants, "save_count": None}


def test_posts_are_sorted_by_a_counter(shared: SharedCreator) -> None:
    """Pages of one: the cursor stays on the publication and belongs to its order."""
    query = {"creator_id": shared.id, "limit": 1}
    found, cursor = [], {}
    for _ in range(2):
        params = {**query, "sort": "view_count", **cursor}
        page = shared.client.answer("GET", "/videos", params=params)
        found += [post["view_count"] for post in page["data"]]
        if page["meta"]["hasMore"]:
            cursor = {"cursor": page["meta"]["nextCursor"]}
    assert found == [249_000, 20_000]
    assert page["meta"] == {"hasMore": False, "nextCursor": None}
    params = {**query, "sort": "like_count", **cursor}
    shared.client.refusal("GET", "/videos", "invalid_cursor", params=params)
    for filters in ({"tags": "None"}, {"updated_since": "2100-01-01T00:00:00Z"}):
        params = {**query, "sort": "view_count", **filters}
        assert shared.client.data("GET", "/videos", params=params) == []


def test_a_post_that_leaves_the_list_between_two_pages_hides_no_other(
    shared: SharedCreator,
) -> None:
    """Each page reads the filter's matches, so their number before the cursor may change."""
    query = {
        "creator_id": shared.id,
        "limit": 1,
        "sort": "view_count",
        "updated_since": "2000-01-01T00:00:00Z",
    }
    page = shared.client.answer("GET", "/videos", params=query)
    [most] = page["data"]
    try:
        shared.client.data("DELETE", f"/videos/{most['id']}")
        after = {**query, "cursor": page["meta"]["nextCursor"]}
        [other] = shared.client.data("GET", "/videos", params=after)
    finally:
        body = {"tracking_status": most["tracking_status"]}
        shared.client.data("PATCH", f"/videos/{most['id']}", json=body)
    assert (most["view_count"], other["view_count"]) == (249_000, 20_000)


def test_an_account_has_reading_times_as_well(shared: SharedCreator) -> None:
    [account] = shared.client.data("GET", f"/creators/{shared.id}/accounts")
    assert account["counters_as_of"]["video_count"] is None
    detail = shared.client.data("GET", f"/accounts/{account['id']}")
    assert detail["counters_as_of"] == account["counters_as_of"]


def test_a_post_shows_the_deadline_of_its_exact_posting_time(tenant: Tenant) -> None:
    video = tenant.video()["id"]
    assert tenant.client.data("GET", f"/videos/{video}")["posted_at_awaited_until"] is None
    guess = {"posted_at": NOW, "posted_at_is_estimate": True, "created_at": NOW}
    change(tenant.api.store, Video, UUID(video), **guess)
    deadline = tenant.client.data("GET", f"/videos/{video}")["posted_at_awaited_until"]
    assert datetime.fromisoformat(deadline) == NOW + timedelta(hours=48)


def test_an_account_has_its_view_coverage(shared: SharedCreator) -> None:
    [account] = shared.client.data("GET", f"/creators/{shared.id}/accounts")
    assert shared.client.data("GET", f"/accounts/{account['id']}")["view_coverage"] == {
        "from_day": "2026-05-13",
        "to_day": "2026-05-19",
        "readings_due": 9,
        "readings_came": 8,
        "share": 0.8889,
    }


def test_the_coverage_is_null_without_due_readings(tenant: Tenant) -> None:
    campaign = tenant.campaign()["id"]
    assert tenant.client.data("GET", f"/campaigns/{campaign}")["view_coverage"] is None
    renamed = tenant.client.data("PATCH", f"/campaigns/{campaign}", json={"name": "Autumn"})
    assert renamed["view_coverage"] is None


def test_before_anything_is_read_all_are_null(tenant: Tenant) -> None:
    video = tenant.client.data("GET", f"/videos/{tenant.video()['id']}")
    assert set(video["counters_as_of"].values()) == {None}
    account = tenant.creator()["accounts"][0]
    assert set(account["counters_as_of"].values()) == {None}
