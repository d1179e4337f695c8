"""What a cell of a CSV file shows, whoever writes it: REST's exports and `tracker sql --csv`.

A text that a spreadsheet would take for a formula is prefixed with an apostrophe; a number is none,
whatever its sign (decisions.md, Exports).
"""

import re
from datetime import UTC, date, datetime
from decimal import Decimal
from unicodedata import category, normalize
from uuid import UUID

Cell = str | int | float | bool | Decimal | date | UUID | None

_FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")
_UNSEEN = {"Cf", "Cc", "Co", "Cn"}
"""Unicode categories of characters that show nothing: a spreadsheet may pass over them."""
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def cell_text(cell: Cell) -> str:
    """Return what a cell shows; unknown is empty. Instants are UTC, ISO 8601.

    A time without a zone is a wall clock's and shown as it is.
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
    """Whether a spreadsheet may read the text as a formula, also by a full-width sign."""
    if text.startswith(_FORMULA_STARTS):
        return True
    seen = next((char for char in text if category(char) not in _UNSEEN or char == "\n"), "")
    return normalize("NFKC", seen).startswith(_FORMULA_STARTS)
