"""The words and rules that lie beside the code as data, and a digest that tells their versions."""

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
    """Return `words/NAME.toml`."""
    return tomllib.loads((WORDS / f"{name}.toml").read_text(encoding="utf-8"))


def digest(files: Iterable[Path]) -> str:
    """Return eight hexadecimal digits that change whenever one of the files does.

    A version made of it cannot be forgotten when a rule or the code that reads it is changed.
    """
    return digest_of_texts(*(file.read_text(encoding="utf-8") for file in sorted(files)))


def digest_of_bytes(*parts: bytes) -> str:
    """Return eight hexadecimal digits that change whenever one of the parts does."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


def digest_of_texts(*texts: str) -> str:
    """Return eight hexadecimal digits that change whenever one of the texts does."""
    return digest_of_bytes(*(text.encode("utf-8", "surrogatepass") for text in texts))
