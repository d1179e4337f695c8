"""Evidence is built when it is read, only for the requested amounts."""

import json
from uuid import UUID

import duckdb
import pytest

from tests.factories.marts import add_rows, create_marts, empty_marts
from warehouse.reading.accruals.published import load_sentence_evidence

OURS = UUID(int=10)
ROWS = 5_000
ASKED = [UUID(int=1), UUID(int=ROWS)]
"""The first and the last row, so that no id range selects them."""

ROW = {
    "organization_id": str(OURS),
    "creator_id": str(UUID(int=2)),
    "timezone": "UTC",
    "period_start": "2026-03-01",
    "evidence": json.dumps({"type": "recurring"}),
}

OF_ASKED_ALONE = """
    create or replace view machinery.payout_earnings as
    select * replace (
        if(
            right(accrual_id::varchar, 4) in ('0001', '1388'),
            evidence,
            error('made for ' || accrual_id)
        ) as evidence
    )
    from machinery.payout_earned
"""


@pytest.fixture(scope="module")
def marts() -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect(config={"threads": 1})
    create_marts(connection)
    days = ("2026-03-01", "2026-03-02")
    rows = [
        {**ROW, "accrual_id": str(UUID(int=number)), "period_end": days[number % 2]}
        for number in range(1, ROWS + 1)
    ]
    add_rows(connection, "payout_earned", rows)
    return connection


def test_no_evidence_is_built_for_other_amounts(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    marts.execute(OF_ASKED_ALONE)
    evidence = load_sentence_evidence(marts, OURS, ASKED)
    assert evidence == {accrual_id: {"type": "recurring"} for accrual_id in ASKED}


def test_amounts_of_different_creators_are_read_together() -> None:
    creators = [UUID(int=2), UUID("7fffffff-ffff-4fff-bfff-ffffffffffff"), UUID(int=2**128 - 1)]
    with empty_marts() as marts:
        rows = [
            {**ROW, "accrual_id": str(UUID(int=number)), "creator_id": str(creator)}
            for number, creator in enumerate(creators)
        ]
        add_rows(marts, "payout_earned", [{**row, "period_end": "2026-03-01"} for row in rows])
        accrual_ids = [UUID(int=number) for number in range(len(creators))]
        assert load_sentence_evidence(marts, OURS, accrual_ids).keys() == {*accrual_ids}


def test_other_organizations_and_unknown_ids_have_no_evidence(
    marts: duckdb.DuckDBPyConnection,
) -> None:
    assert load_sentence_evidence(marts, UUID(int=11), ASKED) == {}
    assert load_sentence_evidence(marts, OURS, [UUID(int=ROWS + 1)]) == {}
