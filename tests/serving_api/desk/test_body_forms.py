"""Forms from body schemas: kinds, lengths and required fields follow from the schema."""

from typing import Any

import pytest

from serving_api.desk.body_forms import BodyForm, Field
from serving_api.resources.organization.api_keys.schemas import NewApiKey
from serving_api.resources.payouts.budgets.schemas import NewBudget
from serving_api.resources.payouts.structures.bodies import GoalsRule
from serving_api.resources.programs.goals.schemas import NewGoal

PARAMS = "criteria_params"
GOAL = BodyForm(
    NewGoal, Field("metric", "Metric", choices={"posts": "Posts"}), Field("end_date", "End")
)
BUDGET = BodyForm(
    NewBudget,
    Field("name", "Name"),
    Field("amount_cents", "Amount"),
    Field("on_exceeded", "Block", on="stop_assignments", off="warn"),
)
RULE = BodyForm(
    GoalsRule,
    Field(f"{PARAMS}.n", "Number"),
    Field(f"{PARAMS}.partial_allowed", "Partly"),
    Field(f"{PARAMS}.partial_multiplier", "Percent"),
    Field(f"{PARAMS}.min_completion_pct", "Least"),
)
KEY = BodyForm(
    NewApiKey,
    Field("scopes", "Scopes", choices={"read": "Read", "write": "Write"}),
    Field("expires_at", "End"),
)


def test_lengths_follow_from_the_schema() -> None:
    assert [each.most for each in BUDGET.inputs] == [200, 20, 200]
    assert [each.most for each in BodyForm(NewApiKey, Field("name", "Name")).inputs] == [100]


@pytest.mark.parametrize(
    ("form", "fields", "values"),
    [
        (GOAL, {}, {"metric": "", "end_date": None}),
        (
            BUDGET,
            {"name": " May ", "amount_cents": "$1,000.50"},
            {"name": "May", "amount_cents": 100_050, "on_exceeded": "warn"},
        ),
        (
            BUDGET,
            {"on_exceeded": "yes"},
            {"name": "", "amount_cents": None, "on_exceeded": "stop_assignments"},
        ),
        (
            RULE,
            {f"{PARAMS}.partial_multiplier": "80%", f"{PARAMS}.min_completion_pct": "12.5"},
            {
                PARAMS: {
                    "n": None,
                    "partial_allowed": False,
                    "partial_multiplier": 0.8,
                    "min_completion_pct": 12.5,
                }
            },
        ),
        (
            KEY,
            {"scopes.write": "yes", "expires_at": "2026-05-20"},
            {"scopes": ["write"], "expires_at": "2026-05-20T21:59:59+00:00"},
        ),
        (KEY, {}, {"scopes": None, "expires_at": None}),
    ],
)
def test_values_match_the_body(
    form: BodyForm, fields: dict[str, str], values: dict[str, Any]
) -> None:
    assert form.read(fields, "Europe/Berlin") == values


@pytest.mark.parametrize(("percent", "written"), [(0.00001, "0.00001"), (12.5, "12.5")])
def test_a_form_can_parse_the_numbers_that_it_shows(percent: float, written: str) -> None:
    [least] = RULE.only(f"{PARAMS}.min_completion_pct").inputs
    assert least.written(percent) == written
    assert least.read({least.field.name: written}, "") == percent
