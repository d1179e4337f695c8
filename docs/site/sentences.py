"""Measure the sentences of README.md, docs/ and `tracker --help`: `python docs/site/sentences.py`.

Paragraphs and list items count; code and headings do not. A table cell counts if it is longer than
a label, so that tables neither hide long sentences nor improve the median.
"""

import re
import sys
from collections.abc import Iterable, Iterator
from math import ceil
from pathlib import Path
from statistics import median
from typing import NamedTuple

REPOSITORY = Path(__file__).resolve().parents[2]
MOST_MEDIAN, MOST_P90 = 16, 28
LABEL_WORDS = 12

_FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)
_IMAGE = re.compile(r"!\[[^\]]*\]\([^)]*\)")
_LINK = re.compile(r"\[([^\]]*)\]\([^)]*\)")
_CODE = re.compile(r"`[^`]*`")
_ITEM = re.compile(r"^ *(?:[-*]|\d+\.) +")
_END = re.compile(r"(?<=[.!?])[)\"*_]*\s+(?=[\"(*_]*[A-Z0-9@])|(?<=[.!?])\s+(?=[a-z])")


class Lengths(NamedTuple):
    """Number of sentences, and the median and 90th percentile of their words."""

    sentences: int
    median: float
    p90: int


def sentences(markdown: str) -> Iterator[str]:
    text = _IMAGE.sub("", _FENCE.sub("\n\n", markdown))
    text = _CODE.sub("@code", _LINK.sub(r"\1", text))
    for block in _blocks(text):
        for sentence in _END.split(block):
            if re.search(r"[A-Za-z]", sentence):
                yield " ".join(sentence.split())


def _blocks(text: str) -> Iterator[str]:
    open_block: list[str] = []
    for line in (*text.splitlines(), ""):
        is_item = bool(_ITEM.match(line))
        if line.startswith(("#", "|", "<")) or not line.strip() or is_item:
            yield " ".join(open_block)
            open_block = []
        if line.startswith("|"):
            cells = (cell.strip() for cell in line.split("|"))
            yield from (cell for cell in cells if len(cell.split()) > LABEL_WORDS)
        elif not line.startswith(("#", "<")):
            open_block.append(_ITEM.sub("", line))


def lengths(texts: Iterable[str]) -> Lengths:
    words = sorted(len(each.split()) for text in texts for each in sentences(text))
    return Lengths(len(words), median(words), words[ceil(0.9 * len(words)) - 1])


def pages() -> Iterator[Path]:
    """Yield README.md and all pages below docs."""
    yield REPOSITORY / "README.md"
    yield from sorted((REPOSITORY / "docs").rglob("*.md"))


def main() -> int:
    """Print the lengths for each page, all pages and the command line's help.

    Returns 1 if the median or the 90th percentile is too long.
    """
    texts = {str(page.relative_to(REPOSITORY)): page.read_text("utf-8") for page in pages()}
    for name, text in texts.items():
        _show(name, [text])
    from reference import command_line  # noqa: PLC0415  it takes seconds, and tests do without

    _show("tracker --help, of all commands", [command_line()])
    total = _show("README.md and docs", texts.values())
    return int(total.median > MOST_MEDIAN or total.p90 > MOST_P90)


def _show(name: str, texts: Iterable[str]) -> Lengths:
    measured = lengths(texts)
    print("{:>5} sentences, median {:>4}, 90% {:>3}".format(*measured), name)
    return measured


if __name__ == "__main__":
    sys.exit(main())
