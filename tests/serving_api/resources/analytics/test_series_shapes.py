"""Analytics over HTTP: rates, buckets, comparisons, breakdowns, CSV, and cached answers.

The history, with numbers calculated by hand, is in fixtures.analytics.
"""

import csv
import io
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest

from tests.factories import marts
from tests.fixtures.analytics import ONE, TWO, Published, at, history
from tests.fixtures.api import NOW, Api, new_tenant, publish_history, running_api
from warehouse.operational.models import Creator, Video

MAY = {"from": "2026-05-01", "to": "2026-05-06"}
CAMPAIGN = {"entity": "campaign", "entity_id": str(marts.CAMPAIGN)}


class TestRates:
    def test_engagement_by_views(self, published: Published) -> None:
        """10 comments of 100 views on the 1st, 5 of 60 on the 3rd, 20 views fewer on the 5th."""
        engagement = {"metric": "engagement_rate_by_views", **MAY}
        assert published.values(**engagement) == pytest.approx(
            [100 * 10 / 100, None, 100 * 5 / 60, 0.0, 0.0, None]
        )
        assert published.values(**engagement, formula="by_views")[0] == 10.0

    def test_engagement_by_followers(self, published: Published) -> None:
        """Ten followers from the 2nd on, fifteen from the 6th."""
        engagement = {"metric": "engagement_rate_by_followers", "formula": "by_followers", **MAY}
        assert published.values(**engagement) == [None, 0.0, 50.0, 0.0, 0.0, 0.0]

    def test_posts_per_week_and_views_per_post(self, published: Published) -> None:
        assert published.values(metric="posts_per_week", **MAY) == [7.0, 0.0, 7.0, 0.0, 0.0, 0.0]
        weeks = published.values(metric="posts_per_week", **MAY, granularity="week")
        assert weeks == [pytest.approx(7 * 2 / 3), 0.0]  # 1 to 3 May, and 4 to 6
        per_post = published.values(metric="avg_views_per_post", **MAY)
        assert per_post == [100.0, 0.0, 30.0, 500.0, -10.0, 0.0]

    def test_growth_reads_days_before_the_range(self, published: Published) -> None:
        growth = {"metric": "growth_rate_pop", "base_metric": "views"}
        days = published.values(**growth, **{"from": "2026-05-02", "to": "2026-05-05"})
        assert days == [-100.0, None, pytest.approx(100 * 940 / 60), pytest.approx(-102.0)]

    @pytest.mark.parametrize(
        ("metric", "unit"),
        [
            ("engagement_rate_by_views", "percent"),
            ("engagement_rate_by_followers", "percent"),
            ("growth_rate_pop", "percent"),
            ("posts_per_week", "per_week"),
            ("avg_views_per_post", "count"),
            ("views", "count"),
        ],
    )
    def test_units_and_modes(self, published: Published, metric: str, unit: str) -> None:
        base = {"base_metric": "views"} if metric == "growth_rate_pop" else {}
        series = published.ask(metric=metric, mode="cumulative", **base)["data"]["series"][0]
        mode = "cumulative" if metric == "views" else "rate"
        assert (series["unit"], series["mode"]) == (unit, mode)


class TestBuckets:
    def test_running_totals_of_the_ranges_gains(self, published: Published) -> None:
        span = {"from": "2026-05-03", "to": "2026-05-05"}
        assert published.values(granularity="cumulative", **span) == [60, 1060, 1040]
        counts = published.values(granularity="cumulative", mode="cumulative", **span)
        assert counts == [160, 1160, 1140]

    def test_custom_buckets_begin_with_the_range(self, published: Published) -> None:
        points = published.points(granularity="custom", bucket_days="4", **MAY)
        assert points == [("2026-05-01", 1160), ("2026-05-05", -20)]

    def test_years(self, published: Published) -> None:
        points = published.points(granularity="year", **{"from": "2025-12-30"})
        assert points == [("2025-01-01", None), ("2026-01-01", 1640)]


class TestSeveralEntities:
    def test_each_has_a_series_in_the_requested_order(self, published: Published) -> None:
        ids = {"entity": "video", "entity_id": None, "entity_ids": f"{TWO}, {ONE},{TWO}"}
        data = published.ask(**ids, **MAY, compare="prior_period")["data"]
        entity_values = [
            (series["entity_ref"]["id"], [point["value"] for point in series["points"]])
            for series in data["series"]
        ]
        assert entity_values == [
            (str(TWO), [None, None, None, 1000, 0, 0]),
            (str(ONE), [100, 0, 60, 0, -20, 0]),
        ]
        assert [series["entity_ref"]["id"] for series in data["compare_series"]] == [
            str(TWO),
            str(ONE),
        ]
        assert [baseline["entity_id"] for baseline in data["baselines"]] == [str(ONE), str(TWO)]
        assert data["first_data_date"] == "2026-05-01"

    def test_one_that_is_absent_is_named(self, published: Published) -> None:
        absent = marts.named("absent")
        ids = {"entity": "video", "entity_id": None, "entity_ids": f"{ONE},{absent}"}
        answer = published.client.answer(
            "GET", "/analytics", params=published.asked(ids), status=404
        )
        assert str(absent) in answer["error"]


