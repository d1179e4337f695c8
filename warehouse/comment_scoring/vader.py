"""Feelings of English words and of emoji: VADER (Hutto and Gilbert, 2014), with slang of videos."""

from functools import cache
from typing import Any

import re2
from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from warehouse.comment_scoring.data import table_of
from warehouse.comment_scoring.folding import EMOJI_VARIANTS, legible

CAP = 400
MOST_WORDS = 60
"""What is scored of a text: VADER takes quadratic time, and comments say it in a few words."""


def compound(text: str) -> float:
    """Return how a text feels, from -1 (worst) to 1 (best); its beginning is read."""
    spelled = legible(text, CAP).translate(_spelled_out())
    joined = _phrases().sub(lambda match: _as_word(match[0]), spelled)
    scored = " ".join(joined.split()[:MOST_WORDS])
    return float(_analyzer().polarity_scores(scored)["compound"])


@cache
def _analyzer() -> SentimentIntensityAnalyzer:
    """Return VADER with our words beside its own; loaded when the first text is scored."""
    analyzer = SentimentIntensityAnalyzer()
    slang = table_of("slang")
    analyzer.lexicon |= slang["words"]
    for kind in ("phrases", "emoji"):
        analyzer.lexicon |= {_as_word(text): worth for text, worth in slang[kind].items()}
    return analyzer


@cache
def _phrases() -> Any:
    """Return the expression of all phrases that count as one word, the longest first."""
    phrases = sorted(table_of("slang")["phrases"], key=len, reverse=True)
    return re2.compile(rf"(?i)\b(?:{'|'.join(map(re2.escape, phrases))})\b")


def _as_word(text: str) -> str:
    """Return a phrase or an emoji as one word of VADER's lexicon."""
    signs = (sign if sign.isascii() and sign.isalnum() else f"{ord(sign):x}" for sign in text)
    return "x" + "".join(signs).lower()


@cache
def _spelled_out() -> dict[int, str]:
    """Return what stands for each emoji: one word of ours, else VADER's description."""
    vaders = {ord(sign): text for sign, text in _analyzer().emojis.items() if len(sign) == 1}
    ours = {ord(sign): _as_word(sign) for sign in table_of("slang")["emoji"]}
    spaced = {code: f" {text} " for code, text in (vaders | ours).items()}
    return spaced | dict.fromkeys(EMOJI_VARIANTS, "")
