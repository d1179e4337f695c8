"""How weights are trained: from any posts, reproducibly, and without the held-out ones."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.qa.comment_training.__main__ import save
from tests.qa.comment_training.learn import learned
from tests.qa.comment_training.sets import (
    SETS,
    Example,
    unseen,
)
from warehouse.comment_scoring.linear import WEIGHTS, Table, shipped
from warehouse.comment_scoring.scorer import Label

MEGABYTE = 1_000_000
WORDS: dict[Label, tuple[str, str]] = {
    "positive": ("prachtig", "geweldig"),
    "negative": ("waardeloos", "verschrikkelijk"),
    "neutral": ("vandaag", "daar"),
}
POSTS = [
    Example("nl", f"{word} {end} nummer {number}", label, 1.0)
    for label, words in WORDS.items()
    for word in words
    for end in ("dus", "toch", "hoor")
    for number in range(4)
]


def test_a_table_is_read_as_it_was_written(tmp_path: Path) -> None:
    table = replace(learned(POSTS), languages=frozenset({"nl", "en"}))
    save(table, tmp_path / "table.npz")

    read = Table.read(tmp_path / "table.npz")

    assert read.version == table.version
    assert read.languages == table.languages
    assert np.array_equal(read.leanings(["prachtig"]), table.leanings(["prachtig"]))


def test_another_table_is_another_version() -> None:
    table = shipped()

    assert replace(table, start=table.start + 1).version != table.version
    assert replace(table, languages=frozenset()).version != table.version


def test_no_held_out_post_is_used_in_training() -> None:
    test_set = [Example("en", "@anna I LOVE it https://t.co/a", "positive", 1)]
    posts = [
        Example("en", "@ben i love it!", "positive", 1),
        Example("en", "Other", "neutral", 1),
        Example("en", "other!", "neutral", 1),
        Example("en", "https://t.co/b", "neutral", 1),
    ]

    assert [post.text for post in unseen(posts, test_set)] == ["Other"]


@pytest.fixture
def clone(tmp_path: Path) -> tuple[Path, str]:
    """A clone with a file in each layout, and its commit."""
    home = tmp_path / "somebody+sets"
    home.mkdir()
    (home / "a_text.txt").write_text("bad day\nit is noon\ngood day\n")
    (home / "a_labels.txt").write_text("0\n1\n2\n")
    (home / "semeval.tsv").write_text("1\tpositive\tyes\n2\tnegative\tNot Available\n3\tother\tx\n")
    (home / "columns.tsv").write_text("bagus sekali\tpositive\n\n")
    (home / "tweets.csv").write_text('tweet,sarcasm,sentiment\n"""سيء""",FALSE,NEG\n')
    who = ["-c", "user.name=a", "-c", "user.email=a@example.com"]
    for arguments in (["init", "-q"], ["add", "."], [*who, "commit", "-qm", "sets"]):
        subprocess.run(["git", "-C", str(home), *arguments], check=True)
    head = subprocess.run(
        ["git", "-C", str(home), "rev-parse", "HEAD"], check=True, capture_output=True, text=True
    )
    return tmp_path, head.stdout.strip()


def test_every_training_set_has_a_permitted_licence() -> None:
    for line in SETS.read_text(encoding="utf-8").split("[[sets]]")[1:]:
        if 'use = "training"' in line:
            assert any(f'licence = "{name}' in line for name in ("CC BY 3.0", "CC BY 4.0", "MIT"))


def test_the_shipped_table_is_small() -> None:
    assert WEIGHTS.stat().st_size < 5 * MEGABYTE
