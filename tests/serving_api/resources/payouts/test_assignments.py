"""Assignments: which creators a structure pays, on which days; and pauses of their payouts."""

from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

import pytest
from sqlalchemy import select

from tests.factories.payouts import add_assignment, add_structure, conversion_rule, rule
from tests.fixtures.api import Tenant, new_tenant
from warehouse.operational.models import PayoutPause

TODAY, TOMORROW, YESTERDAY = "2026-05-20", "2026-05-21", "2026-05-19"
MIDDAY = "2026-05-20T12:00:00Z"
PAUSE = {"videos": "keep_tracking", "payouts": "pause"}
RESTART = {"missed_posts": "inbox"}


@pytest.fixture
def structure(tenant: Tenant) -> str:
    return tenant.payout_structure(rule("recurring"))


def path_of(structure: str) -> str:
    return f"/payout-structures/{structure}/assignments"


def listed(tenant: Tenant, structure: str, **query: str) -> Any:
    return tenant.client.data("GET", path_of(structure), params=query)


def end(tenant: Tenant, structure: str, *creators: Any, **days: str) -> Any:
    body = {"creator_ids": [creator["id"] for creator in creators], **days}
    return tenant.client.data("DELETE", path_of(structure), json=body)


def refused(tenant: Tenant, structure: str, body: Any, code: str, method: str = "POST") -> Any:
    return tenant.client.refusal(method, path_of(structure), code, json=body)


