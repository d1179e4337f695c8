"""Deterministic ids, and the first days of periods."""

from datetime import date
from uuid import UUID, uuid5

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st


@given(namespace=st.uuids(), name=st.text(st.characters(codec="utf-8", exclude_characters="\0")))
def test_ids_equal_pythons(rules: duckdb.DuckDBPyConnection, namespace: UUID, name: str) -> None:
    query = "select rules.uuid5(cast($1 as uuid), $2)"
    assert rules.execute(query, [str(namespace), name]).fetchall() == [(uuid5(namespace, name),)]


def test_an_adjustment_is_named_after_what_it_corrects_and_its_number(
    rules: duckdb.DuckDBPyConnection,
) -> None:
    corrected = UUID(int=7)
    rows = rules.execute("select rules.adjustment_id($1, 12)", [corrected]).fetchall()
    assert rows == [(uuid5(corrected, "12"),)]


@pytest.mark.parametrize(
    ("day", "period", "anchor", "first"),
    [
        (date(2026, 5, 20), None, 1, None),
        (date(2026, 5, 20), "daily", 1, date(2026, 5, 20)),
        (date(2026, 5, 18), "weekly", 1, date(2026, 5, 18)),
        (date(2026, 5, 24), "weekly", 1, date(2026, 5, 18)),
        (date(2026, 5, 24), "weekly", 7, date(2026, 5, 24)),
        (date(2026, 5, 24), "weekly", None, date(2026, 5, 18)),
        (date(2026, 5, 20), "weekly", 4, date(2026, 5, 14)),
        (date(2026, 3, 1), "monthly", 1, date(2026, 3, 1)),
        (date(2028, 2, 29), "monthly", 1, date(2028, 2, 1)),
        (date(2025, 12, 31), "monthly", 1, date(2025, 12, 1)),
    ],
)
def test_a_period_is_named_by_its_first_day(
    rules: duckdb.DuckDBPyConnection,
    day: date,
    period: str | None,
    anchor: int | None,
    first: date | None,
) -> None:
    query = "select rules.period_start(cast($1 as date), $2, $3)"
    assert rules.execute(query, [day, period, anchor]).fetchall() == [(first,)]
