"""Reads CSV (RFC 4180, UTF-8 with or without BOM) in chunks of text rows.

Uses Python's reader instead of polars' (1.x): it knows the line on which a row begins, also after
quoted line breaks and blank lines, and it continues after a malformed row.
"""

import csv
from collections.abc import Iterator, Sequence
from itertools import chain, compress, islice
from pathlib import Path
from typing import IO

import polars as pl

from warehouse.imports.errors import UnusableFileError
from warehouse.imports.layouts import check_columns
from warehouse.imports.report import Problem

CHUNK = 50_000
LONGEST_LINE = 2**20
"""Characters. A longer line is no valid row, and would have to fit in memory."""

UTF_16 = (b"\xff\xfe", b"\xfe\xff")
Row = tuple[int, list[str]]


def csv_chunks(
    path: Path, columns: Sequence[str]
) -> Iterator[tuple[pl.DataFrame, Sequence[Problem]]]:
    """Yield (rows, problems of rows with the wrong length or encoding)."""
    _refuse_utf_16(path)
    # Bytes that are not UTF-8 become surrogates, so that their row can be named.
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        rows = _numbered(path, file)
        _, header = next(rows, (1, []))
        check_columns(path, header, columns)
        while True:
            frame, malformed = _chunk(rows, header)
            if frame.is_empty() and not malformed:
                return
            yield frame, malformed


def _refuse_utf_16(path: Path) -> None:
    with path.open("rb") as file:
        if file.read(2) in UTF_16:
            raise UnusableFileError(path, "is UTF-16; save it as UTF-8")


def _numbered(path: Path, file: IO[str]) -> Iterator[Row]:
    """Yield (first line, row), without blank lines."""
    reader = csv.reader(_lines(path, file), strict=True)
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnusableFileError(path, f"line {line} is not valid CSV: {error}") from error
        if row:
            yield line, row


def _lines(path: Path, file: IO[str]) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise UnusableFileError(path, f"line {number} has {LONGEST_LINE} characters or more")
        yield line


def _chunk(rows: Iterator[Row], header: list[str]) -> tuple[pl.DataFrame, list[Problem]]:
    """Read the next rows.

    Texts are in one list: a list per row would cost more time in Python's garbage collector than
    everything else here.
    """
    lines: list[int] = []
    texts: list[str] = []
    malformed: list[Problem] = []
    for line, row in islice(rows, CHUNK):
        if len(row) != len(header):
            malformed.append(Problem(line, None, None, f"has {len(row)} values, not {len(header)}"))
        else:
            lines.append(line)
            texts += row
    try:
        return _frame(lines, texts, header), malformed
    except UnicodeEncodeError:
        garbled = _drop_garbled(lines, texts)
        malformed += [Problem(line, None, None, "is not UTF-8") for line in garbled]
        return _frame(lines, texts, header), malformed


def _frame(lines: list[int], texts: list[str], header: list[str]) -> pl.DataFrame:
    columns = [
        pl.Series(name, texts[number :: len(header)], pl.String)
        for number, name in enumerate(header)
    ]
    frame = pl.DataFrame([pl.Series("line", lines, pl.Int64), *columns])
    return frame.with_columns(pl.exclude("line").replace("", None))


def _drop_garbled(lines: list[int], texts: list[str]) -> list[int]:
    """Remove rows with surrogates from both lists. Returns their lines."""
    width = len(texts) // len(lines)
    rows = [texts[start : start + width] for start in range(0, len(texts), width)]
    are_text = [_is_text(row) for row in rows]
    garbled = [line for line, is_text in zip(lines, are_text, strict=True) if not is_text]
    lines[:] = compress(lines, are_text)
    texts[:] = chain.from_iterable(compress(rows, are_text))
    return garbled


def _is_text(row: list[str]) -> bool:
    try:
        "".join(row).encode()
    except UnicodeEncodeError:
        return False
    return True