class TestAssign:
    def test_from_today_on_by_default(self, tenant: Tenant, structure: str, creator: Any) -> None:
        made = tenant.payout_assignment(structure, creator)
        assert made == {
            "id": made["id"],
            "structure_id": structure,
            "creator_id": creator["id"],
            "start_date": TODAY,
            "end_date": None,
            "status": "active",
            "paused_at": None,
            "resumes_at": None,
            "created_at": MIDDAY,
            "ended_at": None,
        }
        assert listed(tenant, structure) == [made]

    @pytest.mark.slow
    def test_names_other_rules_for_the_same_views(self, tenant: Tenant, creator: Any) -> None:
        """Allowed, as a base and a bonus, but the response must say so."""
        first, second, fee = (
            tenant.payout_structure(rule(kind), name=kind)
            for kind in ("cpm", "view_threshold", "recurring")
        )
        tenant.payout_assignment(first, creator, start_date="2026-04-01", end_date="2026-04-30")

        def also_paid_by(structure: str, **days: str) -> Any:
            body = {"creator_ids": [creator["id"]], **days}
            answer = tenant.client.answer("POST", path_of(structure), json=body, status=201)
            return answer["meta"]["also_paid_by"]

        assert also_paid_by(fee, start_date="2026-04-01") == []
        assert also_paid_by(second, start_date="2026-03-01", end_date="2026-03-31") == []
        assert also_paid_by(second, start_date="2026-04-30", end_date="2026-05-05") == [
            {
                "creator_id": creator["id"],
                "structure_id": first,
                "structure_name": "cpm",
                "start_date": "2026-04-01",
                "end_date": "2026-04-30",
            }
        ]
        path = f"/projects/{tenant.project_id}/program-health"
        assert tenant.client.data("GET", path)["alerts"]["paid_twice"] == []
        tenant.payout_assignment(first, creator, start_date="2026-05-06")
        tenant.payout_assignment(second, creator, start_date="2026-05-06")
        [twice] = tenant.client.data("GET", path)["alerts"]["paid_twice"]
        assert twice["creator_id"] == creator["id"]
        assert [each["structure_name"] for each in twice["rules"]] == ["cpm", "view_threshold"]

    @pytest.mark.slow
    def test_a_widened_rule_names_other_rules_for_the_same_views(
        self, tenant: Tenant, creator: Any
    ) -> None:
        """They count from the first day of the current week on: Monday the 18th."""
        scope = {"platform_scope": "platform", "platform": "instagram"}
        only_tiktok = {"platform_scope": "platform", "platform": "tiktok"}
        base, old, older = (
            tenant.payout_structure(rule("cpm", **only_tiktok), name=name)
            for name in ("Base", "Ended this week", "Ended last week")
        )
        for structure, end_date in ((base, None), (old, "2026-05-18"), (older, "2026-05-17")):
            tenant.payout_assignment(structure, creator, start_date="2026-04-01", end_date=end_date)
        bonus = tenant.payout_structure(rule("cpm", **scope), name="Bonus")
        tenant.payout_assignment(bonus, creator, start_date="2026-05-01")

        def also_paid_by(**changes: Any) -> Any:
            body = {"kind": "rule", **rule("cpm", **changes)}
            answer = tenant.client.answer("PATCH", f"/payout-structures/{bonus}", json=body)
            return [each["structure_name"] for each in answer["meta"]["also_paid_by"]]

        assert also_paid_by() == []
        assert also_paid_by(platform_scope="all") == ["Base", "Ended this week"]

    def test_today_is_the_zones(self, api: Any) -> None:
        with new_tenant(api, tz="Pacific/Kiritimati") as tenant:
            structure = tenant.payout_structure(rule("recurring"))
            creator = tenant.creator()
            assert tenant.payout_assignment(structure, creator)["start_date"] == TOMORROW
            end(tenant, structure, creator)
            assert listed(tenant, structure)[0]["end_date"] == TOMORROW

    def test_many_at_once_each_once_in_order(self, tenant: Tenant, structure: str) -> None:
        creators = [tenant.creator(f"creator.{n}")["id"] for n in range(3)]
        body = {"creator_ids": [*creators, creators[0]], "start_date": "2026-01-01"}
        made = tenant.client.data("POST", path_of(structure), json=body)
        assert [row["creator_id"] for row in made] == creators
        assert len(listed(tenant, structure)) == 3

    def test_all_or_none(self, tenant: Tenant, other: Tenant, structure: str, creator: Any) -> None:
        strange, absent = other.creator()["id"], str(uuid4())
        body = {"creator_ids": [creator["id"], strange, absent]}
        meta = refused(tenant, structure, body, "not_found")
        assert meta["not_found_ids"] == [strange, absent]
        assert listed(tenant, structure) == []

    def test_other_projects_are_not_found(self, tenant: Tenant, structure: str) -> None:
        path = f"/organizations/{tenant.organization_id}/projects"
        project = tenant.client.data("POST", path, json={"name": "Other"})["id"]
        elsewhere = tenant.creator("elsewhere", project_id=project)["id"]
        body = {"creator_ids": [elsewhere]}
        refused(tenant, structure, body, "not_found")

    def test_removed_is_inactive(self, tenant: Tenant, structure: str, creator: Any) -> None:
        gone = tenant.creator("gone")
        tenant.client.data("DELETE", f"/creators/{gone['id']}")
        body = {"creator_ids": [creator["id"], gone["id"]]}
        meta = refused(tenant, structure, body, "creator_inactive")
        assert meta["creator_ids"] == [gone["id"]]
        assert listed(tenant, structure) == []

    @pytest.mark.parametrize(
        ("days", "is_taken"),
        [
            (("2026-05-01", None, TODAY), True),
            (("2026-05-01", None, "2026-04-01"), True),
            (("2026-05-01", "2026-05-31", "2026-05-30"), True),
            (("2026-05-01", "2026-05-31", "2026-05-31"), False),
            (("2026-05-01", "2026-05-31", "2026-06-01"), False),
            (("2026-07-01", "2026-07-31", "2026-05-01"), True),
            (("2026-01-01", "2026-01-31", "2026-01-15"), True),
        ],
    )
    def test_already_assigned_if_a_day_after_the_start_is_covered(
        self,
        tenant: Tenant,
        structure: str,
        creator: Any,
        days: tuple[str, str | None, str],
        *,
        is_taken: bool,
    ) -> None:
        """money.md M5."""
        first, last, start = days
        taken = {"start_date": first, **({"end_date": last} if last else {})}
        tenant.payout_assignment(structure, creator, **taken)
        free = tenant.creator("free")["id"]
        body = {"creator_ids": [free, creator["id"]], "start_date": start}
        if is_taken:
            meta = refused(tenant, structure, body, "already_assigned")
            assert meta["creator_ids"] == [creator["id"]]
            assert len(listed(tenant, structure)) == 1
        else:
            tenant.client.data("POST", path_of(structure), json=body)


class TestList:
    def test_newest_first_page_by_page(self, tenant: Tenant, structure: str, creator: Any) -> None:
        months = [("2026-01-01", "2026-01-31"), ("2026-02-01", "2026-02-28"), ("2026-03-01", "")]
        made = []
        for start, last in months:
            days = {"start_date": start, **({"end_date": last} if last else {})}
            made.append(tenant.payout_assignment(structure, creator, **days)["id"])
        page = tenant.client.answer("GET", path_of(structure), params={"limit": 2})
        assert [row["id"] for row in page["data"]] == made[:0:-1]
        query = {"limit": 2, "cursor": page["meta"]["nextCursor"]}
        rest = tenant.client.answer("GET", path_of(structure), params=query)
        assert [row["id"] for row in rest["data"]] == made[:1]
        someone = tenant.payout_assignment(structure, tenant.creator("someone"))
        assert listed(tenant, structure, creator_id=someone["creator_id"]) == [someone]

    def test_the_zone_ends_the_day(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator, start_date="2026-05-01", end_date=YESTERDAY)
        [over] = listed(tenant, structure)
        assert (over["status"], over["ended_at"]) == ("ended", "2026-05-20T00:00:00Z")
        last_today = tenant.creator("last.today")
        made = tenant.payout_assignment(structure, last_today, end_date=TODAY)
        assert (made["status"], made["ended_at"]) == ("active", None)
        detail = tenant.client.data("GET", f"/payout-structures/{structure}")
        assert detail["assignment_count"] == 1