class TestCompare:
    def test_the_same_number_of_days_before(self, published: Published) -> None:
        data = published.ask(**{"from": "2026-05-04", "to": "2026-05-06"}, compare="prior_period")
        [compared] = data["data"]["compare_series"]
        assert compared["points"] == [
            {"bucket_start": "2026-05-04", "value": 100},  # the 1st
            {"bucket_start": "2026-05-05", "value": 0},
            {"bucket_start": "2026-05-06", "value": 60},
        ]

    def test_whole_months_are_compared_with_whole_months(self, published: Published) -> None:
        """March, not the 30 days before April; it has no readings: null, not 0."""
        april = {"from": "2026-04-01", "to": "2026-04-30", "granularity": "month"}
        [compared] = published.ask(**april, compare="prior_period")["data"]["compare_series"]
        assert compared["points"] == [{"bucket_start": "2026-04-01", "value": None}]


class TestBreakdown:
    def test_the_largest_and_the_others_add_up(self, published: Published) -> None:
        data = published.ask(breakdown="video", top_n="1", **MAY)["data"]
        entity_values = [
            (series["entity_ref"], [point["value"] for point in series["points"]])
            for series in data["breakdown_series"]
        ]
        label = {"type": "video", "label": "A caption"}
        assert entity_values == [
            ({"id": str(TWO), **label}, [None, None, None, 1000, 0, 0]),
            ({"type": "video", "id": "__other__", "label": "Other"}, [100, 0, 60, 0, -20, 0]),
        ]

    def test_there_is_no_remainder_if_all_are_shown(self, published: Published) -> None:
        series = published.ask(breakdown="video", **MAY)["data"]["breakdown_series"]
        assert [line["entity_ref"]["id"] for line in series] == [str(TWO), str(ONE)]

    @pytest.mark.parametrize("metric", ["views", "video_count"])
    def test_a_campaign_by_creator(self, published: Published, metric: str) -> None:
        data = published.ask(**CAMPAIGN, breakdown="creator", metric=metric, **MAY)["data"]
        [series] = data["breakdown_series"]
        assert series["entity_ref"]["type"] == "creator"
        assert series["entity_ref"]["id"] == str(published.creator)
        assert series["points"] == data["series"][0]["points"]


class TestCsv:
    def rows(self, published: Published, **params: Any) -> list[dict[str, str]]:
        response = self.response(published, **params)
        return list(csv.DictReader(io.StringIO(response.text)))

    def response(self, published: Published, **params: Any) -> httpx.Response:
        return httpx.get(
            f"{published.client.base_url}analytics",
            params=published.asked({**params, "format": "csv"}),
            headers={"Authorization": published.client.headers["Authorization"]},
            trust_env=False,
        )

    def test_a_file_to_download(self, published: Published) -> None:
        response = self.response(published, **MAY)
        assert response.headers["Content-Type"].startswith("text/csv")
        disposition = response.headers["Content-Disposition"]
        assert disposition == (
            'attachment; filename="analytics-creator-views-2026-05-01-2026-05-06.csv"'
        )
        header, first, *_ = response.text.split("\r\n")
        assert header == (
            "series_kind,bucket_start,entity_id,entity_label,metric,unit,mode,value,is_partial"
        )
        assert first == (
            f"main,2026-05-01,{published.creator},demo.creator,views,count,new,100,false"
        )

    def test_compare_and_breakdown_follow_the_main_rows(self, published: Published) -> None:
        params = {"breakdown": "video", "top_n": "1", "compare": "prior_period"}
        buckets = {"granularity": "custom", "bucket_days": "8"}
        rows = self.rows(published, **params, **buckets, **{"from": "2026-05-05"})
        kinds = [(row["series_kind"], row["bucket_start"], row["is_partial"]) for row in rows]
        assert kinds == [
            (kind, day, str(kind != "compare" and day == "2026-05-13").lower())
            for kind in ("main", "compare", "breakdown", "breakdown")
            for day in ("2026-05-05", "2026-05-13")
        ]
        assert {row["entity_id"] for row in rows[-2:]} == {"__other__"}

    def test_missing_data_is_empty(self, published: Published) -> None:
        rows = self.rows(published, **{"from": "2026-04-30", "to": "2026-05-01"})
        assert [row["value"] for row in rows] == ["", "100"]

    def test_a_label_is_no_formula(self, published: Published) -> None:
        store = published.tenant.api.store
        with store.write_session() as session:
            session.get_one(Creator, published.creator).display_name = "=1+1"
        try:
            assert {row["entity_label"] for row in self.rows(published, **MAY)} == {"'=1+1"}
        finally:
            with store.write_session() as session:
                session.get_one(Creator, published.creator).display_name = "demo.creator"

    def test_errors_are_json(self, published: Published) -> None:
        response = self.response(published, metric="reach")
        assert (response.status_code, response.json()["meta"]["code"]) == (400, "invalid_params")


