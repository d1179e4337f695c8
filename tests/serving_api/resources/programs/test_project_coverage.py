"""Due readings of a project's views by day, over HTTP and at the desk.

Business time is 20 May 2026, 12:00 UTC, which is 08:00 in New York: the days are 13 to 19 May.

    post     due                     readings of views, in New York
    one      from 10 May             14 May, twice on 15 May, 18 May at 22:00
    two      18 May alone            19 May
    hidden   not counted             15 May
    photo    never                   15 May
    gone     its account is removed  15 May
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import UUID

import duckdb
import pytest

from tests.factories import marts
from tests.factories.visitors import read
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, running_api
from tests.fixtures.charts import charts_of, values_of
from tests.fixtures.desk import Sitter
from warehouse.publication.publish import publish

ZONE = "America/New_York"


def at(day: int, hour: int = 15) -> datetime:
    return datetime(2026, 5, day, hour, tzinfo=UTC)


LIKES_ALONE: dict[str, int | None] = {"view": None, "like": 5}
READINGS: dict[str, dict[datetime, dict[str, int | None]]] = {
    "one": {
        at(14): {"view": 10},
        at(15): {"view": 20},
        at(15, 18): {"view": 30},
        at(16): LIKES_ALONE,
        at(19, 2): {"view": 40},
    },
    "two": {at(19): {"view": 7}},
    **{name: {at(15): {"view": 1}} for name in ("hidden", "photo", "gone")},
}
DUE = {
    "one": (at(10), None),
    "two": (at(17), at(19)),
    "hidden": (at(10), None),
    "photo": (None, None),
    "gone": (at(10), None),
}
BY_DAY = {13: (1, 0), 14: (1, 1), 15: (1, 1), 16: (1, 0), 17: (1, 0), 18: (2, 1), 19: (1, 0)}


@pytest.fixture(scope="module")
def tenant(api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Tenant]:
    settings = api.settings.model_copy(update={"home": Path(tmp_path_factory.mktemp("checks"))})
    with running_api(settings, api.store) as served, new_tenant(served, tz=ZONE) as tenant:
        ada = UUID(tenant.creator("ada")["id"])
        removed = marts.Account("removed", is_active=False, creator=ada)
        history = marts.History(
            videos=[
                marts.Video(
                    name,
                    readings,
                    creator=ada,
                    is_counted=name != "hidden",
                    account=removed.id if name == "gone" else None,
                )
                for name, readings in READINGS.items()
            ],
            accounts=[removed],
            org_zone=ZONE,
            as_of=NOW,
            organization=tenant.organization_id,
            project=tenant.project_id,
        )
        with duckdb.connect() as connection:
            marts.create_marts(connection)
            marts.fill_marts(connection, history)
            for name, bounds in DUE.items():
                connection.execute(
                    "update marts.videos set views_due_from = $1, views_due_until = $2"
                    " where video_id = $3",
                    [*bounds, marts.named(name)],
                )
            publish(settings, connection, as_of=NOW)
        yield tenant


def coverage_of(tenant: Tenant) -> Any:
    return tenant.client.data("GET", f"/projects/{tenant.project_id}/view-coverage")


def test_due_and_successful_readings_by_day(tenant: Tenant) -> None:
    coverage = coverage_of(tenant)
    days = {
        int(day["day"][-2:]): (day["readings_due"], day["readings_came"])
        for day in coverage["days"]
    }
    assert days == BY_DAY
    assert [day["share"] for day in coverage["days"]] == [0, 1, 1, 0, 0, 0.5, 0]
    names = ("readings_due", "readings_came", "readings_without_views", "share")
    assert [coverage[name] for name in names] == [8, 3, 1, 0.375]
    assert [day["readings_without_views"] for day in coverage["days"]] == [0, 0, 0, 1, 0, 0, 0]
    assert (coverage["timezone"], coverage["as_of"]) == (ZONE, "2026-05-20T12:00:00Z")


def test_the_desk_charts_them(tenant: Tenant) -> None:
    member = Sitter(tenant, role="member")
    page = member.get(f"{member.home}/health")
    chart = charts_of(page.text)["Successful checks by day"]
    days = {day["day"]: day for day in coverage_of(tenant)["days"]}
    shares = {day: 100 * counts["share"] for day, counts in days.items()}
    assert values_of(chart, "Succeeded") == shares
    for label, name in (("Checks", "readings_came"), ("Planned", "readings_due")):
        assert values_of(chart, label) == {day: counts[name] for day, counts in days.items()}
    text = read(page)
    assert "5 of 8 planned checks of views in 7 days failed." in text
    assert "3 of 8 planned checks of views succeeded (37.5%)" in text
    assert "TikTok: responding Instagram: responding 5 planned checks of views failed" in text
    assert "Of the others, 1 read the post without its views, and 4 did not reach it" in text


def test_another_project_has_none_due(tenant: Tenant) -> None:
    organization = f"/organizations/{tenant.organization_id}"
    other = tenant.client.data(
        "POST", f"{organization}/projects", json={"name": "Other"}, status=201
    )
    coverage = tenant.client.data("GET", f"/projects/{other['id']}/view-coverage")
    assert [day["share"] for day in coverage["days"]] == [None] * 7
    assert (coverage["readings_due"], coverage["share"]) == (0, None)
    member = Sitter(tenant, role="member")
    assert charts_of(member.get(f"/desk/projects/{other['id']}/health").text) == {}


def test_before_the_first_publication_there_are_no_days(api: Api) -> None:
    with new_tenant(api) as early:
        coverage = coverage_of(early)
        assert (coverage["days"], coverage["as_of"]) == ([], None)
