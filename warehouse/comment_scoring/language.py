"""Which language a comment is in, as far as its words tell.

Comments are short, and on short texts detectors err. So the detector's guess (py3langid) is weighed
against how many of the words are common English ones, or Hindi in Latin letters, which no detector
knows. Of what is in doubt, and what mixes languages, it is said that it is (UNSURE).
"""

import re
from collections.abc import Sequence
from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from warehouse.comment_scoring.data import HERE, WORDS, table_of
from warehouse.comment_scoring.detector import Detector
from warehouse.comment_scoring.folding import legible

CAP = 150
"""Characters that are looked at."""

WORDLESS = "zxx"
UNSURE = "und"
CANDIDATES = [
    *("en", "es", "pt", "fr", "de", "it", "nl", "tr", "id", "ms", "tl", "vi", "pl", "cs", "ro"),
    *("sv", "da", "no", "fi", "hu", "ru", "uk", "bg", "el", "ar", "fa", "ur", "he", "hi", "bn"),
    *("ta", "th", "ja", "ko", "zh"),
]
GUESSED = frozenset({"nl", "ms", "tl", "vi", "pl", "cs", "ro", "sv", "da", "no", "fi", "hu"})
"""What detectors call short texts in slang, or in two languages, for want of better: no guess."""

SURE = 0.9
"""A share of the detector's belief from which on single known words do not matter."""

MOSTLY, PARTLY = 0.8, 0.5
"""Shares of common English words: from the first on a text is English whatever else is said."""

HINDI = 0.2
"""The share of common Hindi words in Latin letters from which on a text is Hindi."""

FEELS, SLANG_LETTERS = 4, 3
"""Letters from which on a word of VADER's lexicon, or of our slang, is taken for English."""

DECIDES = [
    *(HERE / f"{module}.py" for module in ("language", "detector", "folding")),
    *WORDS.glob("*.t*"),
]
"""What a language depends on besides the detector's and VADER's own tables."""

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
ADDRESS = re.compile(r"@\S+|\S+\.\S+/\S*")


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return the code of each text's language, WORDLESS where it has no words.

    Names and addresses (@, links) are no words of a language.
    """
    words = [WORD.findall(ADDRESS.sub(" ", legible(text, CAP)).lower()) for text in texts]
    english = [_share(each, _english()) for each in words]
    languages = [_language_of_words(*each) for each in zip(words, english, strict=True)]
    undecided = [index for index, language in enumerate(languages) if language is None]
    guesses = _detector().guesses([" ".join(words[index]) for index in undecided])
    guessed = {
        index: _weighed(english[index], *guess)
        for index, guess in zip(undecided, guesses, strict=True)
    }
    return [language or guessed[index] for index, language in enumerate(languages)]


def _language_of_words(words: list[str], english: float) -> str | None:
    """Return the language where known words tell it; None where the detector is to be asked."""
    if not words:
        return WORDLESS
    if english >= MOSTLY:
        return "en"
    return "hi" if _share(words, _hindi()) >= HINDI else None


def _weighed(english: float, code: str, share: float) -> str:
    """Return English where enough words say so or do not contradict, else the detector's guess."""
    if code == "en":
        return "en" if english > 0 or share >= SURE else UNSURE
    if share < SURE and english >= PARTLY:
        return "en"
    return UNSURE if share < SURE and code in GUESSED else code


def _share(words: list[str], known: frozenset[str]) -> float:
    return sum(word in known for word in words) / len(words) if words else 0.0


@cache
def _hindi() -> frozenset[str]:
    return frozenset((WORDS / "hindi.txt").read_text(encoding="utf-8").split())


@cache
def _english() -> frozenset[str]:
    """Return common words and those with a feeling, without those of other languages too."""
    common = (WORDS / "english.txt").read_text(encoding="utf-8").split()
    shared = (WORDS / "shared.txt").read_text(encoding="utf-8").split()
    slang = (word for word in table_of("slang")["words"] if len(word) >= SLANG_LETTERS)
    feeling = (word for word in SentimentIntensityAnalyzer().lexicon if len(word) >= FEELS)
    return frozenset({*common, *slang, *feeling} - set(shared))


@cache
def _detector() -> Detector:
    return Detector(CANDIDATES)
