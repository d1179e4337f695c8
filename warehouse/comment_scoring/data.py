"""Words and rules stored as data, and digests for their versions."""

import ast
import hashlib
import io
import tokenize
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

    A version made of it changes with every rule and with the code that reads it, but not with
    docstrings and comments: with each version of terms, all comments are searched again.
    """
    return digest_of_texts(*(_content(file) for file in sorted(files)))


@cache
def _content(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    return _code(text) if file.suffix == ".py" else text


def _code(source: str) -> str:
    """Return a module without docstrings, comments and empty lines; the same for any Python."""
    lines = source.split("\n")
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            row, column = token.start
            lines[row - 1] = lines[row - 1][:column]
    docstrings = {
        row
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node.value.value, str)
        for row in range(node.lineno, (node.end_lineno or node.lineno) + 1)
    }
    rows = (line.rstrip() for row, line in enumerate(lines, 1) if row not in docstrings)
    return "\n".join(filter(None, rows))


def digest_of_bytes(*parts: bytes) -> str:
    """Return eight hexadecimal digits that change with any of the parts."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


def digest_of_texts(*texts: str) -> str:
    """Return eight hexadecimal digits that change with any of the texts."""
    return digest_of_bytes(*(text.encode("utf-8", "surrogatepass") for text in texts))
