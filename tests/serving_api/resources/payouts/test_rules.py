"""The allowed fields of a rule, by type: the contract's tables of the create body and
criteria_params.

Errors name the field, and nothing is created. All tests share one organization.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter, ValidationError

from serving_api.resources.payouts.structures.bodies import AnyNewStructure, NewStructureBody
from serving_api.resources.payouts.structures.criteria import stored
from tests.factories.payouts import RULES, conversion_rule, rule
from tests.fixtures.api import Api, Tenant, new_tenant

TIERS = rule("cpm")["criteria_params"]["tiers"]
LAST = {"up_to_impressions": None, "cents_per_thousand": 80}
BODY: TypeAdapter[AnyNewStructure] = TypeAdapter(NewStructureBody)
BONUS = {"view_count": 1_000, "amount_cents": 5_000}


@dataclass(frozen=True)
class Stage:
    """A project with an account and an event in dollars, and rows of another organization."""

    tenant: Tenant
    account: str
    removed_account: str
    strange_account: str
    event: Any
    event_in_euro: Any
    strange_event: Any

    def create(self, rule: Mapping[str, Any]) -> Any:
        made = self.tenant.payout_structure(rule)
        return self.tenant.client.data("GET", f"/payout-structures/{made}")

    def refused_at(self, rule: Mapping[str, Any]) -> list[str]:
        """Return the fields that the error names."""
        body = {"project_id": str(self.tenant.project_id), "name": "Fee", **rule}
        meta = self.tenant.client.refusal("POST", "/payout-structures", "invalid_body", json=body)
        return [issue["path"] for issue in meta["issues"]]


@pytest.fixture(scope="module")
def stage(api: Api) -> Iterator[Stage]:
    with new_tenant(api) as tenant, new_tenant(api) as other:
        removed = tenant.creator("removed")["accounts"][0]["id"]
        tenant.client.data("DELETE", f"/accounts/{removed}")
        yield Stage(
            tenant,
            account=tenant.creator()["accounts"][0]["id"],
            removed_account=removed,
            strange_account=other.creator()["accounts"][0]["id"],
            event=tenant.conversion_event(),
            event_in_euro=tenant.conversion_event("euro", currency="EUR"),
            strange_event=other.conversion_event(),
        )


def of(criteria_type: str, **params: Any) -> dict[str, Any]:
    """A rule with these parameters added or replaced."""
    usual = rule(criteria_type)
    return {**usual, "criteria_params": {**usual["criteria_params"], **params}}


def rates(*given: Mapping[str, Any], cadence: str = "weekly") -> dict[str, Any]:
    """A conversion rule with these rates."""
    period = None if cadence == "every_conversion" else cadence
    return rule("conversion", period=period, criteria_params={"cadence": cadence, "rates": given})


@pytest.mark.parametrize("kind", ["recurring", "goals", "cpm"])
@pytest.mark.parametrize("period", ["daily", "weekly", "monthly"])
def test_pay_by_period(stage: Stage, kind: str, period: str) -> None:
    made = stage.create(rule(kind, period=period, proration_mode="prorate"))
    assert (made["period"], made["proration_mode"]) == (period, "prorate")
    assert (made["backfill_on_assignment"], made["period_anchor"]) == (False, None)


@pytest.mark.parametrize(
    ("params", "stored"),
    [
        (
            {"mode": "all"},
            {"partial_allowed": False, "partial_multiplier": 1, "min_completion_pct": 0},
        ),
        (
            {
                "mode": "all",
                "n": None,
                "partial_allowed": True,
                "partial_multiplier": 0.123456,
                "min_completion_pct": 33.333333,
            },
            {
                "partial_allowed": True,
                "partial_multiplier": 0.123456,
                "min_completion_pct": 33.333333,
            },
        ),
        ({"mode": "all", "partial_multiplier": None}, {"partial_multiplier": 1}),
        ({"mode": "any"}, {"n": None, "partial_allowed": False}),
        ({"mode": "n_of_m", "n": 2}, {"n": 2}),
    ],
)
def test_goal_parameters(stage: Stage, params: dict[str, Any], stored: dict[str, object]) -> None:
    made = stage.create(rule("goals", criteria_params=params))["criteria_params"]
    assert made.keys() == {
        "mode",
        "n",
        "partial_allowed",
        "partial_multiplier",
        "min_completion_pct",
    }
    assert stored.items() <= made.items()


def test_parameters_of_cpm_are_completed(stage: Stage) -> None:
    made = stage.create(rule("cpm", amount_cents=None))
    assert made["amount_cents"] == 0
    assert made["criteria_params"] == {
        "source": "views_gained",
        "view_lifetime_days": None,
        "min_impressions": 0,
        "max_payout_cents": None,
        "tiers": TIERS,
    }
    params = {
        "source": "posts_in_period",
        "view_lifetime_days": 3650,
        "min_impressions": 5_000,
        "max_payout_cents": 0,
        "tiers": [{"up_to_impressions": None, "cents_per_thousand": 0.000001}],
    }
    stored = stage.create(rule("cpm", amount_cents=12, criteria_params=params))
    assert stored["amount_cents"] == 0
    assert stored["criteria_params"] == {**params, "source": "views_gained"}


def test_thresholds_and_rates_are_stored_as_sent(stage: Stage) -> None:
    bonuses = [{"view_count": n, "amount_cents": 0} for n in (10**6, *range(1, 10))]
    made = stage.create(of("view_threshold", thresholds=bonuses))
    assert made["criteria_params"] == {"thresholds": [{**b, "currency": "USD"} for b in bonuses]}
    assert (made["period"], made["amount_cents"], made["proration_mode"]) == (None, None, "skip")
    event = stage.event["id"]
    flat = {"conversion_event_id": event, "rate_type": "flat", "amount_cents": 250}
    for cadence in ("every_conversion", "daily", "weekly", "monthly"):
        params = stage.create(rates(flat, cadence=cadence))["criteria_params"]
        assert params == {"cadence": cadence, "rates": [flat]}


def test_a_returned_rule_can_be_sent_again(stage: Stage) -> None:
    kinds = [rule(kind) for kind in ("recurring", "goals", "cpm", "view_threshold")]
    for sent in (*kinds, conversion_rule(stage.event)):
        made = stage.create(sent)
        again = {name: made[name] for name in (*sent, "backfill_on_assignment", "period_anchor")}
        assert stage.create(again)["criteria_params"] == made["criteria_params"]


@pytest.mark.parametrize("sent", [True, False, None])
def test_backfill_is_for_thresholds_and_conversions(stage: Stage, sent: bool | None) -> None:
    for taken in (rule("view_threshold"), conversion_rule(stage.event)):
        made = stage.create({**taken, "backfill_on_assignment": sent})
        assert made["backfill_on_assignment"] is bool(sent)
    for other in ("recurring", "goals", "cpm"):
        body = rule(other, backfill_on_assignment=sent)
        if sent:
            assert stage.refused_at(body) == ["backfill_on_assignment"]
        else:
            assert stage.create(body)["backfill_on_assignment"] is False


def test_only_weeks_of_conversions_begin_on_another_day(stage: Stage) -> None:
    """money.md M2."""
    weekly = conversion_rule(stage.event)
    assert stage.create({**weekly, "period_anchor": 7})["period_anchor"] == 7
    assert stage.create({**weekly, "period_anchor": None})["period_anchor"] is None
    others = [rule(kind, period="weekly") for kind in ("recurring", "goals", "cpm")]
    others += [rule("view_threshold"), conversion_rule(stage.event, "every_conversion")]
    others += [conversion_rule(stage.event, "daily"), conversion_rule(stage.event, "monthly")]
    for other in others:
        assert stage.refused_at({**other, "period_anchor": 1}) == ["period_anchor"]
    for wrong in (0, 8, "1", 1.5):
        assert stage.refused_at({**weekly, "period_anchor": wrong}) == ["period_anchor"]


@pytest.mark.parametrize("kind", ["recurring", "goals", "cpm", "view_threshold", "conversion"])
@pytest.mark.parametrize(
    "field",
    ["period", "amount_cents", "currency", "criteria_type", "criteria_params", "proration_mode"],
)
def test_every_field_of_a_rule_has_to_be_sent(stage: Stage, kind: str, field: str) -> None:
    body = conversion_rule(stage.event) if kind == "conversion" else rule(kind)
    del body[field]
    assert field in stage.refused_at(body)


@pytest.mark.parametrize(
    ("kind", "field", "value"),
    [
        *((kind, "period", None) for kind in ("recurring", "goals", "cpm")),
        *((kind, "amount_cents", None) for kind in ("recurring", "goals")),
        *((kind, "period", "weekly") for kind in ("view_threshold",)),
        ("view_threshold", "amount_cents", 0),
        ("view_threshold", "proration_mode", "full"),
        ("recurring", "period", "yearly"),
        ("recurring", "amount_cents", -1),
        ("recurring", "amount_cents", 10.5),
        ("recurring", "amount_cents", 9_000_000_001),
        ("recurring", "amount_cents", "100"),
        ("recurring", "currency", "EUR"),
        ("recurring", "currency", "usd"),
        ("recurring", "proration_mode", "partly"),
        ("recurring", "criteria_type", "bonus"),
        ("recurring", "criteria_type", ["cpm"]),
        ("recurring", "criteria_params", None),
        ("recurring", "name", ""),
        ("recurring", "name", "x" * 201),
        ("recurring", "name", "\x00"),
        ("recurring", "project_id", "none"),
        ("recurring", "metadata", []),
        ("recurring", "readme", 1),
        ("recurring", "bonus", 1),
    ],
)
def test_wrong_fields_are_named(stage: Stage, kind: str, field: str, value: object) -> None:
    assert stage.refused_at({**rule(kind), field: value}) == [field]


@pytest.mark.parametrize(
    ("kind", "params", "path"),
    [
        ("recurring", {"bonus": 1}, "bonus"),
        ("goals", {"mode": None}, "mode"),
        ("goals", {"mode": "some"}, "mode"),
        ("goals", {"mode": "n_of_m"}, ""),
        ("goals", {"mode": "any", "n": 1}, ""),
        ("goals", {"mode": "n_of_m", "n": 0}, "n"),
        ("goals", {"mode": "any", "partial_allowed": True}, ""),
        ("goals", {"mode": "any", "partial_multiplier": 0.5}, ""),
        ("goals", {"mode": "n_of_m", "n": 1, "min_completion_pct": 50}, ""),
        ("goals", {"partial_multiplier": 1.000001}, "partial_multiplier"),
        ("goals", {"partial_multiplier": -0.1}, "partial_multiplier"),
        ("goals", {"partial_multiplier": 0.1234567}, "partial_multiplier"),
        ("goals", {"partial_allowed": 1}, "partial_allowed"),
        ("goals", {"min_completion_pct": 101}, "min_completion_pct"),
        ("cpm", {"source": "likes"}, "source"),
        ("cpm", {"view_lifetime_days": 0}, "view_lifetime_days"),
        ("cpm", {"view_lifetime_days": 3651}, "view_lifetime_days"),
        ("cpm", {"min_impressions": -1}, "min_impressions"),
        ("cpm", {"max_payout_cents": -1}, "max_payout_cents"),
        ("cpm", {"tiers": []}, "tiers"),
        ("cpm", {"tiers": [TIERS[0]]}, "tiers"),
        ("cpm", {"tiers": [LAST, LAST]}, "tiers"),
        ("cpm", {"tiers": [TIERS[0], TIERS[0], LAST]}, "tiers"),
        ("cpm", {"tiers": [TIERS[0], {**TIERS[0], "up_to_impressions": 9_999}, LAST]}, "tiers"),
        ("cpm", {"tiers": [{**LAST, "cents_per_thousand": 1e-7}]}, "tiers.0.cents_per_thousand"),
        ("cpm", {"tiers": [{**LAST, "cents_per_thousand": -1}]}, "tiers.0.cents_per_thousand"),
        ("cpm", {"tiers": [{**LAST, "cents_per_thousand": "80"}]}, "tiers.0.cents_per_thousand"),
        ("cpm", {"tiers": [{**LAST, "cents_per_thousand": 1e9}]}, "tiers.0.cents_per_thousand"),
        ("cpm", {"tiers": [{"cents_per_thousand": 1}]}, "tiers.0.up_to_impressions"),
        ("cpm", {"tiers": [{**LAST, "bonus": 1}]}, "tiers.0.bonus"),
        ("view_threshold", {"thresholds": []}, "thresholds"),
        (
            "view_threshold",
            {"thresholds": [{**BONUS, "view_count": n} for n in range(1, 12)]},
            "thresholds",
        ),
        ("view_threshold", {"thresholds": [BONUS, {**BONUS, "amount_cents": 1}]}, "thresholds"),
        ("view_threshold", {"thresholds": [{**BONUS, "view_count": 0}]}, "thresholds.0.view_count"),
        ("view_threshold", {"thresholds": [{**BONUS, "currency": "EUR"}]}, "thresholds.0.currency"),
        (
            "view_threshold",
            {"thresholds": [{**BONUS, "amount_cents": -1}]},
            "thresholds.0.amount_cents",
        ),
    ],
)
def test_parameters_are_named(stage: Stage, kind: str, params: dict[str, Any], path: str) -> None:
    assert stage.refused_at(of(kind, **params)) == [f"criteria_params.{path}".rstrip(".")]


class TestConversions:
    def test_the_period_is_the_cadence(self, stage: Stage) -> None:
        for cadence, period in (
            ("weekly", "daily"),
            ("weekly", None),
            ("every_conversion", "daily"),
        ):
            body = conversion_rule(stage.event, cadence, period=period)
            assert stage.refused_at(body) == ["period"]

    def test_nothing_else_pays(self, stage: Stage) -> None:
        fixed: dict[str, Any] = {"amount_cents": 100, "proration_mode": "prorate"}
        body = conversion_rule(stage.event, **fixed)
        assert sorted(stage.refused_at(body)) == ["amount_cents", "proration_mode"]

    @pytest.mark.parametrize(
        ("rate", "field"),
        [
            ({"rate_type": "flat"}, "amount_cents"),
            ({"rate_type": "flat", "amount_cents": -1}, "amount_cents"),
            ({"rate_type": "flat", "amount_cents": 1, "percent_bps": 1}, "percent_bps"),
            ({"rate_type": "percent"}, "percent_bps"),
            ({"rate_type": "percent", "percent_bps": 12.5}, "percent_bps"),
            ({"rate_type": "percent", "percent_bps": -1}, "percent_bps"),
            ({"rate_type": "half"}, "rate_type"),
            ({}, "rate_type"),
        ],
    )
    def test_wrong_rates_are_named(self, stage: Stage, rate: dict[str, Any], field: str) -> None:
        body = rates({"conversion_event_id": stage.event["id"], **rate})
        assert stage.refused_at(body) == [f"criteria_params.rates.0.{field}"]

    def test_one_to_25_events_each_once(self, stage: Stage) -> None:
        rate = {"rate_type": "flat", "amount_cents": 1}
        event_rate = {**rate, "conversion_event_id": stage.event["id"]}
        many = [{**rate, "conversion_event_id": str(uuid4())} for _ in range(26)]
        for some in ([], [event_rate, event_rate], many):
            assert stage.refused_at(rates(*some)) == ["criteria_params.rates"]

    def test_events_are_of_the_project_and_in_dollars(self, stage: Stage) -> None:
        """money.md M12."""
        rate = {"rate_type": "percent", "percent_bps": 1_000}
        named = (stage.event, stage.event_in_euro, stage.strange_event)
        body = rates(*({**rate, "conversion_event_id": event["id"]} for event in named))
        assert stage.refused_at(body) == [
            "criteria_params.rates.1.conversion_event_id",
            "criteria_params.rates.2.conversion_event_id",
        ]

    def test_a_deactivated_event_may_have_a_rate(self, stage: Stage) -> None:
        """Its earlier conversions are still paid."""
        event = stage.tenant.conversion_event("old")
        stage.tenant.client.data(
            "DELETE", f"/projects/{stage.tenant.project_id}/conversion-events/{event['id']}"
        )
        assert stage.create(conversion_rule(event))["criteria_params"]["rates"]


class TestScope:
    def test_all_a_platform_or_an_account(self, stage: Stage) -> None:
        for scope in (
            {"platform_scope": "platform", "platform": "instagram"},
            {"platform_scope": "account", "account_id": stage.account},
            {"platform_scope": "all", "platform": None, "account_id": None},
            {},
        ):
            made = stage.create(rule("cpm", **scope))
            expected = {"platform_scope": "all", "platform": None, "account_id": None, **scope}
            assert {name: made[name] for name in expected} == expected

    @pytest.mark.parametrize(
        ("scope", "field"),
        [
            ({"platform": "tiktok"}, "platform"),
            ({"account_id": "{account}"}, "account_id"),
            ({"platform_scope": "all", "platform": "tiktok"}, "platform"),
            ({"platform_scope": "platform"}, "platform"),
            ({"platform_scope": "platform", "platform": "youtube"}, "platform"),
            ({"platform_scope": "platform", "platform": "myspace"}, "platform"),
            ({"platform_scope": "account"}, "account_id"),
            ({"platform_scope": "account", "account_id": "{strange}"}, "account_id"),
            ({"platform_scope": "account", "account_id": "{removed}"}, "account_id"),
            ({"platform_scope": "some"}, "platform_scope"),
        ],
    )
    def test_misfits_are_named(self, stage: Stage, scope: dict[str, str], field: str) -> None:
        ids = {
            "{account}": stage.account,
            "{strange}": stage.strange_account,
            "{removed}": stage.removed_account,
        }
        named = {name: ids.get(value, value) for name, value in scope.items()}
        assert stage.refused_at(rule("cpm", **named)) == [field]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner),
    max_leaves=6,
)
rates_of_views = st.floats(0, 10**8).map(lambda rate: round(rate, 6)) | anything
bounds = st.lists(st.integers(1, 10**15), max_size=4, unique=True).map(sorted)
tiers = st.tuples(bounds, rates_of_views).map(
    lambda of: (
        [{"up_to_impressions": bound, "cents_per_thousand": of[1]} for bound in of[0]]
        + [{"up_to_impressions": None, "cents_per_thousand": of[1]}]
    )
)
cpm_params = st.fixed_dictionaries(
    {"tiers": tiers},
    optional={"view_lifetime_days": st.integers(0, 4000) | anything, "min_impressions": anything},
)


@pytest.mark.slow
@given(
    kind=st.sampled_from([*RULES, "cpm"]),
    params=cpm_params | anything,
    field=st.sampled_from(["amount_cents", "period", "platform_scope", "criteria_type", "name"]),
    value=anything,
)
def test_it_is_refused_or_stored(kind: str, params: object, field: str, value: object) -> None:
    body = {"project_id": str(uuid4()), "name": "Fee", **rule(kind, criteria_params=params)}
    for sent in (body, {**body, field: value}):
        try:
            read = BODY.validate_python(sent)
        except ValidationError:
            continue
        stored_params = stored(read.criteria_params)
        again = BODY.validate_python({**sent, "criteria_params": stored_params})
        assert stored(again.criteria_params) == stored_params
        for tier in stored_params.get("tiers", ()):
            exact = Decimal(str(tier["cents_per_thousand"]))
            assert exact == exact.quantize(Decimal("1e-6"))
