"""Opens text files as people send them, and finds out how they separate values.

Only what cannot change a value is accepted silently: gzip, UTF-16 (byte order given), separators,
Excel's line `sep=`, names in capitals. Everything else is refused with its cause and the way out.
"""

import csv
import gzip
import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import IO
from zlib import error as ZlibError  # noqa: N812  an exception in lower case

from warehouse.imports.layouts import check_columns
from warehouse.imports.report import UnusableFileError

HEAD = 2**16
LONGEST_LINE = 2**20
"""Characters. A longer line is no valid row, and would have to fit in memory."""

SEPARATORS = ",;\t|"
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
AS_CSV = "save it as CSV UTF-8"
OTHER_FORMATS = {
    b"\xd0\xcf\x11\xe0": f"is an Excel workbook; {AS_CSV}",
    b"%PDF": f"is a PDF; export a table and {AS_CSV}",
    b"7z\xbc\xaf": "is a 7z archive; import the file in it",
    b"Rar!": "is a RAR archive; import the file in it",
    b"BZh": "is compressed by bzip2; unpack it, or use gzip",
    b"\xfd7zXZ": "is compressed by xz; unpack it, or use gzip",
    b"\x28\xb5\x2f\xfd": "is compressed by zstd; unpack it, or use gzip",
}

Row = tuple[int, list[str]]


@dataclass(frozen=True, slots=True)
class Table:
    """The rows of a text file after its header, each with the line on which it begins."""

    names: Sequence[str]
    rows: Iterator[Row]


@contextmanager
def open_table(path: Path, columns: Sequence[str]) -> Iterator[Table]:
    """Open a file and read its header. Raises UnusableFileError, also while rows are read."""
    try:
        with _open_text(path) as file:
            yield _table(path, _lines(path, file), columns)
    except (EOFError, ZlibError, gzip.BadGzipFile) as error:
        raise UnusableFileError(path, f"cannot be unpacked: {error}") from error
    except UnicodeDecodeError as error:
        raise UnusableFileError(path, f"is damaged UTF-16; {AS_CSV}") from error


@contextmanager
def _open_text(path: Path) -> Iterator[IO[str]]:
    with path.open("rb") as stored:
        is_gzip = stored.read(len(GZIP)) == GZIP
        stored.seek(0)
        with gzip.GzipFile(fileobj=stored) if is_gzip else stored as content:
            head = content.read(HEAD)
            content.seek(0)
            _refuse_other_formats(path, head)
            # Bytes that are not UTF-8 become surrogates, so that their row can be named.
            form = ("utf-16", "strict") if head[:2] in UTF_16 else ("utf-8-sig", "surrogateescape")
            yield io.TextIOWrapper(content, *form, newline="")


def _refuse_other_formats(path: Path, head: bytes) -> None:
    if head.startswith(b"PK\x03\x04"):
        is_workbook = b"xl/" in head or path.suffix.lower() in (".xlsx", ".xlsm", ".ods")
        reason = f"is a workbook; {AS_CSV}" if is_workbook else "is a zip; import the file in it"
        raise UnusableFileError(path, reason)
    for signature, reason in OTHER_FORMATS.items():
        if head.startswith(signature):
            raise UnusableFileError(path, reason)
    if b"\0" in head[:2]:
        raise UnusableFileError(path, f"is not UTF-8; {AS_CSV}")


def _lines(path: Path, file: IO[str]) -> Iterator[str]:
    number = 0
    while line := file.readline(LONGEST_LINE):
        number += 1
        if len(line) == LONGEST_LINE:
            raise UnusableFileError(path, f"line {number} has {LONGEST_LINE} characters or more")
        yield line


def _table(path: Path, lines: Iterator[str], columns: Sequence[str]) -> Table:
    before, first, separator = 0, "", None
    for line in lines:
        first = line
        if line.strip() and separator is None and line.lower().startswith("sep="):
            separator = line[len("sep=") :].strip("\r\n")
        elif line.strip():
            break
        before += 1
    if separator is None or len(separator) != 1:
        separator = max(SEPARATORS, key=lambda each: _matches(first, each, columns))
    rows = _rows(path, chain([first], lines), separator, before)
    names = [_name(text) for text in next(rows, (1, [""]))[1]]
    check_columns(path, [name for name in names if name], columns, (before + 1, first))
    return Table(names, rows)


def _matches(line: str, separator: str, columns: Sequence[str]) -> int:
    return sum(_name(text.strip(' "')) in columns for text in line.split(separator))


def _name(text: str) -> str:
    return "_".join(text.strip("\ufeff\u200b").lower().split())


def _rows(path: Path, lines: Iterator[str], separator: str, before: int) -> Iterator[Row]:
    """Yield rows that have a value; `before` lines precede them."""
    reader = csv.reader(lines, strict=True, delimiter=separator)
    while True:
        line = before + reader.line_num + 1
        try:
            row = next(reader)
        except StopIteration:
            return
        except csv.Error as error:
            raise UnusableFileError(path, f"line {line} is not valid CSV: {error}") from error
        if any(map(str.strip, row)):
            yield line, row
