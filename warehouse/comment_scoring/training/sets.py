"""The labelled texts of `sets.toml`: those to train on apart from those to judge by."""

import re
import tomllib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from warehouse.comment_scoring.scorer import Label
from warehouse.comment_scoring.training.readers import READERS, reading

SETS = Path(__file__).parent / "sets.toml"
NAMES = re.compile(r"https?\S+|@\w+|\W+")
"""What may differ where two sets have the same post."""


@dataclass(frozen=True)
class Example:
    """A post as somebody else labelled it."""

    language: str
    text: str
    label: Label
    weight: float


def examples(clones: Path, use: str) -> list[Example]:
    """Return the posts of all sets of one use. Raises MissingSetError."""
    sets = tomllib.loads(SETS.read_text(encoding="utf-8"))["sets"]
    return [example for each in sets if each["use"] == use for example in _examples(clones, each)]


def unseen(posts: Iterable[Example], others: Iterable[Example]) -> list[Example]:
    """Return the posts without a kept one among them, and without any twice."""
    seen = {_letters(post.text) for post in others} | {""}
    left = []
    for post in posts:
        if (letters := _letters(post.text)) not in seen:
            seen.add(letters)
            left.append(post)
    return left


def _examples(clones: Path, each: dict[str, Any]) -> Iterator[Example]:
    read = reading(clones, each["repository"], each["commit"])
    for path in each["files"]:
        for text, label in READERS[each["reader"]](path, read):
            yield Example(each["language"], text, label, each.get("weight", 1.0))


def _letters(text: str) -> str:
    return NAMES.sub("", text.lower())
