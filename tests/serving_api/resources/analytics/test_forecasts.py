"""Forecasts over HTTP, from a publication that has some. Business time is 20 May, 12:00 UTC."""

from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from tests.factories import marts
from tests.fixtures.api import NOW, Api, Client, Tenant, new_tenant, running_api
from warehouse.operational.models import Campaign, Creator
from warehouse.publication.publish import publish

PATH = "/analytics/forecast"
TODAY = date(2026, 5, 20)
MONTH_END = date(2026, 5, 31)
CREATOR, CAMPAIGN, SILENT = uuid4(), uuid4(), uuid4()


@pytest.fixture(scope="module")
def tenant(api: Api) -> Iterator[Tenant]:
    with new_tenant(api) as tenant:
        place = {"organization_id": tenant.organization_id, "project_id": tenant.project_id}
        with tenant.api.store.write_session() as session:
            session.add(Campaign(id=CAMPAIGN, **place, name="Spring"))
            session.add_all(
                Creator(id=creator_id, **place, display_name="c")
                for creator_id in (CREATOR, SILENT)
            )
        yield tenant


@pytest.fixture(scope="module")
def client(api: Api, tenant: Tenant, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Client]:
    """A client; the creator has a forecast, the campaign too little history."""
    settings = api.settings.model_copy(update={"home": Path(tmp_path_factory.mktemp("expected"))})
    days = [TODAY + timedelta(days=ahead) for ahead in range(92)]
    with marts.empty_marts() as connection:
        for entity, entity_id, hidden in (
            ("creator", CREATOR, None),
            ("campaign", CAMPAIGN, "too_little_history"),
        ):
            whose = tenant.organization_id, tenant.project_id
            made_of = *whose, entity, entity_id, TODAY
            connection.executemany(
                "insert into marts.view_forecasts values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
                [
                    [*made_of, day, n * 100, n * 80, n * 150, n * 90, hidden]
                    for n, day in enumerate(days, start=1)
                ],
            )
            connection.execute(
                "insert into marts.payout_forecasts"
                " values (?, ?, ?, ?, ?, ?, 500, 400, 900, 450, ?)",
                [*made_of, MONTH_END, hidden],
            )
        publish(settings, connection, as_of=NOW)
    with running_api(settings, api.store) as served, served.client(tenant.made.api_key) as client:
        yield client


def query_of(entity: str, entity_id: UUID, **params: str) -> dict[str, str]:
    return {"entity": entity, "entity_id": str(entity_id), **params}


def test_a_creators_views_are_forecast_to_the_months_end_with_the_baseline(client: Client) -> None:
    """Twelve days with today: 20 to 31 May."""
    answer = client.answer("GET", PATH, params=query_of("creator", CREATOR))["data"]
    assert answer == {
        "entity": "creator",
        "entity_id": str(CREATOR),
        "from_day": str(TODAY),
        "to_day": str(MONTH_END),
        "timezone": "UTC",
        "shown": True,
        "hidden_because": None,
        "views": 1200,
        "low_views": 960,
        "high_views": 1800,
        "baseline_views": 1080,
        "payouts": {
            "to_day": str(MONTH_END),
            "shown": True,
            "hidden_because": None,
            "cents": 500,
            "low_cents": 400,
            "high_cents": 900,
            "baseline_cents": 450,
        },
    }
    sheet = client.get(PATH, params=query_of("creator", CREATOR, format="csv")).text
    assert sheet.splitlines()[1:] == [
        "views,2026-05-31,1200,960,1800,1080,",
        "payout_cents,2026-05-31,500,400,900,450,",
    ]


def test_through_another_day_up_to_92_ahead(client: Client) -> None:
    last = TODAY + timedelta(days=91)
    params = query_of("creator", CREATOR, to=str(last))
    assert client.answer("GET", PATH, params=params)["data"]["views"] == 9200
    for day in (TODAY - timedelta(days=1), last + timedelta(days=1)):
        params = query_of("creator", CREATOR, to=str(day))
        client.refusal("GET", PATH, "invalid_params", params=params)


def test_a_forecast_without_enough_history_is_hidden(client: Client, tenant: Tenant) -> None:
    answer = client.answer("GET", PATH, params=query_of("campaign", CAMPAIGN))["data"]
    assert (answer["shown"], answer["hidden_because"]) == (False, "too_little_history")
    assert (answer["views"], answer["low_views"], answer["high_views"]) == (None, None, None)
    assert answer["baseline_views"] == 1080
    paid = answer["payouts"]
    assert (paid["shown"], paid["cents"], paid["low_cents"]) == (False, None, None)
    assert (paid["hidden_because"], paid["baseline_cents"]) == ("too_little_history", 450)
    for entity, entity_id in (("creator", SILENT), ("project", tenant.project_id)):
        answer = client.answer("GET", PATH, params=query_of(entity, entity_id))["data"]
        assert (answer["shown"], answer["hidden_because"]) == (False, "too_little_history")
        assert (answer["from_day"], answer["baseline_views"]) == (None, None)
        assert answer["payouts"] is None


@pytest.mark.parametrize("entity", ["project", "campaign", "creator"])
def test_entities_of_other_organizations_are_not_found(client: Client, entity: str) -> None:
    client.refusal("GET", PATH, "not_found", params=query_of(entity, uuid4()))
