"""Two runs of `same_behaviour` write the same for the same behaviour."""

from tests.house.same_behaviour import as_text
from warehouse.ids import uuid7


def test_ids_made_by_each_run_are_told_apart_and_not_shown() -> None:
    def sample() -> str:
        first, other = uuid7(), uuid7()
        return as_text({"id": first, "other": other, "again": first, "amount": 5})

    assert sample() == sample()
    assert '"id-0"' in sample()
    assert '"id-1"' in sample()
    assert as_text({"amount": 5}) != as_text({"amount": 6})
