"""Queries with a cached plan: the parameter is plain text, and the plan is reused."""

import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import duckdb
import pytest

from warehouse.reading.accruals.states import CORRECTIONS, STATES
from warehouse.rules.cached_plan import CachedPlan

NOBODY = '{"as_of": "2026-05-20 12:00:00+00:00", "settling_days": 3}'


@pytest.mark.parametrize("text", ["", "it's", "''", "$given", "\\'; drop schema rules;--", "ü\n☃"])
def test_the_parameter_is_passed_unchanged(text: str) -> None:
    plan = CachedPlan("select cast($given as varchar)")
    assert plan.ask(text) == [(text,)]
    assert plan.ask("another") == [("another",)]


def test_many_threads_query_at_once() -> None:
    plan = CachedPlan("select cast($given as varchar)")
    together = Barrier(8)

    def ask(number: int) -> bool:
        together.wait()
        return all(plan.ask(f"{number}/{each}") == [(f"{number}/{each}",)] for each in range(20))

    with ThreadPoolExecutor(8) as threads:
        assert all(threads.map(ask, range(8)))


def test_a_failed_query_can_be_repeated() -> None:
    plan = CachedPlan("select cast(cast($given as varchar) as integer)")
    with pytest.raises(duckdb.ConversionException):
        plan.ask("seven")
    assert plan.ask("7") == [(7,)]


@pytest.mark.parametrize("plan", [STATES, CORRECTIONS])
def test_the_plan_is_reused(rules: duckdb.DuckDBPyConnection, plan: CachedPlan) -> None:
    """Planning takes longer than executing, measured in processor time for the same query."""

    def planned() -> object:
        return rules.execute(plan.query, {"given": NOBODY}).fetchall()

    assert spent_on(lambda: plan.ask(NOBODY)) * 2 < spent_on(planned)


def spent_on(ask: Callable[[], object]) -> float:
    """Return the least processor time of ten queries in five attempts, in seconds."""
    ask()
    spent = []
    for _ in range(5):
        began = time.process_time()
        for _ in range(10):
            ask()
        spent.append(time.process_time() - began)
    return min(spent)