class TestEnd:
    def test_today_is_the_default(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator, start_date="2026-05-01")
        stranger = tenant.creator("stranger")
        for _ in range(2):
            assert end(tenant, structure, creator, stranger, stranger) == {
                "ended": 1,
                "not_assigned_ids": [stranger["id"]],
            }
            [row] = listed(tenant, structure)
            assert (row["end_date"], row["status"], row["ended_at"]) == (TODAY, "ended", MIDDAY)
        detail = tenant.client.data("GET", f"/payout-structures/{structure}")
        assert detail["assignment_count"] == 0
        again = tenant.payout_assignment(structure, creator)
        assert again["start_date"] == TODAY

    def test_days_to_come_are_paid(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator)
        end(tenant, structure, creator, end_date="2026-05-31")
        [row] = listed(tenant, structure)
        assert (row["end_date"], row["status"], row["ended_at"]) == ("2026-05-31", "active", None)
        # An earlier end replaces it; a later one does not extend it.
        end(tenant, structure, creator, end_date="2026-05-25")
        assert end(tenant, structure, creator, end_date="2026-06-30")["ended"] == 1
        assert listed(tenant, structure)[0]["end_date"] == "2026-05-25"

    def test_a_day_that_has_passed(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator, start_date="2026-05-01")
        end(tenant, structure, creator, end_date="2026-05-10")
        [row] = listed(tenant, structure)
        assert (row["end_date"], row["status"], row["ended_at"]) == ("2026-05-10", "ended", MIDDAY)

    def test_not_before_the_start(self, tenant: Tenant, structure: str, creator: Any) -> None:
        """money.md M5."""
        early = tenant.creator("early")
        tenant.payout_assignment(structure, early, start_date="2026-05-01")
        tenant.payout_assignment(structure, creator, start_date="2026-05-10")
        body = {"creator_ids": [early["id"], creator["id"]], "end_date": "2026-05-09"}
        meta = refused(tenant, structure, body, "invalid_body", method="DELETE")
        assert [issue["path"] for issue in meta["issues"]] == ["end_date"]
        assert {row["end_date"] for row in listed(tenant, structure)} == {None}
        end(tenant, structure, creator, end_date="2026-05-10")

    def test_later_ones_are_cancelled(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator, start_date="2026-05-01", end_date=TODAY)
        tenant.payout_assignment(structure, creator, start_date="2026-06-01")
        assert end(tenant, structure, creator) == {"ended": 1, "not_assigned_ids": []}
        [left] = listed(tenant, structure)
        assert (left["start_date"], left["status"]) == ("2026-05-01", "ended")

    def test_ended_is_not_assigned(self, tenant: Tenant, structure: str, creator: Any) -> None:
        tenant.payout_assignment(structure, creator, start_date="2026-05-01", end_date=YESTERDAY)
        gone = {"ended": 0, "not_assigned_ids": [creator["id"]]}
        assert end(tenant, structure, creator) == gone
        assert listed(tenant, structure)[0]["end_date"] == YESTERDAY
        end(tenant, structure, creator, end_date=YESTERDAY)
        assert listed(tenant, structure)[0]["ended_at"] == "2026-05-20T00:00:00Z"
        # It can still be shortened.
        end(tenant, structure, creator, end_date="2026-05-18")
        assert listed(tenant, structure)[0]["end_date"] == "2026-05-18"

    def test_a_removed_creators_end_in_each(self, tenant: Tenant, creator: Any) -> None:
        """money.md M5 and M15: today differs in the structure that kept its zone."""
        kiritimati_structure = add_structure(
            tenant.api.store, tenant.made, rule("recurring"), timezone="Pacific/Kiritimati"
        )
        moved = add_structure(tenant.api.store, tenant.made, rule("recurring"))
        for structure in (kiritimati_structure, moved):
            add_assignment(tenant.api.store, structure, creator["id"])
        tenant.client.data("DELETE", f"/creators/{creator['id']}")
        assert listed(tenant, str(kiritimati_structure))[0]["end_date"] == TOMORROW
        assert listed(tenant, str(moved))[0]["end_date"] == TODAY


