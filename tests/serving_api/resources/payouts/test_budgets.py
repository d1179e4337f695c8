"""Budgets over HTTP: their committed spend, what they stop, and their events.

The organization, its accruals and days are those of tests/fixtures/payouts.py: all end in May,
Ada's $100.00 final, $70.00 settling and $100.00 open, and Bob's $50.00 final.
"""

from concurrent.futures import ThreadPoolExecutor
from datetime import date
from typing import Any

import psycopg
import pytest
from sqlalchemy import delete

from tests.contract.cases import HOOK
from tests.factories.accruals import earning, publish_earnings
from tests.factories.payouts import rule
from tests.factories.publications import publish_rows
from tests.fixtures.api import NOW
from tests.fixtures.locks import wait_until_waiting
from tests.fixtures.payouts import Paying
from warehouse.operational.models import WebhookReach
from warehouse.webhooks.comparing import notify_of_publication

BUDGETS = "/budgets"
OF_WHAT = ("project_id", "campaign_id", "structure_id")
TODAY = NOW.isoformat().replace("+00:00", "Z")
NOTHING = {
    "open_cents": 0,
    "settling_cents": 0,
    "final_cents": 0,
    "approved_cents": 0,
    "paid_cents": 0,
}


def budget(paying: Paying, amount_cents: int, **body: Any) -> Any:
    body = {"project_id": str(paying.tenant.project_id), "name": "Spring", **body}
    body["amount_cents"] = amount_cents
    return paying.tenant.client.data("POST", BUDGETS, json=body)


def exposure(paying: Paying, made: Any) -> Any:
    return paying.tenant.client.data("GET", f"{BUDGETS}/{made['id']}")["exposure"]


def campaign_of(paying: Paying, *creators: Any) -> str:
    campaign: str = paying.tenant.campaign()["id"]
    for creator in creators:
        body = {"item_type": "creator", "item_id": creator["id"]}
        paying.tenant.client.data("POST", f"/campaigns/{campaign}/items", json=body)
    return campaign


def assign(paying: Paying, structure_id: str, creator: Any, code: str = "") -> Any:
    path = f"/payout-structures/{structure_id}/assignments"
    body = {"creator_ids": [creator["id"]]}
    if code:
        return paying.tenant.client.refusal("POST", path, code, json=body)
    return paying.tenant.client.data("POST", path, json=body)


def publish_forecasts(paying: Paying, of: dict[str, Any]) -> None:
    """Publish again, with forecasts for projects, structures or campaigns."""
    api = paying.tenant.api
    organization_id, project_id = str(paying.tenant.organization_id), str(paying.tenant.project_id)
    rows = [
        {"organization_id": organization_id, "project_id": project_id, "entity": "project"}
        | {"entity_id": entity_id, **forecast}
        for entity_id, forecast in of.items()
    ]
    publish_earnings(
        api.settings,
        api.store,
        paying.earnings.values(),
        settling_days=3,
        decided_up_to=0,
        payout_forecasts=rows,
    )


class TestProjection:
    """In the twelve days from 20 to 31 May."""

    @pytest.mark.slow
    def test_forecasts_are_added_to_earned_amounts(self, paying: Paying) -> None:
        """$192 of $240 are missing to 80%: at equal daily amounts, the tenth of twelve days."""
        to_come = {"to_come_cents": 24_000, "low_cents": 10_000, "high_cents": 40_000}
        campaigns = {name: campaign_of(paying, paying.ada) for name in ("past", "unknown")}
        hidden = {"day": date(2026, 5, 31), "hidden_because": "too_little_history"}
        publish_forecasts(
            paying,
            {
                str(paying.tenant.project_id): {"day": date(2026, 5, 31), **to_come},
                paying.structure["id"]: {**to_come, **hidden},
                campaigns["past"]: {"day": date(2026, 4, 30), **to_come},
            },
        )
        thresholds = {"thresholds": [50, 80, 100], "period": "monthly"}
        budget_committed = exposure(paying, budget(paying, 64_000, **thresholds))
        assert (budget_committed["exposure_cents"], budget_committed["reached"]) == (32_000, [50])
        names = ("projected_cents", "projected_low_cents", "projected_high_cents")
        assert [budget_committed[name] for name in names] == [56_000, 42_000, 72_000]
        assert budget_committed["projected_through"] == "2026-05-31"
        assert budget_committed["foreseen"] == [{"threshold": 80, "day": "2026-05-29"}]
        assert budget_committed["not_projected_because"] is None
        for why, of in (
            ("too_little_history", {"structure_id": paying.structure["id"]}),
            ("not_known", {"campaign_id": campaigns["past"]}),
            ("not_known", {"campaign_id": campaigns["unknown"]}),
        ):
            budget_committed = exposure(paying, budget(paying, 64_000, **thresholds, **of))
            assert [budget_committed[name] for name in names] == [None, None, None]
            assert (budget_committed["not_projected_because"], budget_committed["foreseen"]) == (
                why,
                [],
            )


