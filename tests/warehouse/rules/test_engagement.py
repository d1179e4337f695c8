"""Engagement and its rates with unknown and zero counts."""

import duckdb
import pytest


@pytest.mark.parametrize(
    ("counts", "together"),
    [
        ([None, None, None, None], None),
        ([0, None, None, None], 0),
        ([None, None, None, 7], 7),
        ([1, 2, 3, 4], 10),
        ([5, -2, None, 0], 3),
        ([2**62, 2**61, 0, 0], 2**62 + 2**61),
    ],
)
def test_engagement_sums_known_counts(
    rules: duckdb.DuckDBPyConnection, counts: list[int | None], together: int | None
) -> None:
    rows = rules.execute("select rules.engagement($1, $2, $3, $4)", counts).fetchall()
    assert rows == [(together,)]


@pytest.mark.parametrize(
    ("engagement", "whole", "rate"),
    [
        (None, 100, None),
        (5, None, None),
        (5, 0, None),
        (0, 0, None),
        (0, 100, 0.0),
        (0, -100, 0.0),
        (1, 3, 100 / 3),
        (5, 200, 2.5),
        (-5, 200, -2.5),
        (300, 200, 150.0),
    ],
)
def test_a_rate_is_in_percent_and_null_for_zero(
    rules: duckdb.DuckDBPyConnection,
    engagement: int | None,
    whole: int | None,
    rate: float | None,
) -> None:
    query = "select rules.engagement_rate($1::hugeint, $2::hugeint)"
    [(engagement_rate,)] = rules.execute(query, [engagement, whole]).fetchall()
    assert str(engagement_rate) == str(rate)  # never -0.0
