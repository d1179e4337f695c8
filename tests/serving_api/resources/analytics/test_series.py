"""Analytics over HTTP: series, and access to them (the history is in fixtures.analytics).

Days are UTC unless stated otherwise.
"""

from uuid import UUID

import pytest

from tests.factories import marts
from tests.fixtures.analytics import ACCOUNT, ONE, TWO, Published
from tests.fixtures.api import Tenant

FROM_30_APRIL = {"from": "2026-04-30", "to": "2026-05-05"}


class TestSeries:
    @pytest.mark.slow
    def test_new_is_the_change_on_each_day(self, published: Published) -> None:
        assert published.points(**FROM_30_APRIL) == [
            ("2026-04-30", None),  # before the first snapshot
            ("2026-05-01", 100),  # which counts from zero
            ("2026-05-02", 0),
            ("2026-05-03", 60),
            ("2026-05-04", 1000),
            ("2026-05-05", -20),
        ]

    def test_cumulative_is_the_running_sum(self, published: Published) -> None:
        values = published.values(**FROM_30_APRIL, mode="cumulative")
        assert values == [None, 100, 100, 160, 1160, 1140]

    @pytest.mark.parametrize("granularity", ["day", "week", "month"])
    @pytest.mark.parametrize("tz", ["UTC", "Asia/Kolkata", "America/St_Johns", "Asia/Kathmandu"])
    def test_gains_sum_to_the_change_of_the_total(
        self, published: Published, granularity: str, tz: str
    ) -> None:
        span = {"from": "2026-05-02", "to": "2026-05-12", "granularity": granularity, "tz": tz}
        new = published.values(**span, mode="new")
        total = published.values(**span, mode="cumulative")
        before = published.values(**{"from": "2026-05-01", "to": "2026-05-01", "tz": tz})
        assert sum(filter(None, new)) == (total[-1] or 0) - (before[-1] or 0)

    def test_weeks_hold_only_days_of_the_range(self, published: Published) -> None:
        points = published.points(**FROM_30_APRIL, granularity="week")
        assert points == [("2026-04-27", 160), ("2026-05-04", 980)]

    def test_months_start_on_the_first(self, published: Published) -> None:
        points = published.points(**FROM_30_APRIL, granularity="month")
        assert points == [("2026-04-01", None), ("2026-05-01", 1140)]

    def test_days_are_in_the_requested_zone(self, published: Published) -> None:
        """23:30 UTC on the 3rd is 05:00 on the 4th in India."""
        values = published.values(**FROM_30_APRIL, tz="Asia/Kolkata")
        assert values == [None, 100, 0, 50, 1010, -20]

    def test_a_new_zone_moves_the_days_at_once(self, published: Published) -> None:
        """The publication's daily marts are still in the old one."""
        organization = f"/organizations/{published.tenant.organization_id}"
        published.client.data("PATCH", organization, json={"analytics_tz": "Asia/Kolkata"})
        try:
            assert published.values(**FROM_30_APRIL) == [None, 100, 0, 50, 1010, -20]
            assert published.values(**FROM_30_APRIL, tz="UTC") == [None, 100, 0, 60, 1000, -20]
        finally:
            published.client.data("PATCH", organization, json={"analytics_tz": "UTC"})

    def test_followers_are_each_accounts_last_count(self, published: Published) -> None:
        span = {"from": "2026-05-01", "to": "2026-05-06", "metric": "followers"}
        assert published.values(**span, mode="cumulative")[1:] == [10, 10, 10, 10, 15]
        assert published.values(**span, mode="new")[1:] == [10, 0, 0, 0, 5]

    def test_posts_count_from_when_they_were_posted(self, published: Published) -> None:
        span = {"from": "2026-05-01", "to": "2026-05-04", "metric": "video_count"}
        assert published.values(**span, mode="cumulative") == [1, 1, 2, 2]

    def test_a_counter_that_was_never_shown_is_missing(self, published: Published) -> None:
        assert set(published.values(**FROM_30_APRIL, metric="likes")) == {None}

    @pytest.mark.parametrize(
        ("entity", "entity_id", "label", "values"),
        [
            ("video", ONE, "A caption", [None, 100, 0, 60, 0, -20]),
            ("campaign", marts.CAMPAIGN, "Spring", [None, 100, 0, 60, 1000, -20]),
        ],
    )
    def test_videos_and_campaigns_have_series_too(
        self,
        published: Published,
        entity: str,
        entity_id: UUID,
        label: str,
        values: list[int | None],
    ) -> None:
        query = {"entity": entity, "entity_id": str(entity_id), **FROM_30_APRIL}
        series = published.ask(**query)["data"]["series"][0]
        assert series["entity_ref"] == {"type": entity, "id": str(entity_id), "label": label}
        assert [point["value"] for point in series["points"]] == values


