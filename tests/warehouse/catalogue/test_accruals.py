"""The catalogue's accrual columns match those that PostgreSQL copies."""

import pytest

from warehouse.catalogue.accruals import COPIED
from warehouse.catalogue.operational import OPERATIONAL
from warehouse.catalogue.table import Column
from warehouse.operational.models.payments import PayoutAccrualCopy

TABLES = {table.name: table for table in OPERATIONAL}


@pytest.mark.parametrize("name", ["payout_accrual_decisions", "payout_payment_accruals"])
def test_copies_have_its_columns_with_their_types(name: str) -> None:
    copied = {column.name: _typed(column) for column in TABLES[name].columns}
    declared = {column.name: _typed(column) for column in COPIED}
    assert {column: copied.get(column) for column in declared} == declared


def test_it_has_all_copied_columns_except_the_evidence() -> None:
    copied = set(PayoutAccrualCopy.__annotations__)
    assert copied - {"evidence"} == {column.name for column in COPIED}


def _typed(column: Column) -> tuple[str, bool]:
    return column.type, column.nullable
