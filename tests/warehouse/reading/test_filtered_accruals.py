"""Accruals are joined only with the id lists of the filter."""

from dataclasses import asdict
from uuid import UUID

import pytest

from warehouse.reading.accruals.filtered import LISTS, filtered
from warehouse.reading.accruals.listing import AccrualFilter


@pytest.mark.parametrize("given", [(), *((name,) for name in LISTS), LISTS])
def test_the_query_reads_only_the_given_lists(given: tuple[str, ...]) -> None:
    accrual_filter = AccrualFilter(organization_id=UUID(int=1))
    query, parameters = filtered(asdict(accrual_filter) | dict.fromkeys(given, str(UUID(int=2))))
    assert [name for name in LISTS if f"string_split(${name}" in query] == list(given)
    assert {name for name in LISTS if name in parameters} >= set(given)
