"""The history of an account's counters over HTTP (its readings are in fixtures.analytics)."""

from typing import Any

import pytest

from tests.fixtures.analytics import ACCOUNT, Published
from tests.fixtures.api import Api, Tenant, new_tenant

PATH = f"/accounts/{ACCOUNT}/stats"
SECOND, SIXTH = "2026-05-02T00:00:00Z", "2026-05-06T00:00:00Z"


def instants(published: Published, **query: Any) -> list[str]:
    return [row["captured_at"] for row in published.client.data("GET", PATH, params=query)]


@pytest.mark.slow
def test_readings_come_oldest_first_with_their_counts(published: Published) -> None:
    unknown = {"following_count": None, "total_likes_count": None, "video_count": None}
    assert published.client.data("GET", PATH) == [
        {"captured_at": SECOND, "follower_count": 10, **unknown},
        {"captured_at": SIXTH, "follower_count": 15, **unknown},
    ]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ({"from": "2026-05-02", "to": "2026-05-02"}, [SECOND]),
        ({"from": "2026-05-03"}, [SIXTH]),
        ({"to": "2026-05-05"}, [SECOND]),
        ({"from": "2026-05-03", "to": "2026-05-05"}, []),
        ({"from": "2026-05-06", "to": "2026-05-06"}, [SIXTH]),
    ],
)
def test_both_days_of_the_range_are_in_it(
    published: Published, query: dict[str, str], expected: list[str]
) -> None:
    assert instants(published, **query) == expected


def test_nothing_is_known_before_the_first_publication(tenant: Tenant) -> None:
    account = tenant.creator()["accounts"][0]["id"]
    tenant.client.data("DELETE", f"/accounts/{account}")  # removed accounts have a history too
    assert tenant.client.data("GET", f"/accounts/{account}/stats") == []


def test_a_plan_limits_the_history(api: Api) -> None:
    with new_tenant(api, plan="free") as tenant:
        path = f"/accounts/{tenant.creator()['accounts'][0]['id']}/stats"
        tenant.client.data("GET", path, params={"from": "2026-04-20"})
        meta = tenant.client.refusal(
            "GET", path, "retention_exceeded", params={"from": "2026-04-19"}
        )
        assert meta["earliest"] == "2026-04-20"
