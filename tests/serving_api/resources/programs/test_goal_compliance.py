"""Goal compliance over HTTP: the publication's numbers with the current goals.

Business time is Wednesday 20 May 2026, 12:00 UTC; the publication has data until 10:00 that day.

    goal      of   kind                       in the publication
    weekly    Ada  1,000 views a week         18 to 24 May: 400, behind_pace
    daily     Ada  2 posts a day              19 May: 2, completed; 20 May: 1, on_track
    gone      Ada  deleted since              19 May: missed; 20 May: at_risk
    changed   Bob  changed since              18 to 24 May: 5, as it was before
    coming    Bob  from 21 May, by the week   nothing
    account   Bob  on one account             18 to 24 May: -30 followers, at_risk
"""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID

import httpx
import pytest
from sqlalchemy import select

from serving_api.resources.programs.goal_compliance.goal_states import first_judged, span_of
from tests.factories.publications import publish_rows
from tests.factories.tracking import change
from tests.fixtures.api import NOW, Api, Tenant, new_tenant, opened_store, running_api
from tests.fixtures.operational import FreshDatabase
from warehouse.operational.models import Account, Creator, GoalState

AS_OF = NOW - timedelta(hours=2)
MONDAY, TUESDAY, TODAY = date(2026, 5, 18), date(2026, 5, 19), date(2026, 5, 20)
WEEKLY: dict[str, Any] = {"metric": "views", "period": "weekly", "target_value": 1000}
DAILY: dict[str, Any] = {"metric": "posts", "period": "daily", "target_value": 2}


def path_of(tenant: Tenant) -> str:
    return f"/projects/{tenant.project_id}/goal-compliance"


@dataclass(frozen=True)
class Stage:
    tenant: Tenant
    ada: Any
    bob: Any
    goals: dict[str, Any]

    def listed(self, **query: Any) -> dict[str, dict[str, Any]]:
        """The compliance of listed goals, by their name in this module."""
        names = {goal["id"]: name for name, goal in self.goals.items()}
        data = self.tenant.client.data("GET", path_of(self.tenant), params=query)
        return {
            names[compliance["goal"]["id"]]: compliance
            for each in data
            for compliance in each["compliance"]
        }

    def counted(self, **query: Any) -> Any:
        query = {"project_id": str(self.tenant.project_id), **query}
        return self.tenant.client.data("GET", "/analytics/aggregate/goal-compliance", params=query)