class TestAnswer:
    def test_the_default_is_the_last_30_days(self, published: Published) -> None:
        answer = published.ask()
        data = answer["data"]
        points = data["series"][0]["points"]
        assert (points[0]["bucket_start"], points[-1]["bucket_start"]) == (
            "2026-04-20",
            "2026-05-20",
        )
        assert data["partial_bucket"] == {
            "bucket_start": "2026-05-20",
            "bucket_end": "2026-05-20",
            "as_of": "2026-05-20T12:00:00Z",
        }
        assert answer["meta"]["cache_ttl_seconds"] == 60
        assert data["first_data_date"] == "2026-05-01"
        assert data["tier_retention_days"] is None
        assert (data["compare_series"], data["breakdown_series"]) == ([], [])
        described = {name: data["series"][0][name] for name in ("metric", "unit", "mode")}
        assert described == {"metric": "views", "unit": "count", "mode": "new"}
        assert data["series"][0]["timezone"] == "UTC"

    @pytest.mark.parametrize(
        ("granularity", "start", "end"),
        [
            ("week", "2026-05-18", "2026-05-24"),
            ("month", "2026-05-01", "2026-05-31"),
            ("year", "2026-01-01", "2026-12-31"),
            ("cumulative", "2026-05-20", "2026-05-20"),
            ("custom", "2026-05-18", "2026-05-24"),  # the fifth from 20 April on
        ],
    )
    def test_a_partial_bucket_names_its_whole_extent(
        self, published: Published, granularity: str, start: str, end: str
    ) -> None:
        days = {"bucket_days": "7"} if granularity == "custom" else {}
        partial = published.ask(granularity=granularity, **days)["data"]["partial_bucket"]
        assert (partial["bucket_start"], partial["bucket_end"]) == (start, end)

    def test_a_range_that_is_over_has_no_partial_bucket(self, published: Published) -> None:
        answer = published.ask(**FROM_30_APRIL)
        assert answer["data"]["partial_bucket"] is None
        assert answer["meta"]["cache_ttl_seconds"] == 300

    def test_to_is_clamped_to_today_of_the_zone(self, published: Published) -> None:
        points = published.points(to="2027-01-01", tz="Pacific/Kiritimati")
        assert points[-1][0] == "2026-05-21"

    def test_first_readings_in_the_range_are_baselines(self, published: Published) -> None:
        span = {"from": "2026-05-02", "to": "2026-05-05"}
        baseline = {
            "entity_id": str(TWO),
            "snapshot_at": "2026-05-04T00:10:00Z",
            "reason": "tracking_started",
        }
        assert published.ask(**span)["data"]["baselines"] == [baseline]
        assert published.ask(**span, metric="video_count")["data"]["baselines"] == []
        followers = published.ask(**span, metric="followers")["data"]["baselines"]
        assert [follower["entity_id"] for follower in followers] == [str(ACCOUNT)]


class TestBeforeTheFirstPublication:
    @pytest.mark.parametrize(
        ("granularity", "starts"),
        [
            ("day", ["2026-05-01", "2026-05-02", "2026-05-03", "2026-05-04"]),
            ("week", ["2026-04-27", "2026-05-04"]),
            ("month", ["2026-05-01"]),
        ],
    )
    def test_all_are_missing(self, tenant: Tenant, granularity: str, starts: list[str]) -> None:
        params = {
            "entity": "creator",
            "entity_id": tenant.creator()["id"],
            "metric": "views",
            "granularity": granularity,
            "from": "2026-05-01",
            "to": "2026-05-04",
        }
        data = tenant.client.data("GET", "/analytics", params=params)
        points = data["series"][0]["points"]
        assert points == [{"bucket_start": start, "value": None} for start in starts]
        assert (data["first_data_date"], data["baselines"]) == (None, [])


class TestCountersOfLists:
    """Lists show the publication's latest counts, with one query per page."""

    def test_accounts_and_creators(self, published: Published) -> None:
        creator = published.client.data("GET", f"/creators/{published.creator}")
        follower_counts = {
            account["handle"]: account["follower_count"] for account in creator["accounts"]
        }
        assert follower_counts == {"demo.creator": None, "published": 15}
        assert creator["follower_count"] == 15
        assert creator["following_count"] is None
        assert creator["tracked_post_count"] == 2
        account = published.client.data("GET", f"/accounts/{ACCOUNT}")
        assert account["follower_count"] == 15

    def test_videos(self, published: Published) -> None:
        listed = published.client.data("GET", "/videos")
        assert {video["id"]: video["view_count"] for video in listed} == {
            str(ONE): 140,
            str(TWO): 1500,
        }
        video = published.client.data("GET", f"/videos/{ONE}")
        assert (video["view_count"], video["like_count"], video["save_count"]) == (140, None, None)
