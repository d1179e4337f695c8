"""Reads labelled texts from CSV or Parquet, with `text`, `sentiment` and optionally `language`."""

from pathlib import Path

import polars as pl
from polars.exceptions import PolarsError

from warehouse.comment_scoring.evaluation import LABELS
from warehouse.comment_scoring.language import languages_of
from warehouse.comment_scoring.scorer import Label

NEEDED = ("text", "sentiment")


class UnreadableLabelsError(Exception):
    """A file cannot be read, lacks a column or has an unknown label."""


def labelled_texts(file: Path) -> list[tuple[str, Label, str]]:
    """Return (language, label, text) of each row. Detects the language where none is given."""
    frame = _frame(file)
    if missing := [name for name in NEEDED if name not in frame.columns]:
        raise UnreadableLabelsError(f"{file} has no column {' and no column '.join(missing)}")
    if "language" not in frame.columns:
        frame = frame.with_columns(pl.lit(None, dtype=pl.String).alias("language"))
    labels = [
        _label(number, sentiment) for number, sentiment in enumerate(frame["sentiment"], start=1)
    ]
    texts = [text or "" for text in frame["text"]]
    languages = [
        given or detected
        for given, detected in zip(frame["language"], languages_of(texts), strict=True)
    ]
    return list(zip(languages, labels, texts, strict=True))


def _frame(file: Path) -> pl.DataFrame:
    try:
        if file.suffix == ".parquet":
            return pl.read_parquet(file)
        return pl.read_csv(file, infer_schema=False)
    except (OSError, PolarsError) as error:
        [reason, *_] = str(error).splitlines() or [type(error).__name__]
        raise UnreadableLabelsError(f"{file} cannot be read: {reason}") from error


def _label(number: int, sentiment: str | None) -> Label:
    label = next((label for label in LABELS if label == sentiment), None)
    if label is None:
        raise UnreadableLabelsError(
            f"row {number}: sentiment {sentiment!r} must be one of {', '.join(LABELS)}"
        )
    return label