class TestExposure:
    def test_earned_amounts_are_shown_beside_the_limit(self, paying: Paying) -> None:
        made = budget(paying, 64_000, period="monthly", thresholds=[50, 80])
        assert made == {
            "id": made["id"],
            "org_id": str(paying.tenant.organization_id),
            "project_id": str(paying.tenant.project_id),
            "campaign_id": None,
            "structure_id": None,
            "name": "Spring",
            "amount_cents": 64_000,
            "currency": "USD",
            "period": "monthly",
            "thresholds": [50, 80],
            "on_exceeded": "warn",
            "created_at": TODAY,
            "updated_at": TODAY,
            "version": made["version"],
            "exposure": {
                "month": "2026-05-01",
                "open_cents": 10_000,
                "settling_cents": 7_000,
                "final_cents": 15_000,
                "approved_cents": 0,
                "paid_cents": 0,
                "exposure_cents": 32_000,
                "left_cents": 32_000,
                "share": 0.5,
                "reached": [50],
                "projected_cents": None,
                "projected_low_cents": None,
                "projected_high_cents": None,
                "projected_through": None,
                "not_projected_because": "not_known",
                "foreseen": [],
            },
        }
        paying.decide("last", status="approved")
        paying.decide("bobs", status="void")
        paying.pay("settled")
        now = exposure(paying, made)
        assert {name: now[name] for name in NOTHING} == {
            **NOTHING,
            "open_cents": 10_000,
            "approved_cents": 7_000,
            "paid_cents": 10_000,
        }
        assert (now["exposure_cents"], now["left_cents"], now["reached"]) == (27_000, 37_000, [])

    @pytest.mark.slow
    def test_each_is_of_its_own_accruals_and_month(self, paying: Paying) -> None:
        april = (date(2026, 4, 20), date(2026, 4, 26))
        paying.earnings["april"] = earning(
            paying.tenant, paying.structure, paying.bob, april, 4_000
        )
        paying.publish()
        other = paying.tenant.payout_structure(rule("recurring"))
        bobs = campaign_of(paying, paying.bob)
        made = {
            "all": budget(paying, 100_000),
            "month": budget(paying, 100_000, period="monthly"),
            "structure": budget(paying, 100_000, structure_id=paying.structure["id"]),
            "other structure": budget(paying, 100_000, structure_id=other),
            "campaign": budget(paying, 100_000, campaign_id=bobs),
            "month of campaign": budget(paying, 100_000, campaign_id=bobs, period="monthly"),
            "empty campaign": budget(
                paying, 100_000, campaign_id=paying.tenant.campaign("E")["id"]
            ),
        }
        assert {
            name: exposure(paying, budget_row)["exposure_cents"]
            for name, budget_row in made.items()
        } == {
            "all": 36_000,
            "month": 32_000,
            "structure": 36_000,
            "other structure": 0,
            "campaign": 9_000,
            "month of campaign": 5_000,
            "empty campaign": 0,
        }