class TestAnnotations:
    def test_users_and_automatic_ones_of_the_range(self, published: Published) -> None:
        made = published.client.data(
            "POST",
            "/analytics/annotations",
            json={
                "scope": "creator",
                "entity_id": str(published.creator),
                "at": "2026-05-03T12:00:00Z",
                "title": "Launch",
            },
        )
        annotations = published.ask(**MAY)["data"]["annotations"]
        assert {"user", "creator_milestone"} <= {annotation["kind"] for annotation in annotations}
        only_users = published.ask(**MAY, hide_auto="1")["data"]["annotations"]
        assert [annotation["id"] for annotation in only_users] == [made["id"]]
        later = {"from": "2026-05-04", "to": "2026-05-06"}
        assert published.ask(**later, hide_auto="1")["data"]["annotations"] == []


class TestKeptAnswers:
    def test_the_same_query_is_answered_from_the_cache(self, published: Published) -> None:
        question = {"from": "2026-05-02", "to": "2026-05-09", "compare": "prior_period"}
        first, second = (published.ask(**question) for _ in range(2))
        assert (first["meta"]["cached"], second["meta"]["cached"]) == (False, True)
        assert first["data"] == second["data"]
        other = published.ask(**question, tz="Asia/Kolkata")
        assert other["meta"]["cached"] is False

    def test_what_people_changed_since_is_shown_at_once(self, published: Published) -> None:
        question = {"entity": "video", "entity_id": str(ONE), **MAY}
        published.ask(**question)
        store = published.tenant.api.store
        with store.write_session() as session:
            session.get_one(Video, ONE).custom_title = "Renamed"
        answer = published.ask(**question)
        assert answer["meta"]["cached"] is True
        assert answer["data"]["series"][0]["entity_ref"]["label"] == "Renamed"
        with store.write_session() as session:
            session.get_one(Video, ONE).custom_title = None

    @pytest.mark.slow
    def test_a_publication_ends_the_cache(self, api: Api, tmp_path: Path) -> None:
        settings = api.settings.model_copy(update={"home": tmp_path})
        with new_tenant(api) as tenant:
            creator = UUID(tenant.creator()["id"])
            made = history(tenant.organization_id, creator)
            publish_history(settings, made)
            params = {"entity": "creator", "entity_id": str(creator), "metric": "views", **MAY}
            with (
                running_api(settings, api.store) as served,
                served.client(tenant.made.api_key) as client,
            ):

                def ask(**other: str) -> tuple[bool, int]:
                    answer = client.answer("GET", "/analytics", params={**params, **other})
                    points = answer["data"]["series"][0]["points"]
                    return answer["meta"]["cached"], points[3]["value"]

                assert [ask(), ask()] == [(False, 1000), (True, 1000)]
                assert ask(mode="cumulative") == (False, 160 + 1000)
                late = marts.Video("late", {at(4, 1): {"view": 7}}, creator=creator)
                more = marts.History(
                    videos=[*made.videos, late], as_of=NOW, organization=tenant.organization_id
                )
                publish_history(settings, more)
                assert ask(mode="cumulative") == (False, 160 + 1007)
                assert [ask(), ask()] == [(False, 1007), (True, 1007)]


class TestSchema:
    def test_it_is_complete_by_itself(self, published: Published) -> None:
        schema = published.client.get("/analytics/schema").json()
        assert schema["openapi"] == "3.1.0"
        assert all(path.startswith("/api/v2/analytics") for path in schema["paths"])
        answer = schema["paths"]["/api/v2/analytics"]["get"]["responses"]["200"]["content"]
        assert set(answer) == {"application/json", "text/csv"}
        schemas = schema["components"]["schemas"]
        assert {"Analytics", "Point", "ErrorEnvelope"} <= schemas.keys()
        assert "NewCreator" not in schemas
        named = {line.split('"')[0] for line in str(schema).split("#/components/schemas/")[1:]}
        assert {name.split("'")[0] for name in named} <= schemas.keys()
