"""Chooses the sentiment model: the bundled one or the operator's own."""

from collections.abc import Callable, Sequence
from pathlib import Path

from warehouse.comment_scoring.language import languages_of
from warehouse.comment_scoring.model_folder import UnusableModelError
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.scorer import Sentiment, SentimentModel


class Unscored:
    """Replaces an unusable model: detects languages, scores no sentiment.

    Comments are collected with their signals. Once the model is fixed, `tracker rescore` scores
    them, because its name differs.
    """

    name = "none"

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        return [Sentiment(language, None, None) for language in languages_of(texts)]


def chosen_model(folder: Path | None) -> SentimentModel:
    """Return the model in `folder`, or the bundled one. Raises UnusableModelError."""
    if folder is None:
        return Multilingual()
    try:
        from warehouse.comment_scoring.onnx_model import OnnxModel  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise UnusableModelError(
            f"{folder} needs {error.name}: pip install creator-tracker[onnx]"
        ) from error
    return OnnxModel(folder)


def model_or_unscored(folder: Path | None, on_problem: Callable[[str], None]) -> SentimentModel:
    """Return the chosen model, or report why it is unusable and return Unscored.

    A pipeline run continues: payouts do not wait for the sentiment of comments.
    """
    try:
        return chosen_model(folder)
    except UnusableModelError as error:
        on_problem(f"comments are stored without sentiment: {error}; then run `tracker rescore`")
        return Unscored()