class TestPause:
    """money.md M6."""

    def deactivate(self, tenant: Tenant, creator: Any) -> None:
        tenant.client.data("POST", f"/creators/{creator['id']}/deactivate", json=PAUSE)

    def reactivate(self, tenant: Tenant, creator: Any) -> None:
        tenant.client.data("POST", f"/creators/{creator['id']}/reactivate", json=RESTART)

    @pytest.fixture
    def assigned(self, tenant: Tenant, creator: Any) -> dict[str, str]:
        """When each of the creator's structures would resume after 20 May."""
        event = tenant.conversion_event()
        thursdays = tenant.payout_structure(conversion_rule(event), period_anchor=4)
        resumes = {
            tenant.payout_structure(rule("cpm", period="daily")): "2026-05-21T00:00:00Z",
            tenant.payout_structure(rule("cpm")): "2026-05-25T00:00:00Z",
            tenant.payout_structure(rule("recurring")): "2026-06-01T00:00:00Z",
            tenant.payout_structure(rule("view_threshold")): "2026-05-21T00:00:00Z",
            thursdays: "2026-05-21T00:00:00Z",
        }
        for structure in resumes:
            tenant.payout_assignment(structure, creator)
        return resumes

    def test_until_the_next_period_after_the_reactivation(
        self, tenant: Tenant, creator: Any, assigned: dict[str, str]
    ) -> None:
        self.deactivate(tenant, creator)
        for structure in assigned:
            [row] = listed(tenant, structure)
            assert (row["status"], row["paused_at"], row["resumes_at"]) == ("paused", MIDDAY, None)
        self.reactivate(tenant, creator)
        for structure, resumes_at in assigned.items():
            [row] = listed(tenant, structure)
            pause_state = (row["status"], row["paused_at"], row["resumes_at"])
            assert pause_state == ("paused", MIDDAY, resumes_at)

    def test_over_on_the_first_day_of_that_period(
        self, tenant: Tenant, creator: Any, assigned: dict[str, str]
    ) -> None:
        self.deactivate(tenant, creator)
        self.reactivate(tenant, creator)
        with tenant.api.store.write_session() as session:
            mine = select(PayoutPause).filter_by(organization_id=tenant.organization_id)
            pause = session.scalars(mine).one()
            pause.paused_at = datetime(2026, 5, 2, tzinfo=UTC)
            pause.restarted_at = datetime(2026, 5, 19, 23, 59, tzinfo=UTC)
        active = {
            structure
            for structure in assigned
            if listed(tenant, structure)[0]["status"] == "active"
        }
        soon = "2026-05-21T00:00:00Z"
        daily_and_without = {
            assignment for assignment, resumes in assigned.items() if resumes == soon
        }
        weeks_from_thursday = list(assigned)[-1]
        assert active == daily_and_without - {weeks_from_thursday}

    def test_in_the_structures_zone(self, api: Any) -> None:
        with new_tenant(api, tz="America/New_York") as tenant:
            creator = tenant.creator()
            structure = tenant.payout_structure(rule("recurring"))
            tenant.payout_assignment(structure, creator)
            self.deactivate(tenant, creator)
            self.reactivate(tenant, creator)
            assert listed(tenant, structure)[0]["resumes_at"] == "2026-06-01T04:00:00Z"

    def test_ended_ones_do_not_pause(self, tenant: Tenant, creator: Any, structure: str) -> None:
        tenant.payout_assignment(structure, creator)
        self.deactivate(tenant, creator)
        end(tenant, structure, creator)
        [row] = listed(tenant, structure)
        assert (row["status"], row["paused_at"], row["resumes_at"]) == ("ended", None, None)

    def test_kept_payouts_continue(self, tenant: Tenant, creator: Any, structure: str) -> None:
        tenant.payout_assignment(structure, creator)
        keep = {**PAUSE, "payouts": "keep"}
        tenant.client.data("POST", f"/creators/{creator['id']}/deactivate", json=keep)
        assert listed(tenant, structure)[0]["status"] == "active"

    def test_new_ones_start_paused(self, tenant: Tenant, creator: Any, structure: str) -> None:
        tenant.payout_assignment(structure, creator)
        self.deactivate(tenant, creator)
        another = tenant.payout_structure(rule("cpm"))
        assert tenant.payout_assignment(another, creator)["status"] == "paused"
