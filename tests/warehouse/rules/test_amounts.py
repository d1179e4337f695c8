"""Amounts and sums are capped at the largest amount in both directions (money.md M1)."""

from decimal import Decimal

import duckdb
import pytest

from warehouse.amounts import LARGEST_CENTS, bounded_cents

MOST = 9 * 10**15


@pytest.mark.parametrize(
    ("cents", "expected"),
    [
        (0, 0),
        (1, 1),
        (MOST - 1, MOST - 1),
        (MOST, MOST),
        (MOST + 1, MOST),
        (2**63, MOST),
        (10**38, MOST),
        (-1, -1),
        (-MOST, -MOST),
        (-MOST - 1, -MOST),
        (-(10**38), -MOST),
    ],
)
def test_sums_end_at_the_largest_amount(
    rules: duckdb.DuckDBPyConnection, cents: int, expected: int
) -> None:
    told_of = f"rules.bounded_cents({cents}::hugeint)"
    rows = rules.execute(f"select {told_of}, typeof({told_of})").fetchall()
    assert rows == [(expected, "BIGINT")]
    assert bounded_cents(cents) == expected


@pytest.mark.parametrize(
    ("precise", "expected"),
    [
        ("0.333333333", "0.333333333"),
        ("8999999999999999.999999999", "8999999999999999.999999999"),
        ("9000000000000000.000000000", "9000000000000000.000000000"),
        ("9000000000000000.000000001", "9000000000000000.000000000"),
        ("99999999999999999999999999999.9", "9000000000000000.000000000"),
        (None, None),
    ],
)
def test_precise_amounts_keep_their_decimals(
    rules: duckdb.DuckDBPyConnection, precise: str | None, expected: str | None
) -> None:
    rows = rules.execute("select rules.bounded(cast($1 as decimal(38, 9)))", [precise]).fetchall()
    assert rows == [(expected and Decimal(expected),)]


def test_unknown_amounts_stay_unknown_and_are_left_out_of_sums(
    rules: duckdb.DuckDBPyConnection,
) -> None:
    sums = """
        select rules.bounded_cents(sum(cents)), rules.bounded_cents(sum(cents) filter (where false))
        from (values (9000000000000000), (null), (9000000000000000), (-1)) as one (cents)
    """
    assert rules.execute(sums).fetchall() == [(LARGEST_CENTS, None)]
    assert rules.execute("select rules.bounded_cents(cast(null as hugeint))").fetchall() == [
        (None,)
    ]