@pytest.fixture(scope="module")
def stage(databases: FreshDatabase, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    home: Path = tmp_path_factory.mktemp("goals")
    with (
        opened_store(databases, home) as (settings, store),
        running_api(settings, store) as api,
        new_tenant(api) as tenant,
    ):
        made = set_up(tenant)
        publish_rows(
            settings,
            AS_OF,
            goal_compliance=mart_rows(made),
            goal_forecasts=forecast_rows(made),
        )
        change_since(made)
        yield made


def set_up(tenant: Tenant) -> Stage:
    ada, bob = tenant.creator("ada"), tenant.creator("bob")
    scope = {"platform_scope": "account", "account_id": bob["accounts"][0]["id"]}
    goals = {
        "weekly": tenant.goal(ada, **WEEKLY),
        "daily": tenant.goal(ada, **DAILY),
        "gone": tenant.goal(ada, **DAILY),
        "changed": tenant.goal(bob, **{**WEEKLY, "metric": "engagement"}),
        "coming": tenant.goal(bob, **WEEKLY, start_date="2026-05-21"),
        "account": tenant.goal(bob, **{**WEEKLY, "metric": "followers"}, **scope),
    }
    return Stage(tenant, ada, bob, goals)


def mart_rows(stage: Stage) -> Iterator[dict[str, Any]]:
    """Rows of the compliance mart."""
    week = (MONDAY, date(2026, 5, 24))
    for name, days, actual, tenths, status in (
        ("weekly", week, 400, 400, "behind_pace"),
        ("daily", (TUESDAY, TUESDAY), 2, 1000, "completed"),
        ("daily", (TODAY, TODAY), 1, 500, "on_track"),
        ("gone", (TUESDAY, TUESDAY), 0, 0, "missed"),
        ("gone", (TODAY, TODAY), 0, 0, "at_risk"),
        ("changed", week, 5, 5, "at_risk"),
        ("account", week, -30, -30, "at_risk"),
    ):
        goal = stage.goals[name]
        first, last = (datetime(day.year, day.month, day.day, tzinfo=UTC) for day in days)
        columns = ("creator_id", "metric", "period", "target_value", "platform_scope", "account_id")
        yield {
            **{column: goal[column] for column in columns},
            "goal_id": goal["id"],
            "goal_state_id": str(state_id_of(stage.tenant, goal)),
            "organization_id": str(stage.tenant.organization_id),
            "project_id": str(stage.tenant.project_id),
            "period_start": days[0],
            "period_end": days[1],
            "starts_at": first,
            "ends_at": last + timedelta(days=1),
            "actual": actual,
            "percentage": tenths / 10,
            "status": status,
        }


def forecast_rows(stage: Stage) -> Iterator[dict[str, Any]]:
    """Rows of the forecast mart."""
    figures = {"expected": 1100, "low": 900, "high": 1500, "baseline": 980}
    for name, first, forecast in (
        ("weekly", MONDAY, {**figures, "outlook": "at_risk"}),
        ("daily", TODAY, {**figures, "hidden_because": "too_little_history"}),
        ("changed", MONDAY, {**figures, "outlook": "on_course"}),
        ("account", MONDAY, {"hidden_because": "not_forecast"}),
    ):
        yield {
            "goal_id": stage.goals[name]["id"],
            "organization_id": str(stage.tenant.organization_id),
            "project_id": str(stage.tenant.project_id),
            "period_start": first,
            "metric": "views",
            **dict.fromkeys((*figures, "outlook", "hidden_because")),
            **forecast,
        }


def state_id_of(tenant: Tenant, goal: Any) -> UUID:
    with tenant.api.store.read_session() as session:
        of_goal = select(GoalState.id).where(GoalState.goal_id == UUID(goal["id"]))
        return session.scalars(of_goal).one()


def change_since(stage: Stage) -> None:
    """Delete one goal and change another, an hour after their creation."""
    client, store = stage.tenant.client, stage.tenant.api.store
    for name in ("gone", "changed"):
        state_id = state_id_of(stage.tenant, stage.goals[name])
        change(store, GoalState, state_id, valid_from=NOW - timedelta(hours=1))
    client.data("DELETE", f"/creators/{stage.ada['id']}/goals/{stage.goals['gone']['id']}")
    path = f"/creators/{stage.bob['id']}/goals/{stage.goals['changed']['id']}"
    client.data("PATCH", path, json={"target_value": 7})


class TestList:
    def test_numbers_of_the_period_in_progress(self, stage: Stage) -> None:
        weekly = stage.listed()["weekly"]
        figures = {name: weekly[name] for name in ("target", "actual", "percentage", "status")}
        expected = {"target": 1000, "actual": 400, "percentage": 40.0, "status": "behind_pace"}
        assert figures == expected
        assert weekly["goal"] == without_version(stage.goals["weekly"])

    def test_what_goals_are_expected_to_come_to(self, stage: Stage) -> None:
        """Only with enough history, for current periods and goals."""
        forecasts = {name: compliance["forecast"] for name, compliance in stage.listed().items()}
        nothing = dict.fromkeys(("expected", "low", "high", "baseline", "outlook"))
        assert forecasts == {
            "weekly": {
                "expected": 1100,
                "low": 900,
                "high": 1500,
                "baseline": 980,
                "outlook": "at_risk",
                "hidden_because": None,
            },
            "daily": {**nothing, "baseline": 980, "hidden_because": "too_little_history"},
            "account": {**nothing, "hidden_because": "not_forecast"},
            "changed": None,
            "coming": None,
        }
        past = stage.listed(reference_date="2026-05-19")["daily"]
        assert past["forecast"] is None

    def test_creators_are_listed_with_their_goals(self, stage: Stage) -> None:
        answer = stage.tenant.client.answer("GET", path_of(stage.tenant))
        assert answer["meta"] == {"org_tz": "UTC", "reference_date": "2026-05-20"}
        assert [each["creator"] for each in answer["data"]] == [
            {"id": creator_id["id"], "handle": handle, "display_name": handle, "avatar_url": None}
            for creator_id, handle in ((stage.bob, "bob"), (stage.ada, "ada"))
        ]

    def test_deleted_goals_end_in_periods_in_progress_only(self, stage: Stage) -> None:
        assert "gone" not in stage.listed()
        past = stage.listed(reference_date="2026-05-19")
        assert (past["gone"]["status"], past["daily"]["status"]) == ("missed", "completed")

    def test_what_changed_since_the_publication_is_not_known_yet(self, stage: Stage) -> None:
        changed = stage.listed()["changed"]
        assert changed["target"] == 7
        assert (changed["actual"], changed["percentage"], changed["status"]) == (None, None, None)

    def test_future_goals(self, stage: Stage) -> None:
        coming = stage.listed()["coming"]
        assert (coming["actual"], coming["percentage"], coming["status"]) == (0, 0.0, "on_track")
        advisory = coming["advisory"]
        assert (advisory["not_yet_started"], advisory["period_in_progress"]) == (True, False)
        # The first complete week from Thursday the 21st on.
        assert (advisory["period_start"], advisory["period_end"]) == ("2026-05-25", "2026-05-31")
        assert advisory["goal_start_date"] == "2026-05-21"
        assert "coming" not in stage.listed(reference_date="2026-05-17")

    def test_followers_may_fall(self, stage: Stage) -> None:
        fallen = stage.listed()["account"]
        assert (fallen["actual"], fallen["percentage"]) == (-30, -3.0)

    def test_filters(self, stage: Stage) -> None:
        assert set(stage.listed(period="daily")) == {"daily"}
        assert set(stage.listed(creator_id=stage.ada["id"])) == {"weekly", "daily"}
        assert set(stage.listed(platform="instagram")) == set()
        assert "weekly" in stage.listed(platform="tiktok")

    def test_removed_creators_are_left_out(self, stage: Stage) -> None:
        store = stage.tenant.api.store
        change(store, Creator, UUID(stage.ada["id"]), is_active=False)
        assert not {"weekly", "daily"} & set(stage.listed())
        change(store, Creator, UUID(stage.ada["id"]), is_active=True)


class TestAdvisory:
    def test_in_progress(self, stage: Stage) -> None:
        advisory = stage.listed()["weekly"]["advisory"]
        assert advisory == {
            "has_advisory": False,
            "period_in_progress": True,
            "period_recently_ended": False,
            "scrape_stale": False,
            "not_yet_started": False,
            "period_start": "2026-05-18",
            "period_end": "2026-05-24",
            "hours_until_period_end": 108.0,
            "hours_since_period_end": None,
            "scrape_freshness": None,
            "goal_start_date": None,
            "messages": ["The period is still in progress; the numbers may change."],
        }

    def test_ended_within_48_hours(self, stage: Stage) -> None:
        advisory = stage.listed(reference_date="2026-05-19")["daily"]["advisory"]
        assert advisory["has_advisory"]
        assert advisory["period_recently_ended"]
        assert not advisory["period_in_progress"]
        assert (advisory["hours_until_period_end"], advisory["hours_since_period_end"]) == (
            None,
            12.0,
        )
        assert len(advisory["messages"]) == 1

    def test_stale_accounts_in_scope(self, stage: Stage) -> None:
        store, account = stage.tenant.api.store, stage.bob["accounts"][0]
        scraped = NOW - timedelta(hours=28, seconds=1)
        change(store, Account, UUID(account["id"]), last_scraped_at=scraped)
        listed = stage.listed()
        advisory = listed["account"]["advisory"]
        assert advisory["scrape_stale"]
        assert not advisory["has_advisory"]
        assert advisory["scrape_freshness"] == {
            "stale_after_hours": 28,
            "stale_accounts": [
                {
                    "account_id": account["id"],
                    "platform": "tiktok",
                    "handle": "bob",
                    "last_scraped_at": "2026-05-19T07:59:59Z",
                }
            ],
        }
        assert len(advisory["messages"]) == 2
        assert not listed["weekly"]["advisory"]["scrape_stale"]
        change(store, Account, UUID(account["id"]), last_scraped_at=scraped + timedelta(seconds=1))
        assert not stage.listed()["account"]["advisory"]["scrape_stale"]


class TestCounts:
    def test_by_status_metric_and_period(self, stage: Stage) -> None:
        """Neither `coming`, which has not started, nor `changed`, which is unknown, counts."""
        counts = stage.counted()
        nothing = dict.fromkeys(
            ("on_track", "behind_pace", "at_risk", "completed", "missed", "total"), 0
        )
        everything = {**nothing, "on_track": 1, "behind_pace": 1, "at_risk": 1, "total": 3}
        assert {name: counts[name] for name in nothing} == everything
        assert counts["by_metric"] == {
            "posts": {**nothing, "on_track": 1, "total": 1},
            "views": {**nothing, "behind_pace": 1, "total": 1},
            "engagement": nothing,
            "followers": {**nothing, "at_risk": 1, "total": 1},
        }
        assert counts["by_period"]["weekly"]["total"] == 2

    def test_of_the_past_and_of_one_period(self, stage: Stage) -> None:
        past = stage.counted(reference_date="2026-05-19", period="daily")
        assert (past["completed"], past["missed"], past["total"]) == (1, 1, 2)

    @pytest.mark.slow
    def test_it_needs_a_project(self, stage: Stage) -> None:
        path = "/analytics/aggregate/goal-compliance"
        refused = stage.tenant.client.refusal("GET", path, "invalid_query")
        assert refused["issues"][0]["path"] == "project_id"


class TestProgramHealth:
    """A project's goals in brief, over the last 7 days."""

    def health(self, stage: Stage, **query: str) -> Any:
        path = f"/projects/{stage.tenant.project_id}/program-health"
        data = stage.tenant.client.data("GET", path, params={"range": "7d", **query})
        return data["goal_compliance"]

    def test_counts_and_goals_at_risk(self, stage: Stage) -> None:
        """`daily` completed its last period; `gone` missed its own, but is deleted."""
        health = self.health(stage)
        assert (health["on_track"], health["at_risk"], health["missed"]) == (1, 1, 0)
        assert health["at_risk_goals"] == [
            {
                "creator_id": stage.bob["id"],
                "display_name": "bob",
                "handle": "bob",
                "goal_id": stage.goals["account"]["id"],
                "metric": "followers",
                "period": "weekly",
                "target": 1000,
                "actual": -30,
                "percentage": -3.0,
            }
        ]

    def test_of_a_campaign_only_its_creators(self, stage: Stage) -> None:
        campaign = stage.tenant.campaign("Goals")
        item = {"item_type": "creator", "item_id": stage.ada["id"]}
        path = f"/campaigns/{campaign['id']}/items"
        stage.tenant.client.data("POST", path, json=item)
        health = self.health(stage, campaign_id=campaign["id"])
        assert (health["on_track"], health["at_risk"]) == (1, 0)


def without_version(goal: Any) -> Any:
    """A goal without its version, which only a PATCH has."""
    return {name: value for name, value in goal.items() if name != "version"}


class TestExport:
    def test_goals_are_exported_with_the_fields_of_the_list(self, stage: Stage) -> None:
        path, query = "/exports/goals", {"project_id": str(stage.tenant.project_id)}
        with httpx.Client(
            base_url=stage.tenant.client.base_url,
            headers=stage.tenant.client.headers,
            trust_env=False,
        ) as client:
            response = client.get(path.removeprefix("/"), params=query)
        assert response.status_code == 200, response.text
        rows = list(csv.DictReader(io.StringIO(response.text)))
        assert list(rows[0]) == list(without_version(stage.goals["weekly"]))
        there = {row["id"] for row in rows}
        assert there == {goal["id"] for name, goal in stage.goals.items() if name != "gone"}


def test_before_the_first_publication_nothing_is_known(api: Api) -> None:
    with new_tenant(api, tz="Asia/Kolkata") as tenant:
        creator = tenant.creator("early")
        tenant.goal(creator, **WEEKLY)
        tenant.goal(creator, **WEEKLY, start_date="2026-06-03", end_date="2026-06-14")
        tenant.goal(creator, **WEEKLY, start_date="2026-06-03", end_date="2026-06-13")
        tenant.goal(creator, **WEEKLY, start_date="2026-04-01", end_date="2026-05-20")
        [only] = tenant.client.data("GET", path_of(tenant))
        figures = [
            (compliance["actual"], compliance["status"]) for compliance in only["compliance"]
        ]
        # The third has no complete week, and the last week of the fourth is over.
        assert figures == [(None, None), (0, "on_track")]
        query = {"project_id": str(tenant.project_id)}
        path = "/analytics/aggregate/goal-compliance"
        assert tenant.client.data("GET", path, params=query)["total"] == 0


def test_a_period_that_began_after_the_publication_has_no_progress(stage: Stage) -> None:
    """As in that publication, which has no readings of the period."""
    with new_tenant(stage.tenant.api, tz="Pacific/Kiritimati") as tenant:
        # 21 May begins there at 10:00 UTC, exactly when the numbers end.
        goal = tenant.goal(tenant.creator("late"), **DAILY)
        [only] = tenant.client.data("GET", path_of(tenant))
        assert only["compliance"][0]["goal"] == without_version(goal)
        assert only["compliance"][0]["actual"] is None
    with new_tenant(stage.tenant.api, tz="Etc/GMT-13") as tenant:
        tenant.goal(tenant.creator("later"), **DAILY)
        [only] = tenant.client.data("GET", path_of(tenant))
        assert (only["compliance"][0]["actual"], only["compliance"][0]["status"]) == (0, "on_track")


@pytest.mark.parametrize(
    ("start", "period", "first"),
    [
        ("2026-05-20", "daily", "2026-05-20"),
        ("2026-05-18", "weekly", "2026-05-18"),
        ("2026-05-19", "weekly", "2026-05-25"),
        ("2026-12-02", "monthly", "2027-01-01"),
        ("2026-12-01", "monthly", "2026-12-01"),
    ],
)
def test_the_first_period_of_a_goal(start: str, period: Any, first: str) -> None:
    assert first_judged(date.fromisoformat(start), period, "UTC").first.isoformat() == first


def test_a_week_with_a_change_of_clocks_has_167_hours() -> None:
    span = span_of(date(2026, 3, 8), "weekly", "America/New_York")
    assert span.ends_at - span.starts_at == timedelta(hours=167)
