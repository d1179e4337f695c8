"""Views of a project by day, over HTTP. Business time is 20 May, 12:00 UTC.

post    creator  views
one     Ada      1,000 on the 13th, 1,600 on the 16th, 1,500 on the 19th
two     -        40 on the 18th
three   Ada      9 on the 17th, and does not count
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest

from tests.factories import marts
from tests.factories.instants import at
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, running_api
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from warehouse.operational.models import Organization
from warehouse.publication.publish import publish

NOBODY = uuid4()


@pytest.fixture(scope="module")
def tenant(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    settings = api.settings.model_copy(update={"home": Path(tmp_path_factory.mktemp("days"))})
    with running_api(settings, api.store) as served, new_tenant(served) as tenant:
        ada = UUID(tenant.creator("ada")["id"])
        views = {at(13): {"view": 1000}, at(16): {"view": 1600}, at(19): {"view": 1500}}
        history = marts.History(
            videos=[
                marts.Video("days one", views, creator=ada),
                marts.Video("days two", {at(18): {"view": 40}}, creator=NOBODY),
                marts.Video("days three", {at(17): {"view": 9}}, creator=ada, is_counted=False),
            ],
            as_of=NOW,
            organization=tenant.organization_id,
            project=tenant.project_id,
        )
        with marts.empty_marts() as connection:
            marts.fill_marts(connection, history)
            nobodys = {"nobody": NOBODY}
            connection.execute(
                "delete from marts.creator_daily where creator_id = $nobody", nobodys
            )
            connection.execute(
                "update marts.videos set creator_id = null where creator_id = $nobody", nobodys
            )
            publish(settings, connection, as_of=NOW)
        yield tenant


def ask(tenant: Tenant, **params: str) -> Any:
    path = f"/projects/{tenant.project_id}/views-by-day"
    return tenant.client.data("GET", path, params=params)


def test_each_day_has_the_matching_day_of_the_previous_period(tenant: Tenant) -> None:
    answer = ask(tenant, **{"from": "2026-05-14", "to": "2026-05-20"})
    days = answer["days"]
    assert [day["day"] for day in days] == [f"2026-05-{day}" for day in range(14, 21)]
    assert [day["previous_day"] for day in days] == [f"2026-05-{day:02}" for day in range(7, 14)]
    assert [day["views"] for day in days] == [0, 0, 600, 0, 40, -100, 0]
    assert [day["previous_views"] for day in days] == [*[None] * 6, 1000]
    assert (answer["views"], answer["previous_views"]) == (540, 1000)
    # Posting times are unknown, so each first reading predates tracking.
    assert [day["views_before_tracking"] for day in days] == [0, 0, 0, 0, 40, 0, 0]
    assert [day["previous_views_before_tracking"] for day in days] == [*[None] * 6, 1000]
    assert answer["views_before_tracking"] == 40
    assert (answer["timezone"], answer["as_of"]) == ("UTC", "2026-05-20T12:00:00Z")


def test_unknown_days_are_null_and_today_is_the_last(tenant: Tenant) -> None:
    answer = ask(tenant, **{"from": "2026-05-12", "to": "2027-01-01"})
    assert [day["views"] for day in answer["days"]] == [None, 1000, 0, 0, 600, 0, 40, -100, 0]
    assert answer["previous_views"] is None
    assert len(ask(tenant)["days"]) == 31


def test_the_desk_draws_gains_since_tracking(tenant: Tenant) -> None:
    sitter = Sitter(tenant, role="member")
    response = sitter.get(sitter.home)
    page = read(response)
    assert "Views gained 500" in page
    assert "1,040 more views are from before tracking" in page
    assert "Best day: 16 May 2026, 600" in page
    chart = charts_of(response.text)["Views by day"]
    assert values_of(chart, "Views")["2026-05-13"] == 0
    assert values_of(chart, "From before tracking")["2026-05-13"] == 1_000


def test_a_plan_with_less_history_has_no_previous_period(tenant: Tenant) -> None:
    with tenant.api.store.write_session() as session:
        session.get_one(Organization, tenant.organization_id).plan = "free"
    answer = ask(tenant, **{"from": "2026-05-05", "to": "2026-05-20"})
    assert answer["views"] == 1540
    assert {day["previous_views"] for day in answer["days"]} == {None}


def test_before_the_first_publication_nothing_is_known(api: Api) -> None:
    with new_tenant(api) as tenant:
        answer = ask(tenant)
    assert (answer["views"], answer["previous_views"], answer["as_of"]) == (None, None, None)
    assert {day["views"] for day in answer["days"]} == {None}
