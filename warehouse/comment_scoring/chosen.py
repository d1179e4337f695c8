"""Which model tells the sentiment: the one that comes with the code, or the operator's own."""

from collections.abc import Callable, Sequence
from pathlib import Path

from warehouse.comment_scoring.language import languages_of
from warehouse.comment_scoring.model_folder import UnusableModelError
from warehouse.comment_scoring.multilingual import Multilingual
from warehouse.comment_scoring.scorer import Sentiment, SentimentModel


class Unscored:
    """What stands in for a model that cannot be used: languages are told, no sentiment.

    Comments are as collected, with their signals; `tracker rescore` scores them once the model is
    mended, because it goes by another name.
    """

    name = "none"

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        """Leave all unscored."""
        return [Sentiment(language, None, None) for language in languages_of(texts)]


def chosen_model(folder: Path | None) -> SentimentModel:
    """Return the model in `folder`, ours without one. Raises UnusableModelError."""
    if folder is None:
        return Multilingual()
    try:
        from warehouse.comment_scoring.onnx_model import OnnxModel  # noqa: PLC0415  an extra
    except ModuleNotFoundError as error:
        raise UnusableModelError(
            f"to use {folder}, {error.name} has to be installed: pip install creator-tracker[onnx]"
        ) from error
    return OnnxModel(folder)


def model_or_unscored(folder: Path | None, on_problem: Callable[[str], None]) -> SentimentModel:
    """Return the chosen model, or, having told of the problem, what leaves comments unscored.

    A pipeline run is not held up by it: what people are owed does not wait for what comments feel.
    """
    try:
        return chosen_model(folder)
    except UnusableModelError as error:
        on_problem(f"comments stay without sentiment: {error}; then `tracker rescore`")
        return Unscored()
