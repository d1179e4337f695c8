"""Analytics parameters that are refused: every constraint of the contract, impossible ranges."""

from uuid import uuid4

import pytest

from tests.factories import marts
from tests.fixtures.analytics import ONE, Published
from tests.fixtures.api import Api, Tenant, new_tenant
from warehouse.reading.series.metrics import METRICS

FROM_30_APRIL = {"from": "2026-04-30", "to": "2026-05-05"}


class TestRefusals:
    @pytest.mark.parametrize(
        ("entity", "metrics"),
        [
            (
                "video",
                {
                    "followers",
                    "video_count",
                    "engagement_rate_by_followers",
                    "posts_per_week",
                    "avg_views_per_post",
                },
            ),
            ("campaign", {"followers"}),
            ("creator", set()),
        ],
    )
    def test_an_entity_has_the_metrics_of_the_contracts_table(
        self, published: Published, entity: str, metrics: set[str]
    ) -> None:
        entity_id = {"video": ONE, "campaign": marts.CAMPAIGN, "creator": published.creator}[entity]
        query = {"entity": entity, "entity_id": str(entity_id), **FROM_30_APRIL}
        refused = set()
        for metric in METRICS:
            base = {"base_metric": "views"} if metric == "growth_rate_pop" else {}
            response = published.client.get(
                "/analytics", params={**query, "metric": metric, **base}
            )
            if response.status_code == 400:
                refused.add(metric)
                growth = {"metric": "growth_rate_pop", "base_metric": metric}
                meta = published.refused("invalid_params", **{**query, **growth})
                assert [issue["path"] for issue in meta["issues"]] == ["base_metric"]
        assert refused == metrics

    def test_everything_wrong_is_named_at_once(self, published: Published) -> None:
        meta = published.refused(
            "invalid_params",
            entity="video",
            metric="posts_per_week",
            breakdown="creator",
            formula="by_views",
            granularity="custom",
            **{"from": "2026-05-03", "to": "2026-05-02"},
        )
        assert sorted(issue["path"] for issue in meta["issues"]) == [
            "breakdown",
            "breakdown",
            "bucket_days",
            "formula",
            "from",
            "metric",
        ]

    def test_errors_list_the_allowed_values(self, published: Published) -> None:
        meta = published.refused("invalid_params", granularity="hour")
        assert "'day', 'week', 'month'" in meta["issues"][0]["message"]

    def test_a_project_has_an_endpoint_of_its_own(self, published: Published) -> None:
        meta = published.refused("invalid_params", entity="project")
        assert "/projects/{project_id}/views-by-day" in meta["issues"][0]["message"]

    def test_missing_parameters_are_named(self, tenant: Tenant) -> None:
        meta = tenant.client.refusal("GET", "/analytics", "invalid_params")
        assert {issue["path"] for issue in meta["issues"]} == {"entity", "metric"}

    @pytest.mark.parametrize("entity", ["video", "creator", "campaign"])
    def test_an_absent_entity_is_not_found(self, published: Published, entity: str) -> None:
        published.refused("not_found", entity=entity, entity_id=str(uuid4()))

    def test_history_beyond_the_plan_is_refused(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            creator = tenant.creator()["id"]
            params = {"entity": "creator", "entity_id": creator, "metric": "views"}
            answer = tenant.client.answer(
                "GET", "/analytics", params={**params, "from": "2026-04-20"}
            )
            assert answer["data"]["tier_retention_days"] == 30
            meta = tenant.client.refusal(
                "GET", "/analytics", "retention_exceeded", params={**params, "from": "2026-04-19"}
            )
            assert meta["earliest"] == "2026-04-20"
