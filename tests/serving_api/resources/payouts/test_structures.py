"""Payout structures: created, changed version by version, archived and deleted."""

import json
import re
from datetime import UTC, date, datetime
from typing import Any

import pytest
from sqlalchemy import select

from serving_api.resources.payouts.structures.repository import next_start, span_of
from serving_api.resources.payouts.structures.rules import Period
from tests.factories.accruals import decided, earning
from tests.factories.payouts import add_assignment, add_structure, conversion_rule, rule
from tests.fixtures.api import NOW, PREFIX, Tenant
from warehouse.operational.models import PayoutVersion

RULE_FIELDS = (
    "period",
    "amount_cents",
    "currency",
    "criteria_type",
    "criteria_params",
    "proration_mode",
    "backfill_on_assignment",
    "period_anchor",
    "platform_scope",
    "platform",
    "account_id",
)


def path_of(structure: str) -> str:
    return f"/payout-structures/{structure}"


def read(tenant: Tenant, structure: str) -> Any:
    return tenant.client.data("GET", path_of(structure))


def change_rule(tenant: Tenant, structure: str, **new: Any) -> Any:
    return tenant.client.data("PATCH", path_of(structure), json={"kind": "rule", **new})


def versions_of(tenant: Tenant, structure: str) -> list[PayoutVersion]:
    own = PayoutVersion.organization_id == tenant.organization_id
    with tenant.api.store.read_session() as session:
        ordered = select(PayoutVersion).where(own).order_by(PayoutVersion.number)
        return [row for row in session.scalars(ordered) if str(row.structure_id) == structure]


class TestCreate:
    def test_the_structure_and_its_first_version(self, tenant: Tenant) -> None:
        body = {
            "project_id": str(tenant.project_id),
            "name": "Monthly fee",
            "metadata": {"team": "launch"},
            "readme": "# Fee",
            **rule("recurring", proration_mode="prorate"),
        }
        made = tenant.client.data("POST", "/payout-structures", json=body)
        assert made.keys() == {"structure_id", "version_id"}
        structure = read(tenant, made["structure_id"])
        [version] = structure["versions"]
        assert structure["current_version"] == version
        assert (version["id"], version["version_number"]) == (made["version_id"], 1)
        assert version["created_by"] == str(tenant.made.user_id)
        assert {name: structure[name] for name in RULE_FIELDS} == {
            **{name: version[name] for name in RULE_FIELDS},
            **rule("recurring", proration_mode="prorate"),
            "platform_scope": "all",
        }
        about = {name: structure[name] for name in ("name", "metadata", "readme", "project_id")}
        assert about == {name: body[name] for name in about}
        assert (structure["is_active"], structure["assignment_count"]) == (True, 0)
        assert (structure["timezone"], structure["archived_at"]) == ("UTC", None)

    def test_nulls_are_defaults(self, tenant: Tenant) -> None:
        nulls = {"metadata": None, "readme": None, "platform_scope": None}
        structure = read(tenant, tenant.payout_structure(rule("recurring"), **nulls))
        assert (structure["metadata"], structure["readme"], structure["platform_scope"]) == (
            {},
            None,
            "all",
        )


class TestExamples:
    KINDS = ("NewRecurring", "NewGoals", "NewCpm", "NewViewThreshold", "NewPerConversion")

    @pytest.mark.slow
    def test_the_document_has_a_valid_example_of_each_kind(self, tenant: Tenant) -> None:
        content = tenant.api.document["paths"][f"{PREFIX}/payout-structures"]["post"]["requestBody"]
        examples = content["content"]["application/json"]["examples"]
        assert tuple(examples) == self.KINDS
        event = f'"conversion_event_id": "{tenant.conversion_event()["id"]}"'
        for example in examples.values():
            text = json.dumps({**example["value"], "project_id": str(tenant.project_id)})
            body = re.sub('"conversion_event_id": "[^"]+"', event, text)
            tenant.client.data("POST", "/payout-structures", json=json.loads(body))


