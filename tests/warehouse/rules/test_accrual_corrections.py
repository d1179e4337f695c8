"""Corrections of paid accruals in edge cases (money.md M18 and M19)."""

import json

import duckdb
import pytest


@pytest.mark.parametrize(
    ("cents", "left", "reason"),
    [
        ([120, 100, None], 20, "recomputed to $1.20, $1.00 frozen, $0.00 settled before"),
        ([120, 100, 20], 0, "recomputed to $1.20, $1.00 frozen, $0.20 settled before"),
        ([115, 100, 20], -5, "recomputed to $1.15, $1.00 frozen, $0.20 settled before"),
        ([None, 100, None], -100, "recomputed to $0.00, $1.00 frozen, $0.00 settled before"),
        ([None, 100, -100], 0, "recomputed to $0.00, $1.00 frozen, -$1.00 settled before"),
        ([120, None, 20], -20, "recomputed to $1.20, $1.20 frozen, $0.20 settled before"),
        ([None, None, 20], -20, "recomputed to $0.00, $0.00 frozen, $0.20 settled before"),
        ([0, 0, None], 0, "recomputed to $0.00, $0.00 frozen, $0.00 settled before"),
        (
            [2**60, 1, 1],
            2**60 - 2,
            "recomputed to $11,529,215,046,068,469.76, $0.01 frozen, $0.01 settled before",
        ),
    ],
)
def test_owed_minus_frozen_and_settled_is_left(
    rules: duckdb.DuckDBPyConnection,
    cents: list[int | None],
    left: int,
    reason: str,
) -> None:
    query = """
        select rules.left_to_correct(one), rules.correction_reason(one)
        from (select rules.correction($1::bigint, $2::bigint, $3::bigint) as one)
    """  # owed, frozen and settled cents
    assert rules.execute(query, cents).fetchall() == [(left, reason)]


def test_evidence_has_its_inputs(rules: duckdb.DuckDBPyConnection) -> None:
    query = "select rules.correction_evidence(rules.correction(120, 100, 5), json($1))"
    settled = [{"accrual_id": "a", "amount_cents": 5}]
    [(evidence,)] = rules.execute(query, [json.dumps(settled)]).fetchall()
    assert json.loads(evidence) == {
        "type": "adjustment",
        "owed_cents": 120,
        "frozen_cents": 100,
        "settled": settled,
    }


@pytest.mark.parametrize(
    ("is_frozen", "is_settled", "is_void", "is_corrected"),
    [
        (True, False, False, True),
        (True, True, True, True),
        (False, True, False, True),
        (False, True, True, False),
        (False, False, False, False),
    ],
)
def test_frozen_or_settled_amounts_that_are_not_void_are_corrected(
    rules: duckdb.DuckDBPyConnection,
    *,
    is_frozen: bool,
    is_settled: bool,
    is_void: bool,
    is_corrected: bool,
) -> None:
    query = "select rules.is_corrected($1, $2, $3)"
    rows = rules.execute(query, [is_frozen, is_settled, is_void]).fetchall()
    assert rows == [(is_corrected,)]


@pytest.mark.parametrize(
    ("kind", "decision", "is_waived"),
    [
        ("adjustment", "void", True),
        ("adjustment", "approved", False),
        ("earning", "void", False),
    ],
)
def test_a_void_adjustment_is_waived(
    rules: duckdb.DuckDBPyConnection,
    kind: str,
    decision: str,
    is_waived: bool,
) -> None:
    rows = rules.execute("select rules.is_waived($1, $2)", [kind, decision]).fetchall()
    assert rows == [(is_waived,)]


def test_an_adjustment_is_about_what_was_frozen_by_the_rule_that_recomputes_it(
    rules: duckdb.DuckDBPyConnection,
) -> None:
    query = "select rules.corrected($1, $2, $3), rules.correcting($1, $2, $3)"
    assert rules.execute(query, [1, 2, 3]).fetchall() == [(1, 2)]
    assert rules.execute(query, [None, 2, 3]).fetchall() == [(2, 2)]
    assert rules.execute(query, [1, None, 3]).fetchall() == [(1, 1)]
    assert rules.execute(query, [None, None, 3]).fetchall() == [(3, 3)]


@pytest.mark.parametrize(
    ("numbers", "free"),
    [([], 1), ([1], 2), ([2], 1), ([1, 3], 2), ([3, 1], 2), ([1, 2, 3], 4), ([2, 3, 4], 1)],
)
def test_the_smallest_free_number_is_next(
    rules: duckdb.DuckDBPyConnection, numbers: list[int], free: int
) -> None:
    rows = rules.execute("select rules.next_number($1::integer[])", [numbers]).fetchall()
    assert rows == [(free,)]
