"""Goals: set, changed and deleted, with each state stored for the periods that it applies to."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

import pytest
from sqlalchemy import select, update

from serving_api.resources.programs.goals import service
from tests.factories.tracking import change
from tests.fixtures.api import NOW, Tenant
from warehouse.operational.models import Goal, GoalState

WEEKLY: dict[str, Any] = {"metric": "views", "period": "weekly", "target_value": 1000}


def path_of(creator: Any, goal: Any = None) -> str:
    path = f"/creators/{creator['id']}/goals"
    return path if goal is None else f"{path}/{goal['id']}"


def states_of(tenant: Tenant, goal: Any) -> list[GoalState]:
    with tenant.api.store.read_session() as session:
        of_goal = select(GoalState).where(GoalState.goal_id == UUID(goal["id"]))
        return list(session.scalars(of_goal.order_by(GoalState.valid_from)))


class TestCreate:
    def test_defaults(self, tenant: Tenant, creator: Any) -> None:
        goal = tenant.goal(creator, **WEEKLY)
        assert goal == {
            "id": goal["id"],
            "creator_id": creator["id"],
            "project_id": str(tenant.project_id),
            **WEEKLY,
            "start_date": None,
            "end_date": None,
            "is_active": True,
            "platform_scope": "all",
            "platform": None,
            "account_id": None,
            "version": goal["version"],
        }
        assert tenant.client.data("GET", path_of(creator)) == [goal]
        [state] = states_of(tenant, goal)
        assert (state.valid_from, state.target_value, state.is_deleted) == (NOW, 1000, False)

    @pytest.mark.parametrize(
        "scope",
        [
            {"platform_scope": "all"},
            {"platform_scope": None, "platform": None, "account_id": None},
            {"platform_scope": "platform", "platform": "instagram"},
            {"platform_scope": "account", "account_id": "{account}"},
        ],
    )
    def test_scopes(self, tenant: Tenant, creator: Any, scope: dict[str, Any]) -> None:
        if scope.get("account_id"):
            scope = {**scope, "account_id": creator["accounts"][0]["id"]}
        goal = tenant.goal(creator, **WEEKLY, **scope)
        assert goal["platform_scope"] == (scope["platform_scope"] or "all")
        assert goal["platform"] == scope.get("platform")
        assert goal["account_id"] == scope.get("account_id")

    def test_dates_are_in_order(self, tenant: Tenant, creator: Any) -> None:
        days = {"start_date": "2026-05-02", "end_date": "2026-05-01"}
        tenant.client.refusal("POST", path_of(creator), "invalid_body", json={**WEEKLY, **days})
        assert tenant.goal(creator, **WEEKLY, start_date="2026-05-02", end_date="2026-05-02")

    def test_a_goal_starts_at_most_a_year_ago(self, tenant: Tenant, creator: Any) -> None:
        """20 May 2026 minus 366 days."""
        meta = tenant.client.refusal(
            "POST", path_of(creator), "invalid_body", json={**WEEKLY, "start_date": "2025-05-18"}
        )
        assert [issue["path"] for issue in meta["issues"]] == ["start_date"]
        goal = tenant.goal(creator, **WEEKLY, start_date="2025-05-19")
        change = {"start_date": "2025-05-18"}
        tenant.client.refusal("PATCH", path_of(creator, goal), "invalid_body", json=change)

    def test_a_goal_that_starts_earlier_can_still_be_changed(
        self, tenant: Tenant, creator: Any
    ) -> None:
        goal = tenant.goal(creator, **WEEKLY)
        with tenant.api.store.write_session() as session:
            session.execute(update(Goal).values(start_date=date(2020, 1, 1)))
        changes = {"target_value": 7, "start_date": "2020-01-01"}
        changed = tenant.client.data("PATCH", path_of(creator, goal), json=changes)
        assert (changed["target_value"], changed["start_date"]) == (7, "2020-01-01")

    def test_a_creator_has_at_most_50_goals(self, tenant: Tenant, creator: Any) -> None:
        first = tenant.goal(creator, **WEEKLY)
        owner = {
            "organization_id": tenant.organization_id,
            "project_id": tenant.project_id,
            "creator_id": UUID(creator["id"]),
        }
        with tenant.api.store.write_session() as session:
            session.add_all(Goal(**owner, **WEEKLY, platform_scope="all") for _ in range(49))
        meta = tenant.client.refusal("POST", path_of(creator), "conflict", json=WEEKLY)
        assert meta["reason"] == "too_many_goals"
        tenant.client.data("DELETE", path_of(creator, first))
        assert tenant.goal(creator, **WEEKLY)

    def test_goals_that_were_deleted_count_for_a_year(
        self, tenant: Tenant, creator: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(service, "MOST_MADE", 2)
        for _ in range(2):
            goal = tenant.goal(creator, **WEEKLY, start_date="2026-01-01")
            tenant.client.data("DELETE", path_of(creator, goal))
        meta = tenant.client.refusal("POST", path_of(creator), "conflict", json=WEEKLY)
        assert meta["reason"] == "too_many_goals"
        year_ago = {"valid_from": GoalState.valid_from - timedelta(days=366)}
        with tenant.api.store.write_session() as session:
            session.execute(update(GoalState).values(**year_ago))
        assert tenant.goal(creator, **WEEKLY)

    def test_the_account_is_the_creators(self, tenant: Tenant, creator: Any) -> None:
        someone = tenant.creator("someone.else")
        scope = {"platform_scope": "account", "account_id": someone["accounts"][0]["id"]}
        meta = tenant.client.refusal(
            "POST", path_of(creator), "invalid_body", json={**WEEKLY, **scope}
        )
        assert meta["issues"][0]["path"] == "account_id"

    def test_a_removed_creator_gets_none(self, tenant: Tenant, creator: Any) -> None:
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        tenant.client.refusal("POST", path_of(creator), "creator_inactive", json=WEEKLY)


class TestChange:
    def test_every_field_but_the_scope(self, tenant: Tenant, creator: Any) -> None:
        goal = tenant.goal(creator, **WEEKLY, start_date="2026-05-01")
        changes = {
            "metric": "posts",
            "period": "daily",
            "target_value": 2,
            "is_active": False,
            "start_date": None,
            "end_date": "2026-12-31",
        }
        changed = tenant.client.data("PATCH", path_of(creator, goal), json=changes)
        assert changed == {**goal, **changes, "version": changed["version"]}
        assert changed["version"] != goal["version"]
        assert tenant.client.data("GET", path_of(creator)) == [changed]

    @pytest.mark.parametrize("change", [{"end_date": "2026-04-30"}, {"start_date": "2026-06-02"}])
    def test_dates_in_order(self, tenant: Tenant, creator: Any, change: dict[str, str]) -> None:
        goal = tenant.goal(creator, **WEEKLY, start_date="2026-05-01", end_date="2026-06-01")
        meta = tenant.client.refusal("PATCH", path_of(creator, goal), "invalid_body", json=change)
        assert meta["issues"][0]["path"] == "end_date"
        assert tenant.client.data("GET", path_of(creator)) == [goal]

    def test_its_history_is_stored(self, tenant: Tenant, creator: Any) -> None:
        goal = tenant.goal(creator, **WEEKLY)
        earlier = datetime(2026, 4, 1, tzinfo=UTC)
        [first] = states_of(tenant, goal)
        change(tenant.api.store, GoalState, first.id, valid_from=earlier)
        tenant.client.data("PATCH", path_of(creator, goal), json={"target_value": 7})
        # Twice at the same instant: the last one counts.
        tenant.client.data("PATCH", path_of(creator, goal), json={"target_value": 8})
        states = [(state.valid_from, state.target_value) for state in states_of(tenant, goal)]
        assert states == [(earlier, 1000), (NOW, 8)]
        # An unchanged goal adds no state.
        change(
            tenant.api.store,
            GoalState,
            states_of(tenant, goal)[1].id,
            valid_from=NOW - timedelta(days=1),
        )
        tenant.client.data("PATCH", path_of(creator, goal), json={"target_value": 8})
        assert len(states_of(tenant, goal)) == 2


class TestDelete:
    def test_it_is_deleted_and_its_end_is_dated(self, tenant: Tenant, creator: Any) -> None:
        goal = tenant.goal(creator, **WEEKLY)
        [first] = states_of(tenant, goal)
        change(tenant.api.store, GoalState, first.id, valid_from=NOW - timedelta(days=9))
        assert tenant.client.data("DELETE", path_of(creator, goal)) == {"deleted": True}
        assert tenant.client.data("GET", path_of(creator)) == []
        tenant.client.refusal("DELETE", path_of(creator, goal), "not_found")
        tenant.client.refusal(
            "PATCH", path_of(creator, goal), "not_found", json={"target_value": 1}
        )
        assert [state.is_deleted for state in states_of(tenant, goal)] == [False, True]
        with tenant.api.store.read_session() as session:
            assert session.get(Goal, UUID(goal["id"])) is None


class TestList:
    def test_of_one_creator_alone(self, tenant: Tenant, creator: Any) -> None:
        someone = tenant.creator("someone.else")
        goal = tenant.goal(someone, **WEEKLY)
        assert tenant.client.data("GET", path_of(creator)) == []
        path = path_of(creator, goal)
        tenant.client.refusal("DELETE", path, "not_found")
        assert tenant.client.data("GET", path_of(someone)) == [goal]