class TestList:
    def test_rows_equal_the_detail(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("cpm"))
        change_rule(tenant, structure, **rule("cpm", period="daily"))
        [row] = tenant.client.data("GET", "/payout-structures")
        detail = read(tenant, structure)
        assert row["period"] == "daily"
        assert row == {name: detail[name] for name in row}
        assert detail.keys() - row.keys() == {
            "readme_version",
            "current_version",
            "versions",
            "assignment_count",
        }

    def test_filters(self, tenant: Tenant, other: Tenant) -> None:
        active, archived = (tenant.payout_structure(rule("recurring")) for _ in range(2))
        tenant.client.data("DELETE", path_of(archived))
        other.payout_structure(rule("recurring"))

        def listed(**query: str) -> list[str]:
            rows = tenant.client.data("GET", "/payout-structures", params=query)
            return [row["id"] for row in rows]

        assert listed() == [archived, active]
        assert listed(is_active="true") == [active]
        assert listed(is_active="false", project_id=str(tenant.project_id)) == [archived]
        assert listed(project_id=str(other.project_id)) == []
        for query in ({"limit": "101"}, {"is_active": "maybe"}, {"status": "active"}):
            tenant.client.refusal("GET", "/payout-structures", "invalid_query", params=query)


class TestCosmetic:
    def test_name_and_metadata_make_no_version(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("recurring"), metadata={"a": 1})
        body = {"kind": "cosmetic", "name": "  New name ", "metadata": {"b": 2}}
        row = tenant.client.data("PATCH", path_of(structure), json=body)
        assert (row["name"], row["metadata"]) == ("New name", {"b": 2})
        assert [row] == tenant.client.data("GET", "/payout-structures")
        only_name = {"kind": "cosmetic", "name": "Newer"}
        assert tenant.client.data("PATCH", path_of(structure), json=only_name)["metadata"] == {
            "b": 2
        }
        assert len(read(tenant, structure)["versions"]) == 1


class TestRule:
    def test_a_new_version_keeps_the_previous_ones(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("recurring"))
        [first] = read(tenant, structure)["versions"]
        made = change_rule(tenant, structure, **rule("recurring", amount_cents=7))
        assert made["version_number"] == 2
        answer = read(tenant, structure)
        assert answer["amount_cents"] == 7
        assert answer["versions"] == [answer["current_version"], first]
        assert answer["current_version"]["id"] == made["version_id"]
        same = change_rule(tenant, structure, **rule("recurring", amount_cents=7))
        assert same["version_number"] == 3

    def test_a_version_is_never_older_than_the_previous_one(self, tenant: Tenant) -> None:
        """money.md M4: the version created last counts."""
        later = datetime(2026, 7, 1, tzinfo=UTC)
        structure = str(
            add_structure(tenant.api.store, tenant.made, rule("recurring"), created_at=later)
        )
        change_rule(tenant, structure, **rule("recurring", amount_cents=7))
        assert [row.created_at for row in versions_of(tenant, structure)] == [later, later]
        fresh = tenant.payout_structure(rule("recurring"))
        assert [row.created_at for row in versions_of(tenant, fresh)] == [NOW]

    def test_the_scope_is_unchanged_unless_sent(self, tenant: Tenant) -> None:
        account = tenant.creator()["accounts"][0]["id"]
        scope = {"platform_scope": "account", "account_id": account}
        structure = tenant.payout_structure(rule("cpm", **scope))
        # An account removed since may remain.
        tenant.client.data("DELETE", f"/accounts/{account}")
        change_rule(tenant, structure, **rule("cpm"))
        assert read(tenant, structure)["account_id"] == account
        change_rule(tenant, structure, **rule("cpm", **scope))
        change_rule(tenant, structure, **rule("cpm", platform_scope="all"))
        answer = read(tenant, structure)
        assert (answer["platform_scope"], answer["account_id"]) == ("all", None)
        tenant.client.refusal(
            "PATCH",
            path_of(structure),
            "invalid_body",
            json={"kind": "rule", **rule("cpm", **scope)},
        )

    def test_fields_set_at_creation_stay(self, tenant: Tenant) -> None:
        weekly = conversion_rule(tenant.conversion_event())
        structure = tenant.payout_structure(weekly, period_anchor=4, backfill_on_assignment=True)
        change_rule(tenant, structure, **weekly)
        answer = read(tenant, structure)
        assert (answer["period_anchor"], answer["backfill_on_assignment"]) == (4, True)
        change_rule(tenant, structure, **rule("recurring"))
        answer = read(tenant, structure)
        assert (answer["period_anchor"], answer["backfill_on_assignment"]) == (None, False)


