"""Sentiment of English by VADER (Hutto and Gilbert, 2014) with the slang of short videos."""

from importlib.metadata import version

import re2
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from warehouse.comment_scoring.data import HERE, WORDS, digest, table_of
from warehouse.comment_scoring.folding import EMOJI_VARIANTS, legible
from warehouse.comment_scoring.language import WORDLESS, language_of
from warehouse.comment_scoring.scorer import Label, Sentiment

CAP = 400
MOST_WORDS = 60
"""What is scored of a text: VADER takes quadratic time, and comments say it in a few words."""

NEUTRAL_BELOW = 0.05
"""VADER's own border: what is nearer to zero is neutral."""

SCORED = ("en", WORDLESS)
DECIDES = [
    *(HERE / f"{module}.py" for module in ("vader", "language", "folding")),
    *WORDS.glob("*"),
]
"""What a score depends on besides VADER itself."""


class Vader:
    """VADER with our words: English and texts of emoji alone are scored, others are not."""

    def __init__(self) -> None:
        slang = table_of("slang")
        self._analyzer = SentimentIntensityAnalyzer()
        self._analyzer.lexicon |= slang["words"]
        for kind in ("phrases", "emoji"):
            self._analyzer.lexicon |= {_as_word(text): worth for text, worth in slang[kind].items()}
        self._spelled = _spelled_out(self._analyzer.emojis, slang["emoji"])
        longest_first = sorted(slang["phrases"], key=len, reverse=True)
        phrases = "|".join(map(re2.escape, longest_first))
        self._phrase = re2.compile(rf"(?i)\b(?:{phrases})\b")
        self.name = f"vader-{version('vaderSentiment')}+{digest(DECIDES)}"

    def score(self, text: str) -> Sentiment:
        """Score the beginning of a text, where it is English or has no words."""
        language = language_of(text)
        if language not in SCORED:
            return Sentiment(language, None, None)
        compound = self._compound(text)
        return Sentiment(language, _label(compound), compound)

    def _compound(self, text: str) -> float:
        spelled = legible(text, CAP).translate(self._spelled)
        joined = self._phrase.sub(lambda found: _as_word(found[0]), spelled)
        scored = " ".join(joined.split()[:MOST_WORDS])
        return float(self._analyzer.polarity_scores(scored)["compound"])


def _label(compound: float) -> Label:
    if abs(compound) < NEUTRAL_BELOW:
        return "neutral"
    return "positive" if compound > 0 else "negative"


def _as_word(text: str) -> str:
    """Return a phrase or an emoji as one word of VADER's lexicon."""
    signs = (sign if sign.isascii() and sign.isalnum() else f"{ord(sign):x}" for sign in text)
    return "x" + "".join(signs).lower()


def _spelled_out(vaders: dict[str, str], ours: dict[str, float]) -> dict[int, str]:
    """Return what stands for each emoji: one word of ours, else VADER's description."""
    known = {ord(sign): f" {text} " for sign, text in vaders.items() if len(sign) == 1}
    own = {ord(sign): f" {_as_word(sign)} " for sign in ours}
    return known | own | dict.fromkeys(EMOJI_VARIANTS, "")