class TestStop:
    def test_assignments_are_refused_once_nothing_is_left(self, paying: Paying) -> None:
        structure = paying.tenant.payout_structure(rule("recurring"))
        made = budget(paying, 32_001, on_exceeded="stop_assignments")
        assign(paying, structure, paying.ada)
        path = f"{BUDGETS}/{made['id']}"
        paying.tenant.client.data("PATCH", path, json={"amount_cents": 32_000})
        meta = assign(paying, structure, paying.bob, "budget_exceeded")
        assert meta["budgets"] == {made["id"]: "Spring"}
        # Earned amounts do not change, and a decision makes room again.
        assert paying.balance(paying.bob)["accrued_cents"] == 5_000
        paying.decide("bobs", status="void")
        assign(paying, structure, paying.bob)

    def test_it_stops_its_own_scope_and_a_warning_stops_nothing(self, paying: Paying) -> None:
        own = paying.structure["id"]
        other = paying.tenant.payout_structure(rule("recurring"))
        stops: dict[str, Any] = {"on_exceeded": "stop_assignments"}
        budget(paying, 1)
        budget(paying, 1, structure_id=own, **stops)
        budget(paying, 1, campaign_id=campaign_of(paying, paying.bob), name="Bobs", **stops)
        assign(paying, other, paying.ada)
        named = assign(paying, other, paying.bob, "budget_exceeded")["budgets"]
        assert list(named.values()) == ["Bobs"]
        named = assign(paying, own, paying.bob, "budget_exceeded")["budgets"]
        assert list(named.values()) == ["Spring", "Bobs"]


class TestChange:
    def test_budgets_are_listed_changed_and_deleted(self, paying: Paying) -> None:
        client = paying.tenant.client
        campaign = campaign_of(paying, paying.bob)
        first, second = budget(paying, 5_000), budget(paying, 6_000, campaign_id=campaign)
        assert [each["id"] for each in client.data("GET", BUDGETS)] == [second["id"], first["id"]]
        [listed_budget] = client.data("GET", BUDGETS, params={"campaign_id": campaign})
        assert listed_budget == {name: each for name, each in second.items() if name != "exposure"}
        body = {"name": "Later", "thresholds": [], "on_exceeded": "stop_assignments"}
        changed = client.data("PATCH", f"{BUDGETS}/{first['id']}", json=body)
        exposure = {**first["exposure"], "reached": []}
        version = changed["version"]
        assert changed == {**first, **body, "exposure": exposure, "version": version}
        client.data("DELETE", f"{BUDGETS}/{first['id']}")
        client.data("DELETE", f"/campaigns/{campaign}")
        assert client.data("GET", BUDGETS) == []

    def test_its_scope_must_belong_to_its_project(self, owing: Paying) -> None:
        project = str(owing.tenant.project_id)
        for name in ("project_id", "campaign_id", "structure_id"):
            body = {"project_id": project, "name": "Spring", "amount_cents": 100}
            body[name] = owing.ada["id"]
            owing.tenant.client.refusal("POST", BUDGETS, "not_found", json=body)

    @pytest.mark.slow
    def test_a_projects_budgets_are_limited(self, paying: Paying) -> None:
        for _ in range(25):
            budget(paying, 100)
        body = {"project_id": str(paying.tenant.project_id), "name": "One", "amount_cents": 1}
        client = paying.tenant.client
        meta = client.refusal("POST", BUDGETS, "conflict", json=body)
        assert meta["reason"] == "too_many_budgets"