class TestShape:
    """`structure_shape_locked`."""

    def test_the_shape_is_free_before_the_first_assignment(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("recurring"))
        change_rule(tenant, structure, **rule("recurring", period="daily"))
        change_rule(tenant, structure, **rule("view_threshold"))
        assert read(tenant, structure)["criteria_type"] == "view_threshold"

    def test_the_shape_is_locked_once_a_creator_was_assigned(self, tenant: Tenant) -> None:
        event = tenant.conversion_event()
        creator = tenant.creator()
        for before, same, others in (
            (
                rule("recurring"),
                rule("recurring", amount_cents=1, proration_mode="full"),
                [rule("recurring", period="daily"), rule("cpm", period="monthly")],
            ),
            (
                conversion_rule(event),
                conversion_rule(event, platform_scope="platform", platform="tiktok"),
                [conversion_rule(event, "daily"), conversion_rule(event, "every_conversion")],
            ),
        ):
            structure = tenant.payout_structure(before)
            tenant.payout_assignment(structure, creator)
            named = {"creator_ids": [creator["id"]]}
            tenant.client.data("DELETE", f"{path_of(structure)}/assignments", json=named)
            assert change_rule(tenant, structure, **same)["version_number"] == 2
            for other in others:
                tenant.client.refusal(
                    "PATCH",
                    path_of(structure),
                    "structure_shape_locked",
                    json={"kind": "rule", **other},
                )
            assert len(read(tenant, structure)["versions"]) == 2


