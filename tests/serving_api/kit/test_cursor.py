"""Cursors: opaque, exact to the microsecond, and good for one list only."""

from datetime import UTC, date, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.errors import InvalidCursor
from serving_api.kit.cursor import (
    BegunCursor,
    ComputedCursor,
    Cursor,
    RankedCursor,
    RowKey,
    Seal,
)

AT = datetime(2026, 5, 20, 12, 30, 59, 123456, tzinfo=UTC)
ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")

SEAL = Seal(b"a secret of the tests")

instants = st.datetimes(timezones=st.just(UTC))


@pytest.mark.parametrize(
    "at",
    [
        AT,
        datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
        datetime(2026, 5, 20, 12, 0, tzinfo=timezone(timedelta(hours=5, minutes=30))),
        datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
    ],
)
def test_a_cursor_comes_back_as_the_place_that_went_in(at: datetime) -> None:
    assert Cursor.decode(Cursor(at, ID).encode("creators/1", SEAL), "creators/1", SEAL) == Cursor(
        at, ID
    )


@given(instants, st.uuids())
def test_every_place_survives(at: datetime, identity: UUID) -> None:
    place = Cursor(at, identity)
    assert Cursor.decode(place.encode("videos", SEAL), "videos", SEAL) == place


@given(st.integers(-(2**63), 2**63 - 1), instants, st.uuids())
def test_every_ranked_place_survives(rank: int, at: datetime, identity: UUID) -> None:
    place = RankedCursor(rank, at, identity)
    assert RankedCursor.decode(place.encode("comments", SEAL), "comments", SEAL) == place


@given(instants, st.integers(-(2**63), 2**63 - 1), instants, st.uuids())
def test_places_survive(begun_at: datetime, rank: int, at: datetime, identity: UUID) -> None:
    place = BegunCursor(begun_at, rank, at, identity)
    assert BegunCursor.decode(place.encode("anomalies", SEAL), "anomalies", SEAL) == place


@given(
    st.dates(),
    st.builds(RowKey, st.integers(0, 2**63 - 1), st.dates(), st.uuids()),
    st.none() | st.uuids(),
)
def test_computed_places_survive(day: date, key: RowKey, publication_id: UUID | None) -> None:
    place = ComputedCursor(AT, date.min, day, key, publication_id)
    assert ComputedCursor.decode(place.encode("costs", SEAL), "costs", SEAL) == place


@pytest.mark.parametrize("before", [Cursor(AT, ID), RankedCursor(1, AT, ID)])
def test_other_forms_are_refused(before: Cursor | RankedCursor) -> None:
    with pytest.raises(InvalidCursor):
        ComputedCursor.decode(before.encode("costs", SEAL), "costs", SEAL)


@pytest.mark.parametrize("text", ["", "x", "AAAA", "A" * 43, "A" * 10_000])
def test_what_no_export_made_is_refused(text: str) -> None:
    with pytest.raises(InvalidCursor):
        ComputedCursor.decode(text, "costs", SEAL)


def test_a_place_is_no_ranked_one() -> None:
    with pytest.raises(InvalidCursor):
        RankedCursor.decode(Cursor(AT, ID).encode("videos", SEAL), "videos", SEAL)


def test_a_cursor_goes_into_a_url_as_it_is() -> None:
    text = Cursor(AT, ID).encode("creators/1", SEAL)
    assert text.replace("-", "").replace("_", "").isalnum()
    assert str(ID) not in text


@pytest.mark.parametrize(
    "text", ["", "x", "=", "AAAA", "not a cursor", "ä", "\x00", "A" * 43, "A" * 10_000, "AAAA=AAAA"]
)
def test_what_no_list_made_is_refused(text: str) -> None:
    with pytest.raises(InvalidCursor):
        Cursor.decode(text, "creators/1", SEAL)


def test_another_lists_cursor_is_refused() -> None:
    with pytest.raises(InvalidCursor):
        Cursor.decode(Cursor(AT, ID).encode("creators/1", SEAL), "creators/2", SEAL)


@given(st.data())
def test_a_changed_character_is_noticed(data: st.DataObject) -> None:
    text = Cursor(AT, ID).encode("creators/1", SEAL)
    position = data.draw(st.integers(0, len(text) - 1))
    character = data.draw(st.characters().filter(lambda candidate: candidate != text[position]))
    changed = text[:position] + character + text[position + 1 :]
    with pytest.raises(InvalidCursor):
        Cursor.decode(changed, "creators/1", SEAL)


@given(st.text())
def test_any_text_is_a_cursor_or_refused(text: str) -> None:
    with pytest.raises(InvalidCursor):
        Cursor.decode(text, "creators/1", SEAL)
