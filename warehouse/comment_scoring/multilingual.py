"""The default model: learned weights for all languages, and VADER for English.

A text without words is scored by its emoji. A language with too low recall on held-out posts is
not scored, because a guess would be worse.
"""

from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from warehouse.comment_scoring.data import HERE, digest
from warehouse.comment_scoring.features import Floats
from warehouse.comment_scoring.language import DECIDES as DETECTION
from warehouse.comment_scoring.language import WORDLESS, languages_of
from warehouse.comment_scoring.linear import CLASSES, Table, shipped
from warehouse.comment_scoring.scorer import Label, Sentiment
from warehouse.comment_scoring.vader import compound

ENGLISH = "en"
NEUTRAL_BELOW = 0.05
"""VADER's threshold: scores nearer to zero are neutral."""

SHARPNESS = 3.0
"""Inverse temperature of the softmax. It changes scores, not labels."""

STRONGEST_WEIGHT, NEUTRAL_WEIGHT = 2.0, 0.6
"""VADER's weight in an English text: at the strongest sentiment, and without any.

Lower weights miss slang of videos; higher ones read posts on X worse.
"""

EYE_ROLL = "🙄"
"""Makes praise ironic: a positive English text with it counts as negative."""

DECIDES = [
    *(HERE / f"{module}.py" for module in ("multilingual", "linear", "features", "vader")),
    *DETECTION,
]
"""Files that decide on scores, besides VADER and the weights."""


class Multilingual:
    """Learned weights for the table's languages, and VADER for English and emoji."""

    def __init__(self, table: Table | None = None) -> None:
        self._table = table or shipped()
        parts = (f"linear-{self._table.version}", f"vader-{version('vaderSentiment')}")
        self.name = "+".join((*parts, digest(DECIDES)))

    def score(self, texts: Sequence[str]) -> list[Sentiment]:
        """Score the start of each text that has no words or whose language is in the table."""
        languages = languages_of(texts)
        read = [index for index, code in enumerate(languages) if code in self._table.languages]
        leanings = self._table.leanings([texts[index] for index in read])
        sentiments = {
            index: _sentiment(languages[index], texts[index], leans)
            for index, leans in zip(read, leanings, strict=True)
        }
        return [
            sentiments[index] if index in sentiments else _without_weights(language, text)
            for index, (language, text) in enumerate(zip(languages, texts, strict=True))
        ]


def _without_weights(language: str, text: str) -> Sentiment:
    if language != WORDLESS:
        return Sentiment(language, None, None)
    feeling = compound(text)
    return Sentiment(language, _label(feeling), feeling)


def _sentiment(language: str, text: str, leans: Floats) -> Sentiment:
    if language == ENGLISH:
        leans = leans + _vader_weights(compound(text))
        if EYE_ROLL in text and leans.argmax() == len(CLASSES) - 1:
            leans = leans[::-1]
    powers = np.exp(SHARPNESS * (leans - leans.max()))
    negative, _, positive = powers / powers.sum()
    return Sentiment(language, CLASSES[int(leans.argmax())], round(float(positive - negative), 4))


def _vader_weights(feeling: float) -> Floats:
    """Return VADER's contribution to each of CLASSES."""
    nothing = NEUTRAL_WEIGHT if abs(feeling) < NEUTRAL_BELOW else 0.0
    return np.array([-STRONGEST_WEIGHT * feeling, nothing, STRONGEST_WEIGHT * feeling])


def _label(feeling: float) -> Label:
    if abs(feeling) < NEUTRAL_BELOW:
        return "neutral"
    return "positive" if feeling > 0 else "negative"
