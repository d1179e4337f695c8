"""CSV: what a cell shows, and what a spreadsheet must not take for a formula."""

import csv
import io
from datetime import UTC, date, datetime, timedelta, timezone
from typing import Any
from uuid import UUID

import pytest

from serving_api.kit.csv import cell_text, csv_texts


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
        "-1,5",
        "--1",
        "-1\n",
    ],
)
def test_what_looks_like_a_formula_is_prefixed(text: str) -> None:
    assert cell_text(text) == f"'{text}"


@pytest.mark.parametrize("text", ["-5", "+5", "-5.25", "+.5", "-1e9", "+1E-9", " =1", "a=1", "\nx"])
def test_numbers_and_other_texts_stay(text: str) -> None:
    assert cell_text(text) == text


def test_lines_are_those_of_rfc_4180() -> None:
    rows = [["a,b", 'say "hi"', "two\r\nlines", "ünïcode ☃", None, 1]] * 3
    parts = list(csv_texts(["one", "t,wo"], rows, at_once=2))
    whole = b"".join(parts)
    line = '"a,b","say ""hi""","two\r\nlines",ünïcode ☃,,1\r\n'
    assert whole.decode() == 'one,"t,wo"\r\n' + line * 3
    assert len(parts) == 3
    assert list(csv.reader(io.StringIO(whole.decode(), newline="")))[1][2] == "two\r\nlines"


def test_without_rows_there_is_a_header() -> None:
    assert b"".join(csv_texts(["one"], [])) == b"one\r\n"