class TestRemove:
    def test_archiving_ends_assignments_today_and_refuses_new_ones(self, tenant: Tenant) -> None:
        """money.md M5."""
        structure = tenant.payout_structure(rule("recurring"))
        running, planned = tenant.creator("running"), tenant.creator("planned")
        tenant.payout_assignment(structure, running, start_date="2026-05-01")
        tenant.payout_assignment(structure, planned, start_date="2026-06-01")
        assert read(tenant, structure)["assignment_count"] == 2
        gone = {"id": structure, "mode": "archive"}
        for _ in range(2):
            assert tenant.client.data("DELETE", path_of(structure)) == gone
        answer = read(tenant, structure)
        assert (answer["is_active"], answer["archived_at"]) == (False, "2026-05-20T12:00:00Z")
        assert answer["assignment_count"] == 0
        [assignment] = tenant.client.data("GET", f"{path_of(structure)}/assignments")
        assert (assignment["creator_id"], assignment["end_date"]) == (running["id"], "2026-05-20")
        meta = tenant.client.refusal(
            "POST",
            f"{path_of(structure)}/assignments",
            "conflict",
            json={"creator_ids": [planned["id"]]},
        )
        assert meta["reason"] == "structure_archived"

    def test_one_never_assigned_can_be_deleted_for_good(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("recurring"))
        change_rule(tenant, structure, **rule("recurring"))
        gone = tenant.client.data("DELETE", path_of(structure), params={"mode": "hard"})
        assert gone == {"id": structure, "mode": "hard"}
        assert versions_of(tenant, structure) == []
        for method in ("GET", "DELETE"):
            tenant.client.refusal(method, path_of(structure), "not_found")

    def test_one_that_was_assigned_can_not(self, tenant: Tenant) -> None:
        structure = add_structure(tenant.api.store, tenant.made, rule("recurring"))
        creator = tenant.creator()["id"]
        add_assignment(tenant.api.store, structure, creator, date(2025, 1, 1), date(2025, 1, 31))
        path, hard = path_of(str(structure)), {"mode": "hard"}
        tenant.client.refusal("DELETE", path, "structure_in_use", params=hard)
        assert len(versions_of(tenant, str(structure))) == 1

    def test_a_structure_whose_only_assignment_was_cancelled_cannot(self, tenant: Tenant) -> None:
        """Its accrual of this month may be published, so its shape is locked too."""
        structure, creator = tenant.payout_structure(rule("recurring")), tenant.creator()
        tenant.payout_assignment(structure, creator, start_date="2026-05-25")
        path, named = path_of(structure), {"creator_ids": [creator["id"]]}
        tenant.client.data("DELETE", f"{path}/assignments", json=named)
        assert tenant.client.data("GET", f"{path}/assignments") == []
        tenant.client.refusal("DELETE", path, "structure_in_use", params={"mode": "hard"})
        other = {"kind": "rule", **rule("recurring", period="daily")}
        tenant.client.refusal("PATCH", path, "structure_shape_locked", json=other)

    def test_a_structure_with_a_decided_accrual_cannot(self, tenant: Tenant) -> None:
        structure = tenant.payout_structure(rule("recurring"))
        answer = tenant.client.data("GET", path_of(structure))
        days = (date(2026, 4, 1), date(2026, 4, 30))
        decided(tenant, earning(tenant, answer, tenant.creator(), days, 10_000))
        path, hard = path_of(structure), {"mode": "hard"}
        tenant.client.refusal("DELETE", path, "structure_in_use", params=hard)


def test_the_schema_matches_the_responses(tenant: Tenant) -> None:
    entities = {
        entity["name"]: entity for entity in tenant.client.data("GET", "/schema")["entities"]
    }
    structure = tenant.payout_structure(rule("recurring"))
    assignment = tenant.payout_assignment(structure, tenant.creator())
    structure_row = read(tenant, structure)
    for name, answer in (
        ("payout_structure", structure_row),
        ("payout_version", structure_row["current_version"]),
        ("payout_assignment", assignment),
    ):
        assert {field["name"] for field in entities[name]["fields"]} == answer.keys()


@pytest.mark.parametrize(
    ("day", "period", "anchor", "first", "last"),
    [
        ("2026-05-20", None, None, "2026-05-20", "2026-05-20"),
        ("2026-05-20", "daily", None, "2026-05-20", "2026-05-20"),
        ("2026-05-20", "monthly", None, "2026-05-01", "2026-05-31"),
        ("2026-12-31", "monthly", None, "2026-12-01", "2026-12-31"),
        # 18 May 2026 is a Monday.
        ("2026-05-20", "weekly", None, "2026-05-18", "2026-05-24"),
        ("2026-05-20", "weekly", 1, "2026-05-18", "2026-05-24"),
        ("2026-05-20", "weekly", 3, "2026-05-20", "2026-05-26"),
        ("2026-05-20", "weekly", 4, "2026-05-14", "2026-05-20"),
        ("2026-05-18", "weekly", 7, "2026-05-17", "2026-05-23"),
    ],
)
def test_periods_hold_whole_days(
    day: str, period: Period | None, anchor: int | None, first: str, last: str
) -> None:
    """money.md M2."""
    span = span_of(date.fromisoformat(day), period, anchor, "Europe/Berlin")
    assert (span.first.isoformat(), span.last.isoformat()) == (first, last)
    following = next_start(date.fromisoformat(day), period, anchor, "Europe/Berlin")
    assert (following - span.last).days == 1
