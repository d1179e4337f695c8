"""Words and rules stored as data, and digests for their versions."""

import hashlib
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
WORDS = HERE / "words"
SIGNALS = HERE / "signals"


@cache
def table_of(name: str) -> Any:
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))


def digest(files: Iterable[Path]) -> str:
    """Return eight hexadecimal digits that change with any of the files.

    A version made of it changes with every rule and with the code that reads it.
    """
    return digest_of_texts(*(file.read_text(encoding="utf-8") for file in sorted(files)))


def digest_of_bytes(*parts: bytes) -> str:
    """Return eight hexadecimal digits that change with any of the parts."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


def digest_of_texts(*texts: str) -> str:
    """Return eight hexadecimal digits that change with any of the texts."""
    return digest_of_bytes(*(text.encode("utf-8", "surrogatepass") for text in texts))