class TestTold:
    @pytest.mark.slow
    def test_each_threshold_is_reported_once_for_an_amount(self, paying: Paying) -> None:
        client, api = paying.tenant.client, paying.tenant.api
        client.data("POST", "/webhook-endpoints", json=HOOK)
        made = budget(paying, 40_000, period="monthly", thresholds=[50, 80, 100])

        def events_after(month: int, cents: int, reached: list[int]) -> list[tuple[int, int]]:
            """Return the events after publishing that the budget has this committed spend."""
            known = {
                "organization_id": made["org_id"],
                **{name: made[name] for name in OF_WHAT},
                "budget_id": made["id"],
                "month": date(2026, month, 1),
                "amount_cents": client.data("GET", path)["amount_cents"],
                "exposure_cents": cents,
                "reached": reached,
            }
            past = {**known, "month": date(2026, month - 1, 1), "reached": [99]}
            rows = [{**known, "is_present": True}, {**past, "is_present": False}]
            publish_rows(
                api.settings,
                NOW,
                run=[{"as_of": NOW}],
                organizations=[{"organization_id": made["org_id"]}],
                budget_committed=rows,
            )
            with api.store.write_session() as session:
                # As after an upgrade: test publications are not comparable.
                session.execute(delete(WebhookReach))
            notify_of_publication(api.settings, api.store)
            events = client.data("GET", "/webhook-events", params={"type": "budget.reached"})
            return sorted(
                (event["data"]["threshold"], event["data"]["amount_cents"]) for event in events
            )

        path = f"{BUDGETS}/{made['id']}"
        assert events_after(5, 32_000, [50, 80]) == [(50, 40_000), (80, 40_000)]
        assert len(events_after(5, 18_000, [])) == 2
        assert len(events_after(5, 32_000, [50, 80])) == 2
        assert max(events_after(5, 40_000, [50, 80, 100])) == (100, 40_000)
        client.data("PATCH", path, json={"amount_cents": 80_000})
        expected = [(50, 40_000), (50, 80_000), (80, 40_000), (100, 40_000)]
        assert events_after(5, 40_000, [50]) == expected
        [last, *_] = client.data("GET", "/webhook-events", params={"entity_id": made["id"]})
        assert last["data"] == {
            "budget_id": made["id"],
            "project_id": made["project_id"],
            "campaign_id": None,
            "structure_id": None,
            "month": "2026-05-01",
            "threshold": 50,
            "amount_cents": 80_000,
            "exposure_cents": 40_000,
        }
        assert events_after(6, 40_000, [50]) == sorted([*expected, (50, 80_000)])

    def test_program_health_lists_budgets_that_reached_a_threshold(self, paying: Paying) -> None:
        campaign = campaign_of(paying, paying.bob)
        reached = budget(paying, 40_000)
        budget(paying, 50_000)
        of_campaign = budget(paying, 5_000, campaign_id=campaign)
        path = f"/projects/{paying.tenant.project_id}/program-health"
        client = paying.tenant.client
        first, second = client.data("GET", path)["alerts"]["reached_budgets"]
        assert first == {
            "budget_id": reached["id"],
            "name": "Spring",
            "amount_cents": 40_000,
            "on_exceeded": "warn",
            "exposure": reached["exposure"],
        }
        assert reached["exposure"]["reached"] == [80]
        assert (second["budget_id"], second["exposure"]["reached"]) == (
            of_campaign["id"],
            [80, 100],
        )
        answer = client.data("GET", path, params={"campaign_id": campaign})
        assert [alert["budget_id"] for alert in answer["alerts"]["reached_budgets"]] == [
            of_campaign["id"]
        ]


def test_a_budget_of_a_structure_that_is_deleted_meanwhile_is_a_lost_race(paying: Paying) -> None:
    """It was a 500: the structure was deleted between its look-up and the insert."""
    tenant = paying.tenant
    structure_id = tenant.payout_structure(rule("recurring", period="weekly", amount_cents=100))
    body = {"project_id": str(tenant.project_id), "name": "Late", "amount_cents": 100}
    with psycopg.connect(tenant.api.store.dsn) as deleting, ThreadPoolExecutor(1) as pool:
        for table, column in (("payout_versions", "structure_id"), ("payout_structures", "id")):
            deleting.execute(f"delete from {table} where {column} = %s", [structure_id])
        future = pool.submit(
            tenant.client.post, BUDGETS, json={**body, "structure_id": structure_id}
        )
        wait_until_waiting(tenant.api.store.dsn)
        deleting.commit()
        answer = future.result()
    assert (answer.status_code, answer.json()["meta"]["code"]) == (409, "conflict")
