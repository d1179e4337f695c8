"""Ids: version 7 for rows that are decided, in the order of their making."""

from uuid import RFC_4122

from warehouse.ids import uuid7


def test_ids_made_one_after_the_other_sort_so() -> None:
    made = [uuid7() for _ in range(2_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_id_says_its_version_and_variant() -> None:
    assert (uuid7().version, uuid7().variant) == (7, RFC_4122)
