"""Records are made of columns by their names: two that are swapped change no answer."""

from dataclasses import dataclass
from uuid import UUID

import duckdb
import pytest

from warehouse.reading.statements import read_by_ids

ID, ORGANIZATION = UUID(int=1), UUID(int=2)
QUERY = """
    select
        unnest(string_split($ids, ','))::uuid as id,
        {columns}
    where $organization_id is not null
"""


@dataclass(frozen=True)
class Amounts:
    amount_cents: int
    paid_cents: int | None = None


def read(columns: str) -> dict[UUID, Amounts]:
    with duckdb.connect() as cursor:
        return read_by_ids(cursor, QUERY.format(columns=columns), Amounts, ORGANIZATION, [ID])


@pytest.mark.parametrize(
    "columns", ["1 as amount_cents, 2 as paid_cents", "2 as paid_cents, 1 as amount_cents"]
)
def test_the_order_of_columns_does_not_matter(columns: str) -> None:
    assert read(columns) == {ID: Amounts(amount_cents=1, paid_cents=2)}


def test_a_column_that_the_record_does_not_have_is_an_error() -> None:
    with pytest.raises(TypeError, match="paid_in_cents"):
        read("1 as amount_cents, 2 as paid_in_cents")
