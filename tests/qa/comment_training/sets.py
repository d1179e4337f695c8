"""Reads the labelled texts of `sets.toml`, for training, choosing and judging."""

import csv
import io
import re
import subprocess
import tomllib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

from warehouse.comment_scoring.scorer import Label

NAMED: dict[str, Label] = {label: label for label in get_args(Label)}
NUMBERED: dict[str, Label] = {"0": "negative", "1": "neutral", "2": "positive"}
SHORT: dict[str, Label] = {"NEG": "negative", "NEU": "neutral", "POS": "positive"}
GONE = "Not Available"
"""Placeholder of a post that was deleted before the set was collected."""

Read = Callable[[str], str]
Labelled = Iterator[tuple[str, Label]]


class MissingSetError(Exception):
    """A clone, commit or file is missing."""


def reading(clones: Path, repository: str, commit: str) -> Read:
    """Return a reader of files at a commit. `clones` has `owner+name` for each repository."""
    clone = clones / repository.replace("/", "+")

    def read(path: str) -> str:
        output = subprocess.run(
            ["git", "-C", str(clone), "show", f"{commit}:{path}"],
            capture_output=True,
            check=False,
        )
        if output.returncode:
            raise MissingSetError(f"{clone}: {output.stderr.decode(errors='replace').strip()}")
        return output.stdout.decode("utf-8", "replace")

    return read


def lines(path: str, read: Read) -> Labelled:
    """Read one text per line, with a number per line in another file (cardiffnlp/xlm-t)."""
    texts = read(path).rstrip("\n").split("\n")
    labels = read(path.replace("_text", "_labels")).split()
    for text, label in zip(texts, labels, strict=True):
        yield text, NUMBERED[label]


def semeval(path: str, read: Read) -> Labelled:
    """Read id, label and text of each post; some have quotes or empty columns (SemEval)."""
    for line in read(path).splitlines():
        _, *cells = (cell for cell in line.split("\t") if cell.strip())
        if len(cells) > 1 and (label_name := NAMED.get(cells[0])) and cells[1] != GONE:
            yield " ".join(cells[1:]), label_name


def columns(path: str, read: Read) -> Labelled:
    """Read text and label of each post (IndoNLU)."""
    for line in read(path).splitlines():
        text, _, label = line.rpartition("\t")
        if label_name := NAMED.get(label.strip()):
            yield text, label_name


def arsarcasm(path: str, read: Read) -> Labelled:
    """Read a CSV with a header (ArSarcasm)."""
    for row in csv.DictReader(io.StringIO(read(path))):
        yield row["tweet"].strip('"'), SHORT[row["sentiment"]]


READERS: dict[str, Callable[[str, Read], Labelled]] = {
    reader.__name__: reader for reader in (lines, semeval, columns, arsarcasm)
}


SETS = Path(__file__).parent / "sets.toml"
NAMES = re.compile(r"https?\S+|@\w+|\W+")
"""Parts in which two sets may differ for the same post."""


@dataclass(frozen=True)
class Example:
    language: str
    text: str
    label: Label
    weight: float


def examples(clones: Path, use: str) -> list[Example]:
    """Return the posts of all sets for one use. Raises MissingSetError."""
    sets = tomllib.loads(SETS.read_text(encoding="utf-8"))["sets"]
    return [example for each in sets if each["use"] == use for example in _examples(clones, each)]


def unseen(posts: Iterable[Example], others: Iterable[Example]) -> list[Example]:
    """Return the posts without duplicates and without those in `others`."""
    texts = {_letters(post.text) for post in others} | {""}
    left = []
    for post in posts:
        if (letters := _letters(post.text)) not in texts:
            texts.add(letters)
            left.append(post)
    return left


def _examples(clones: Path, each: dict[str, Any]) -> Iterator[Example]:
    read = reading(clones, each["repository"], each["commit"])
    for path in each["files"]:
        for text, label in READERS[each["reader"]](path, read):
            yield Example(each["language"], text, label, each.get("weight", 1.0))


def _letters(text: str) -> str:
    return NAMES.sub("", text.lower())
