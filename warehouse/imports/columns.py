"""Holding a file's columns to what its kind must have."""

from collections.abc import Sequence
from pathlib import Path

from warehouse.imports import layouts
from warehouse.imports.errors import UnusableFileError


def check_columns(path: Path, found: Sequence[str], expected: Sequence[str]) -> None:
    """Raise UnusableFileError unless the names are exactly the expected ones, in any order.

    Those that `layouts.MAY_LACK` names may be missing.
    """
    needed = (name for name in expected if name not in layouts.MAY_LACK)
    faults = [
        *(f"lacks the column {name}" for name in needed if name not in found),
        *(f"has an unknown column {name!r:.80}" for name in found if name not in expected),
        *(f"has the column {name} twice" for name in expected if found.count(name) > 1),
    ]
    if faults:
        raise UnusableFileError(path, f"{'; '.join(faults[:5])}; it must have {list(expected)}")
