"""Cursors: opaque, exact to the microsecond, and valid for one list only."""

from datetime import UTC, datetime, timedelta, timezone
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving_api.errors import InvalidCursor
from serving_api.kit.cursor import (
    Cursor,
    Seal,
)

AT = datetime(2026, 5, 20, 12, 30, 59, 123456, tzinfo=UTC)
ID = UUID("01890a5d-ac96-774b-bcce-b302099a8057")

SEAL = Seal(b"a secret of the tests")


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


def test_a_cursor_goes_into_a_url_as_it_is() -> None:
    text = Cursor(AT, ID).encode("creators/1", SEAL)
    assert text.replace("-", "").replace("_", "").isalnum()
    assert str(ID) not in text


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
