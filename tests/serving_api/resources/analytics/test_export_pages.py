"""Pages of computed exports, with a new day and publication between any two.

The second publication has other ranks, days and rows: another creator, and other gains of each. All
pages must form the first publication's file.
"""

import csv
from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, publish_history, running_api
from warehouse.landing.folders import remove
from warehouse.operational.models import Creator
from warehouse.publication.layout import current_folder

DAY = timedelta(days=1)
NAMES = ("Ada", "Bob", "Cid", "Dot")


class Clock:
    now = NOW

    def __call__(self) -> datetime:
        return self.now


class PublishedProject:
    """A project whose four creators' posts, and their costs, are published repeatedly."""

    def __init__(self, tenant: Tenant, clock: Clock) -> None:
        self.tenant, self.clock = tenant, clock
        self.campaign = tenant.campaign()["id"]
        place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
        with tenant.api.store.write_session() as session:
            people = [Creator(**place, display_name=name) for name in NAMES]
            session.add_all(people)
        self.creators = sorted(person.id for person in people)

    def publish(self, *views: int) -> None:
        """Publish each creator's gain on each of the last two days; 0 means no post."""
        of = dict(zip(self.creators, views, strict=True))
        gained = {creator: count for creator, count in of.items() if count}
        today = self.clock.now - timedelta(hours=1)
        history = marts.History(
            videos=[
                marts.Video(
                    f"walked {creator}",
                    {today - DAY: {"view": count}, today: {"view": 2 * count}},
                    creator=creator,
                )
                for creator, count in gained.items()
            ],
            as_of=self.clock.now,
            organization=self.tenant.organization_id,
            project=self.tenant.project_id,
            campaign=UUID(self.campaign),
        )
        costs = [
            {
                "organization_id": str(self.tenant.organization_id),
                "project_id": str(self.tenant.project_id),
                "video_id": marts.named(f"walked {creator}"),
                "creator_id": str(creator),
                "day": day.date(),
                "is_planned": False,
                "amount_cents": count,
                "currency": "USD",
            }
            for creator, count in gained.items()
            for day in (today - DAY, today)
        ]
        publish_history(self.tenant.api.settings, history, payout_costs=costs)

    def page(self, dataset: str, **params: str) -> tuple[list[dict[str, str]], str | None]:
        response = self.tenant.client.get(f"/exports/{dataset}", params=params)
        assert response.status_code == 200, response.text
        rows = list(csv.DictReader(response.text.splitlines()))
        return rows, response.headers.get("X-Next-Cursor")

    def query_of(self, dataset: str) -> dict[str, str]:
        if dataset != "analytics":
            return {"campaign_id": self.campaign}
        return {
            "entity": "campaign",
            "entity_id": self.campaign,
            "metric": "views",
            "breakdown": "creator",
            "top_n": "2",
        }


@pytest.fixture(scope="module")
def project(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[PublishedProject]:
    settings = api.settings.model_copy(update={"home": tmp_path_factory.mktemp("pages")})
    clock = Clock()
    store = replace(api.store, clock=clock)
    with running_api(settings, store) as served, new_tenant(served) as tenant:
        yield PublishedProject(tenant, clock)


COMPUTED = pytest.mark.parametrize(
    ("dataset", "limit"), [("campaign-costs", 3), ("campaign-leaderboard", 1), ("analytics", 40)]
)


@COMPUTED
def test_pages_are_of_the_days_and_numbers_of_the_first(
    project: PublishedProject, dataset: str, limit: int
) -> None:
    project.clock.now = NOW
    project.publish(0, 30, 20, 10)
    query = project.query_of(dataset)
    whole, _ = project.page(dataset, **query)
    rows, cursor = project.page(dataset, **query, limit=str(limit))
    while cursor:
        project.clock.now += DAY
        project.publish(5, 10, 20, 40)
        more, cursor = project.page(dataset, **query, limit=str(limit), cursor=cursor)
        rows += more
    assert len(whole) > limit
    assert rows == whole


@COMPUTED
def test_pages_continue_past_midnight_with_a_plan_of_few_days(
    project: PublishedProject, dataset: str, limit: int
) -> None:
    """The first page's days were within the plan's history."""
    project.clock.now = NOW
    with new_tenant(project.tenant.api, plan="free") as tenant:
        small = PublishedProject(tenant, project.clock)
        small.publish(0, 30, 20, 10)
        query = {**small.query_of(dataset), "limit": str(limit)}
        _, cursor = small.page(dataset, **query)
        project.clock.now += DAY
        assert small.page(dataset, **query, cursor=cursor or "")[0]


@pytest.mark.slow
@pytest.mark.parametrize("dataset", ["campaign-costs", "campaign-leaderboard"])
def test_a_cursor_of_numbers_by_earlier_models_is_refused(
    project: PublishedProject, dataset: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those models' columns may be missing: the caller starts again, without a server error."""
    project.clock.now = NOW
    project.publish(0, 30, 20, 10)
    query = {**project.query_of(dataset), "limit": "1"}
    _, cursor = project.page(dataset, **query)
    project.publish(5, 10, 20, 40)

    def lacking(*_: object, **__: object) -> Any:
        raise duckdb.BinderException("no such column")

    monkeypatch.setattr("serving_api.kit.computed.Computed.in_days", lacking)
    query["cursor"] = cursor or ""
    project.tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_cursor", params=query)


@pytest.mark.slow
def test_a_file_of_days_does_not_continue_in_another_zone(project: PublishedProject) -> None:
    project.clock.now = NOW
    project.publish(0, 30, 20, 10)
    query = project.query_of("analytics")
    _, cursor = project.page("analytics", **query, limit="40")
    assert cursor
    path = f"/organizations/{project.tenant.organization_id}"
    params = {**query, "limit": "40", "cursor": cursor}
    for zone, status in (("Pacific/Kiritimati", 400), ("UTC", 200)):
        project.tenant.client.data("PATCH", path, json={"analytics_tz": zone})
        assert project.tenant.client.get("/exports/analytics", params=params).status_code == status


@pytest.mark.slow
@COMPUTED
def test_a_cursor_needs_its_numbers(project: PublishedProject, dataset: str, limit: int) -> None:
    project.publish(0, 30, 20, 10)
    query = {**project.query_of(dataset), "limit": str(limit)}
    _, cursor = project.page(dataset, **query)
    assert cursor is not None
    folder = current_folder(project.tenant.api.settings.publications_path)
    assert folder is not None
    project.publish(5, 10, 20, 40)
    project.page(dataset, **query, cursor=cursor)
    remove(folder)
    query["cursor"] = cursor
    project.tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_cursor", params=query)


@pytest.mark.slow
def test_a_cursor_is_good_for_its_question(project: PublishedProject) -> None:
    project.publish(5, 10, 20, 40)
    other = project.tenant.campaign()["id"]
    for dataset, another in (
        ("campaign-costs", {"campaign_id": other}),
        ("campaign-leaderboard", {"project_id": str(project.tenant.project_id)}),
        ("analytics", {"metric": "likes"}),
    ):
        query = {**project.query_of(dataset), "limit": "1"}
        _, cursor = project.page(dataset, **query)
        query |= {"cursor": cursor or "", **another}
        project.tenant.client.refusal("GET", f"/exports/{dataset}", "invalid_cursor", params=query)
