"""Text of CSV cells, for REST exports and `tracker sql --csv`.

A text that a spreadsheet would read as a formula gets an apostrophe in front; numbers of either
sign do not (decisions.md, Exports).
"""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from unicodedata import category, normalize
from uuid import UUID

Cell = str | int | float | bool | Decimal | date | UUID | None

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_UNSEEN = {"Cf", "Cc", "Co", "Cn"}
"""Unicode categories of invisible characters, which a spreadsheet may skip."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def cell_text(cell: Cell) -> str:
    """Return the text of a cell. Null is empty; instants are UTC, ISO 8601.

    A datetime without a zone is a local time and stays as it is.
    """
    match cell:
        case None:
            return ""
        case bool():
            return "true" if cell else "false"
        case datetime():
            return _time(cell)
        case date():
            return cell.isoformat()
        case str():
            return _harmless(cell)
        case _:
            return str(cell)


def _time(time: datetime) -> str:
    if time.tzinfo is None:
        return time.isoformat()
    return time.astimezone(UTC).isoformat().replace("+00:00", "Z")


def _harmless(text: str) -> str:
    is_formula = _starts_formula(text) and _NUMBER.fullmatch(text) is None
    return f"'{text}" if is_formula else text


def _starts_formula(text: str) -> bool:
    """Return whether a spreadsheet may read the text as a formula, also by a full-width sign."""
    if text.startswith(_FORMULA_STARTS):
        return True
    seen = next((char for char in text if category(char) not in _UNSEEN or char == "\n"), "")
    return normalize("NFKC", seen).startswith(_FORMULA_STARTS)
