"""Train `words/weights.npz`: `python -m tests.qa.comment_training CLONES`.

CLONES is a folder with a clone of each repository in `sets.toml`, named owner+name.
"""

import sys
import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from sklearn.exceptions import ConvergenceWarning

from tests.qa.comment_training.learn import learned
from tests.qa.comment_training.sets import Example, examples, unseen
from warehouse.comment_scoring.evaluation import Confusion, evaluated
from warehouse.comment_scoring.linear import WEIGHTS, Table
from warehouse.comment_scoring.multilingual import Multilingual


def save(table: Table, file: Path) -> None:
    """Write a table. The same table gives the same bytes."""
    np.savez_compressed(
        file,
        weights=table.weights,
        scales=table.scales,
        start=table.start,
        rarity=table.rarity.astype(np.uint8),
        languages=np.array(sorted(table.languages)),
    )


LINES = {"ar": 0.55, "hi": 0.55}
LINE = 0.60
"""Minimal macro-recall for a language to be scored."""


def main(clones: Path, weights: Path = WEIGHTS) -> None:
    """Train, choose the languages to score, and print the recall on held-out posts."""
    choosing, judging = examples(clones, "choosing"), examples(clones, "judging")
    table = learned(unseen(examples(clones, "training"), [*choosing, *judging]))
    scored = replace(table, languages=frozenset(_good(table, choosing)))
    save(scored, weights)
    for use, posts in (("choosing", choosing), ("judging", judging)):
        for language in sorted({post.language for post in posts}):
            own = [post for post in posts if post.language == language]
            [confusion] = _evaluated(table, own, scored.languages | {language})
            sys.stdout.write(_line(use, confusion, scored=language in scored.languages))


def _good(table: Table, posts: Sequence[Example]) -> set[str]:
    confusions = _evaluated(table, posts, frozenset({post.language for post in posts}))
    return {
        confusion.language
        for confusion in confusions
        if (confusion.macro_recall or 0) >= LINES.get(confusion.language, LINE)
    }


def _evaluated(
    table: Table, posts: Sequence[Example], languages: frozenset[str]
) -> list[Confusion]:
    """Evaluate posts as if all these languages were scored."""
    model = Multilingual(replace(table, languages=languages))
    return evaluated(model, [(post.language, post.label, post.text) for post in posts])


def _line(use: str, confusion: Confusion, *, scored: bool) -> str:
    counts = f"{confusion.texts:>6} {confusion.macro_recall:.3f} {confusion.scored_share:.3f}"
    return f"{use:<9} {confusion.language} {counts} {'scored' if scored else 'left'}\n"


if __name__ == "__main__":
    warnings.simplefilter("ignore", ConvergenceWarning)
    main(Path(sys.argv[1]))
