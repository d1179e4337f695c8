"""Programs on pages read instants in one time zone, whatever the machine's."""

import pytest

from tests.docs.pages import blocks


@pytest.mark.parametrize("program", list(blocks("docs/guides/sql.md", "python")))
def test_programs_set_their_time_zone(program: str) -> None:
    assert "set TimeZone = 'UTC'" in program
