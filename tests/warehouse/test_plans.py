"""The plans match the table of decisions.md and the free organizations per user."""

import pytest

from warehouse.plans import Plan, plan

FREE = (200, 1, 10, 1, 1, 500, 5, 3, 30, False, 0)
STARTER = (1_000, 1, 100, 5, 5, 10_000, 50, 20, 365, True, 200)
ULTRA = (50_000, 5, 10_000, 100, 100, 1_000_000, 1_000, 200, None, True, 5_000)


@pytest.mark.parametrize(
    ("name", "limits"), [("free", FREE), ("starter", STARTER), ("ultra", ULTRA)]
)
def test_a_plan_allows_what_the_table_says(name: str, limits: tuple[int | None, ...]) -> None:
    assert tuple(getattr(plan(name), field) for field in Plan.model_fields) == limits
