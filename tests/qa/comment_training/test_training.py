"""How weights come about: from anybody's posts, the same twice, and without the kept ones."""

import subprocess
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from tests.qa.comment_training.__main__ import save
from tests.qa.comment_training.learn import learned
from tests.qa.comment_training.sets import (
    READERS,
    SETS,
    Example,
    MissingSetError,
    examples,
    reading,
    unseen,
)
from warehouse.comment_scoring.evaluation import evaluated
from warehouse.comment_scoring.linear import WEIGHTS, Table, shipped
from warehouse.comment_scoring.multilingual import Multilingual
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


def test_learns_what_posts_tell() -> None:
    table = replace(learned(POSTS), languages=frozenset({"nl"}))

    labels = table.leanings([word for words in WORDS.values() for word in words]).argmax(axis=1)

    assert labels.tolist() == [2, 2, 0, 0, 1, 1]


def test_the_same_posts_give_the_same_bytes(tmp_path: Path) -> None:
    files = [tmp_path / "first.npz", tmp_path / "second.npz"]
    for file in files:
        save(learned(POSTS), file)

    assert files[0].read_bytes() == files[1].read_bytes()


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


def test_no_kept_post_is_learned_from() -> None:
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


@pytest.mark.parametrize(
    ("reader", "path", "posts"),
    [
        (
            "lines",
            "a_text.txt",
            [("bad day", "negative"), ("it is noon", "neutral"), ("good day", "positive")],
        ),
        ("semeval", "semeval.tsv", [("yes", "positive")]),
        ("columns", "columns.tsv", [("bagus sekali", "positive")]),
        ("arsarcasm", "tweets.csv", [("سيء", "negative")]),
    ],
)
def test_reads_sets_as_they_are_laid_out(
    clone: tuple[Path, str], reader: str, path: str, posts: list[tuple[str, Label]]
) -> None:
    clones, commit = clone

    assert list(READERS[reader](path, reading(clones, "somebody/sets", commit))) == posts


def test_a_missing_clone_or_commit_is_told(clone: tuple[Path, str]) -> None:
    clones, _ = clone

    with pytest.raises(MissingSetError, match="somebody"):
        reading(clones, "somebody/sets", "0" * 40)("a_text.txt")
    with pytest.raises(MissingSetError, match="datastories"):
        examples(clones, "training")


def test_every_set_that_is_learned_from_may_be() -> None:
    for line in SETS.read_text(encoding="utf-8").split("[[sets]]")[1:]:
        if 'use = "training"' in line:
            assert any(f'licence = "{known}' in line for known in ("CC BY 3.0", "CC BY 4.0", "MIT"))


def test_the_shipped_table_is_small() -> None:
    assert WEIGHTS.stat().st_size < 5 * MEGABYTE


def test_tells_recall_by_class() -> None:
    table = replace(learned(POSTS), languages=frozenset({"nl"}))
    rows: list[tuple[str, Label, str]] = [
        ("nl", "positive", "wat een prachtig mooi huis is dat toch hoor zeg ik je nu"),
        ("nl", "negative", "dit is echt helemaal waardeloos zeg ik je nu al een keer hoor"),
        ("nl", "negative", "dit is echt helemaal geweldig zeg ik je nu al een keer hoor"),
    ]

    [evaluation] = evaluated(Multilingual(table), rows)

    assert (evaluation.texts, evaluation.scored_share) == (3, 1.0)
    assert (evaluation.recall("positive"), evaluation.recall("negative")) == (1.0, 0.5)
    assert evaluation.recall("neutral") is None
    assert evaluation.macro_recall == 0.75
