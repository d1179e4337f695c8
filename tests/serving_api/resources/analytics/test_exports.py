"""Exports over HTTP: columns, cells, pages, and filters."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import httpx
import pytest
from sqlalchemy import insert

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant
from warehouse.ids import uuid7
from warehouse.operational.models import Campaign, Creator, Video

CAMPAIGN = marts.named("exported campaign")
CREATOR_COLUMNS = (
    "id,project_id,org_id,display_name,handle,avatar_url,readme,metadata,is_active,"
    "follower_count,following_count,total_likes_count,video_count,tracked_post_count,"
    "pending_review_count,accounts.id,accounts.platform,accounts.handle,tags,share_link.url,"
    "share_link.enabled,share_link.sections,share_link.created_at,created_at,updated_at"
)
VIDEO_COLUMNS = (
    "id,project_id,creator_id,account_id,platform,platform_video_id,url,title,caption,"
    "description,readme,metadata,thumbnail_url,view_count,like_count,comment_count,"
    "share_count,tracking_status,posted_at,last_scraped_at,tags,created_at,updated_at,"
    "counters_as_of.view_count,counters_as_of.like_count,counters_as_of.comment_count,"
    "counters_as_of.share_count"
)
CAMPAIGN_COLUMNS = (
    "id,project_id,name,readme,metadata,target_views,target_at,tags,created_at,updated_at"
)
PLACE_COLUMNS = (
    "rank,entity.id,entity.label,value,previous_value,change_pct,share_pct,before_tracking"
)


def file_of(client: Client, dataset: str, **params: str) -> httpx.Response:
    response = client.get(f"/exports/{dataset}", params=params)
    assert response.status_code == 200, response.text
    return response


def rows_of(response: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))


def exported(client: Client, dataset: str, **params: str) -> list[dict[str, str]]:
    return rows_of(file_of(client, dataset, **params))


def add_videos(tenant: Tenant, number: int, **columns: Any) -> list[UUID]:
    """Videos without a creator, one added each second before business time; the newest first."""
    shared = {
        "organization_id": tenant.organization_id,
        "project_id": tenant.project_id,
        "platform": "tiktok",
        "tracking_status": "direct_add",
        "url": "https://www.tiktok.com/@x/video/1",
        "metadata": {},
        **columns,
    }
    rows = []
    for age in range(number):
        added = NOW - timedelta(seconds=age)
        own = {"id": uuid7(), "platform_video_id": str(age)}
        rows.append({**shared, "created_at": added, "updated_at": added, **own})
    with tenant.api.store.engine.begin() as connection:
        connection.execute(insert(Video.__table__), rows)  # type: ignore[arg-type]
    return [row["id"] for row in rows]


class TestFile:
    @pytest.mark.parametrize(
        ("dataset", "columns"),
        [
            ("creators", CREATOR_COLUMNS),
            ("videos", VIDEO_COLUMNS),
            ("campaigns", CAMPAIGN_COLUMNS),
            ("campaign-leaderboard", PLACE_COLUMNS),
        ],
    )
    def test_columns_are_flat(self, tenant: Tenant, dataset: str, columns: str) -> None:
        response = file_of(tenant.client, dataset, project_id=str(tenant.project_id))
        assert response.content.decode() == f"{columns}\r\n"
        assert response.headers["Content-Type"] == "text/csv; charset=utf-8"
        filename = f'attachment; filename="{dataset}.csv"'
        assert response.headers["Content-Disposition"] == filename
        assert "X-Next-Cursor" not in response.headers

    def test_nested_fields_have_their_own_cells(self, tenant: Tenant) -> None:
        accounts = [
            {"platform": "tiktok", "handle": "demo"},
            {"platform": "instagram", "handle": "demo.too"},
        ]
        body = {"accounts": accounts, "metadata": {"tier": [1, "ü"]}, "display_name": "Demo, Inc."}
        path = f"/projects/{tenant.project_id}/creators"
        creator = tenant.client.data("POST", path, json=body)
        link = tenant.client.data("POST", f"/creators/{creator['id']}/share-link")
        tags = {"tags": ["Beta", "alpha"]}
        tenant.client.data("POST", f"/creators/{creator['id']}/tags", json=tags)
        [row] = exported(tenant.client, "creators")
        assert row["display_name"] == "Demo, Inc."
        assert row["metadata"] == '{"tier":[1,"ü"]}'
        assert row["accounts.platform"] == "tiktok,instagram"
        assert row["accounts.handle"] == "demo,demo.too"
        assert row["accounts.id"] == ",".join(account["id"] for account in creator["accounts"])
        assert row["tags"] == "alpha,Beta"
        assert (row["share_link.enabled"], row["share_link.sections"]) == ("true", "analytics")
        assert row["share_link.url"] == link["url"]
        assert (row["is_active"], row["follower_count"]) == ("true", "")
        assert row["created_at"] == "2026-05-20T12:00:00Z"

    def test_texts_that_a_spreadsheet_would_run_are_prefixed(self, tenant: Tenant) -> None:
        names = ["=1+1", "+1+1", "-1+1", "@sum(1)", "-17", "+1.5", "a=1", 'two\nlines, "quoted"']
        for name in names:
            tenant.campaign(name)
        cells = [row["name"] for row in exported(tenant.client, "campaigns")]
        assert cells[::-1] == ["'=1+1", "'+1+1", "'-1+1", "'@sum(1)", *names[4:]]

    def test_a_list_field_of_the_api_has_the_same_value_in_the_file(self, tenant: Tenant) -> None:
        video = tenant.video()
        [row] = exported(tenant.client, "videos")
        same = ("id", "project_id", "url", "platform_video_id", "tracking_status", "created_at")
        assert [row[name] for name in same] == [video[name] for name in same]


class TestRows:
    def test_excluded_and_removed_things_are_not_exported(self, tenant: Tenant) -> None:
        creator, video = tenant.creator()["id"], tenant.video()["id"]
        tenant.client.data("DELETE", f"/creators/{creator}")
        tenant.client.data("DELETE", f"/videos/{video}")
        assert exported(tenant.client, "creators") == []
        assert exported(tenant.client, "videos") == []

    def test_a_project_or_a_campaign_can_be_requested(self, tenant: Tenant) -> None:
        inside, outside = tenant.creator("inside")["id"], tenant.creator("outside")["id"]
        parent, child = tenant.campaign("Parent")["id"], tenant.campaign("Child")["id"]
        tenant.campaign("Other")
        video = tenant.video()["id"]
        tenant.video(2)
        for holder, kind, member in (
            (parent, "campaign", child),
            (child, "creator", inside),
            (child, "video", video),
        ):
            item = {"item_type": kind, "item_id": member}
            tenant.client.data("POST", f"/campaigns/{holder}/items", json=item)

        def ids(dataset: str, **params: str) -> set[str]:
            return {row["id"] for row in exported(tenant.client, dataset, **params)}

        assert ids("creators", project_id=str(tenant.project_id)) == {inside, outside}
        assert ids("creators", campaign_id=parent) == {inside}
        assert ids("videos", campaign_id=parent) == {video}
        assert ids("campaigns", campaign_id=parent) == {parent, child}

    def test_a_creator_is_in_a_campaign_with_one_of_its_videos(self, tenant: Tenant) -> None:
        creator, campaign = tenant.creator()["id"], tenant.campaign()["id"]
        [video] = add_videos(tenant, 1, creator_id=creator)
        item = {"item_type": "video", "item_id": str(video)}
        tenant.client.data("POST", f"/campaigns/{campaign}/items", json=item)
        rows = exported(tenant.client, "creators", campaign_id=campaign)
        assert [row["id"] for row in rows] == [creator]

    def test_days_are_the_dates_of_adding_rows(self, api: Api) -> None:
        with new_tenant(api, tz="Europe/Berlin") as tenant:
            place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
            added = {
                "before": datetime(2026, 5, 9, 21, 59, 59, tzinfo=UTC),
                "first": datetime(2026, 5, 9, 22, tzinfo=UTC),
                "last": datetime(2026, 5, 11, 21, 59, 59, tzinfo=UTC),
                "after": datetime(2026, 5, 11, 22, tzinfo=UTC),
            }
            with api.store.write_session() as session:
                for name, at in added.items():
                    session.add(Campaign(**place, name=name, created_at=at))

            def names(**params: str) -> list[str]:
                return [row["name"] for row in exported(tenant.client, "campaigns", **params)]

            days = {"from": "2026-05-10", "to": "2026-05-11"}
            assert names(**days) == ["last", "first"]
            assert names(**{"from": "2026-05-10"}) == ["after", "last", "first"]
            assert names(to="2026-05-11") == ["last", "first", "before"]
            assert len(names()) == 4

    def test_another_organization_gets_nothing_of_it(self, tenant: Tenant, other: Tenant) -> None:
        tenant.creator()
        campaign = tenant.campaign()["id"]
        for dataset in ("creators", "videos", "campaigns", "campaign-leaderboard"):
            for params in ({"project_id": str(tenant.project_id)}, {"campaign_id": campaign}):
                other.client.refusal("GET", f"/exports/{dataset}", "not_found", params=params)
        assert exported(other.client, "creators") == []


class TestPages:
    @pytest.mark.parametrize(
        ("params", "field"),
        [
            ({"limit": "0"}, "limit"),
            ({"limit": "100001"}, "limit"),
            ({"project_id": "x"}, "project_id"),
            ({"campaign_id": "x"}, "campaign_id"),
            ({"from": "2026-05-02", "to": "2026-05-01"}, "from"),
            ({"to": "1999-01-01"}, "to"),
            ({"platform": "tiktok"}, "platform"),
        ],
    )
    @pytest.mark.parametrize("dataset", ["creators", "campaign-leaderboard"])
    def test_a_bad_parameter_is_named(
        self, tenant: Tenant, dataset: str, params: dict[str, str], field: str
    ) -> None:
        query = {"project_id": str(tenant.project_id), **params}
        meta = tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_query", params=query)
        assert [issue["path"] for issue in meta["issues"]] == [field]

    @pytest.mark.parametrize("dataset", ["accruals", "payments", "payouts-tracker", "anomalies"])
    def test_days_are_in_order(self, tenant: Tenant, dataset: str) -> None:
        days = {"from": "2026-05-02", "to": "2026-05-01"}
        meta = tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_query", params=days)
        message = "must not be after the end date (2026-05-01)"
        assert meta["issues"] == [{"path": "from", "message": message}]

    @pytest.mark.parametrize("dataset", ["accounts", "Creators", "creators.csv", "%2e%2e", "1"])
    def test_an_unknown_dataset_error_lists_them_all(self, tenant: Tenant, dataset: str) -> None:
        meta = tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_params")
        [issue] = meta["issues"]
        assert issue["path"] == "dataset"
        listed = issue["message"].removeprefix("must be one of ").split(", ")
        assert {"campaign-leaderboard", "analytics"} <= {*listed}


@dataclass(frozen=True)
class Ranked:
    """Two creators, one of them in the campaign, and a publication of their posts."""

    tenant: Tenant
    client: Client


@pytest.fixture(scope="module")
def ranked(apart: Api) -> Iterator[Ranked]:
    at = NOW - timedelta(days=1)
    with new_tenant(apart) as tenant:
        place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
        with apart.store.write_session() as session:
            session.add(Campaign(id=CAMPAIGN, **place, name="Spring"))
            people = [Creator(**place, display_name=name) for name in ("Ada", "Bob")]
            session.add_all(people)
        tenant.publish(
            [
                marts.Video("exported one", {at: {"view": 30}}, creator=people[0].id),
                marts.Video(
                    "exported two", {at: {"view": 90}}, creator=people[1].id, in_campaign=False
                ),
            ],
            campaign=CAMPAIGN,
        )
        yield Ranked(tenant, tenant.client)


class TestCampaignLeaderboard:
    def test_the_campaigns_of_a_project_are_ranked_by_views_gained(self, ranked: Ranked) -> None:
        project = str(ranked.tenant.project_id)
        assert exported(ranked.client, "campaign-leaderboard", project_id=project) == [
            {
                "rank": "1",
                "entity.id": str(CAMPAIGN),
                "entity.label": "Spring",
                "value": "30",
                "previous_value": "",
                "change_pct": "",
                "share_pct": "100.0",
                "before_tracking": "30",
            }
        ]

    def test_the_creators_of_a_campaign_are_ranked_by_views_gained(self, ranked: Ranked) -> None:
        query = {"campaign_id": str(CAMPAIGN), "limit": "1"}
        response = file_of(ranked.client, "campaign-leaderboard", **query)
        [row] = rows_of(response)
        assert (row["entity.label"], row["value"]) == ("Ada", "30")
        assert "X-Next-Cursor" not in response.headers

    def test_it_needs_a_project_or_a_campaign(self, ranked: Ranked) -> None:
        meta = ranked.client.refusal("GET", "/exports/campaign-leaderboard", "invalid_query")
        assert meta["issues"][0]["path"] == "project_id"

    def test_it_reaches_as_far_back_as_the_plan(self, api: Api) -> None:
        with new_tenant(api, plan="free") as tenant:
            query = {"project_id": str(tenant.project_id), "from": "2026-04-19"}
            path = "/exports/campaign-leaderboard"
            tenant.client.refusal("GET", path, "retention_exceeded", params=query)
            query = {"campaign_id": str(uuid4())}
            tenant.client.refusal("GET", path, "not_found", params=query)


class TestAnalytics:
    def ask(self, tenant: Tenant, **params: str) -> dict[str, str]:
        span = {"from": "2026-05-01", "to": "2026-05-10", "metric": "views"}
        return {"entity": "creator", "entity_id": tenant.creator()["id"], **span, **params}

    def test_pages_are_the_rows_of_the_analytics_answer(self, tenant: Tenant) -> None:
        query = self.ask(tenant, compare="prior_period")
        whole = tenant.client.get("/analytics", params={**query, "format": "csv"}).content
        file = file_of(tenant.client, "analytics", **query)
        assert file.content == whole
        assert len(rows_of(file)) == 20
        first = file_of(tenant.client, "analytics", **query, limit="15")
        following = {"limit": "15", "cursor": first.headers["X-Next-Cursor"]}
        second = file_of(tenant.client, "analytics", **query, **following)
        assert rows_of(first) + rows_of(second) == rows_of(file)
        assert "X-Next-Cursor" not in second.headers

    def test_what_analytics_refuse_is_refused_alike(self, tenant: Tenant) -> None:
        query = self.ask(tenant)
        path = "/exports/analytics"
        for wrong in ({"metric": "nonsense"}, {"limit": "100001"}, {"entity_id": "x"}):
            tenant.client.refusal("GET", path, "invalid_params", params={**query, **wrong})
        tenant.client.refusal("GET", path, "invalid_cursor", params={**query, "cursor": "x"})
