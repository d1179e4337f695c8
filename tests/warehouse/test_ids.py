"""Ids: ordered version 7 for decided rows."""

import os
from uuid import RFC_4122, UUID

import pytest

from warehouse.ids import uuid7


def test_consecutive_ids_are_ordered() -> None:
    made = [uuid7() for _ in range(2_000)]
    assert made == sorted(made)
    assert len(set(made)) == len(made)


def test_an_id_has_its_version_and_variant() -> None:
    assert (uuid7().version, uuid7().variant) == (7, RFC_4122)


def test_thousands_of_ids_draw_randomness_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each read of randomness makes waiting threads wait for the interpreter again."""
    drawn: list[int] = []
    draw = os.urandom
    monkeypatch.setattr("os.urandom", lambda size: (drawn.append(size), draw(size))[1])
    assert len({uuid7() for _ in range(2_000)}) == 2_000
    assert 0 < len(drawn) < 40


def test_a_forked_process_draws_its_own() -> None:
    uuid7()  # buffers randomness that the child would inherit
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.write(writing, uuid7().bytes)
        os._exit(0)
    mine, theirs = uuid7(), UUID(bytes=os.read(reading, 16))
    os.waitpid(child, 0)
    assert mine.bytes[8:] != theirs.bytes[8:]
