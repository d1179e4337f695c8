"""CSV cells, and escaping of values that a spreadsheet would run as formulas."""

from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from warehouse.csv_cells import cell_text


@pytest.mark.parametrize(
    ("cell", "text"),
    [
        (None, ""),
        (True, "true"),
        (False, "false"),
        (0, "0"),
        (-5, "-5"),
        (2**63, "9223372036854775808"),
        (12.5, "12.5"),
        (-0.1, "-0.1"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (date(2026, 5, 20), "2026-05-20"),
        (datetime(2026, 5, 20, 12, tzinfo=UTC), "2026-05-20T12:00:00Z"),
        (
            datetime(2026, 5, 20, 12, 0, 0, 7, tzinfo=timezone(timedelta(hours=2))),
            "2026-05-20T10:00:00.000007Z",
        ),
        (datetime(2026, 5, 20, 12), "2026-05-20T12:00:00"),  # noqa: DTZ001  a wall clock's
        ("plain", "plain"),
        ("", ""),
    ],
)
def test_a_cell_shows_its_value(cell: Any, text: str) -> None:
    assert cell_text(cell) == text


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+SUM(A1)",
        "-2+3",
        "@handle",
        "\tx",
        "\rx",
        "=",
        "-",
        "+1 234",
        "\uff1d1+1",
        "\uff0b1 234",
        "\uff20handle",
        "\u200b=1+1",
        "\ufeff\u200e\uff0dA1",
        "\x00=1",
        "-1,5",
        "--1",
        "-1\n",
    ],
)
def test_a_text_like_a_formula_is_prefixed(text: str) -> None:
    assert cell_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+5", "-5.25", "+.5", "-1e9", "+1E-9", " =1", "a=1", "\nx"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert cell_text(text) == text
