"""Sentiment of English words and emoji: VADER (Hutto and Gilbert, 2014) with slang of videos."""

from functools import cache
from typing import Any

import re2
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from warehouse.comment_scoring.data import table_of
from warehouse.comment_scoring.folding import EMOJI_VARIANTS, legible

CAP = 400
MOST_WORDS = 60
"""Words scored of a text: VADER takes quadratic time, and comments need only a few words."""


def compound(text: str) -> float:
    """Return the sentiment of a text's start, from -1 (worst) to 1 (best)."""
    spelled = legible(text, CAP).translate(_spelled_out())
    joined = _phrases().sub(lambda match: _as_word(match[0]), spelled)
    scored = " ".join(joined.split()[:MOST_WORDS])
    return float(_analyzer().polarity_scores(scored)["compound"])


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    """Return VADER with our words added. Loaded when the first text is scored."""
    analyzer = SentimentIntensityAnalyzer()
    slang = table_of("slang")
    analyzer.lexicon |= slang["words"]
    for kind in ("phrases", "emoji"):
        analyzer.lexicon |= {_as_word(text): worth for text, worth in slang[kind].items()}
    return analyzer


@cache
def _phrases() -> Any:
    """Return a pattern of all phrases that count as one word, longest first."""
    phrases = sorted(table_of("slang")["phrases"], key=len, reverse=True)
    return re2.compile(rf"(?i)\b(?:{'|'.join(map(re2.escape, phrases))})\b")


def _as_word(text: str) -> str:
    """Return a phrase or emoji as one word of VADER's lexicon."""
    signs = (sign if sign.isascii() and sign.isalnum() else f"{ord(sign):x}" for sign in text)
    return "x" + "".join(signs).lower()


@cache
def _spelled_out() -> dict[int, str]:
    """Return the replacement of each emoji: our word, else VADER's description."""
    vaders = {ord(sign): text for sign, text in _analyzer().emojis.items() if len(sign) == 1}
    ours = {ord(sign): _as_word(sign) for sign in table_of("slang")["emoji"]}
    spaced = {code: f" {text} " for code, text in (vaders | ours).items()}
    return spaced | dict.fromkeys(EMOJI_VARIANTS, "")
