"""Detects the language of a comment.

Comments are short, and detectors err on short texts. So the guess of py3langid is weighed against
the share of common English words, and of Hindi words in Latin letters, which no detector knows.
Doubtful and mixed texts are UNSURE.
"""

import re
from collections.abc import Sequence
from functools import cache

from vaderSentiment.vaderSentiment import SentimentIntensityAnalyzer

from warehouse.comment_scoring.data import HERE, WORDS, table_of
from warehouse.comment_scoring.detector import Detector
from warehouse.comment_scoring.folding import legible

CAP = 150
"""Characters read of a text."""

WORDLESS = "zxx"
UNSURE = "und"
CANDIDATES = [
    *("en", "es", "pt", "fr", "de", "it", "nl", "tr", "id", "ms", "tl", "vi", "pl", "cs", "ro"),
    *("sv", "da", "no", "fi", "hu", "ru", "uk", "bg", "el", "ar", "fa", "ur", "he", "hi", "bn"),
    *("ta", "th", "ja", "ko", "zh"),
]
GUESSED = frozenset({"nl", "ms", "tl", "vi", "pl", "cs", "ro", "sv", "da", "no", "fi", "hu"})
"""Languages that detectors return for short slang or mixed texts. They do not count as a guess."""

SURE = 0.9
"""Confidence of the detector from which single known words do not matter."""

MOSTLY, PARTLY = 0.8, 0.5
"""Shares of common English words. From MOSTLY on, a text is English whatever the detector says."""

HINDI = 0.2
"""Share of common Hindi words in Latin letters from which a text is Hindi."""

FEELS, SLANG_LETTERS = 4, 3
"""Minimum letters for a word of VADER's lexicon, or of our slang, to count as English."""

DECIDES = [
    *(HERE / f"{module}.py" for module in ("language", "detector", "folding")),
    *WORDS.glob("*.t*"),
]
"""Files that decide on languages, besides the tables of the detector and VADER."""

WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")
ADDRESS = re.compile(r"@\S+|\S+\.\S+/\S*")


def languages_of(texts: Sequence[str]) -> list[str]:
    """Return each text's language code, WORDLESS for a text without words.

    @names and links are not words.
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
    """Return the language that known words decide, or None to use the detector."""
    if not words:
        return WORDLESS
    if english >= MOSTLY:
        return "en"
    return "hi" if _share(words, _hindi()) >= HINDI else None


def _weighed(english: float, code: str, share: float) -> str:
    """Return English if its words agree with or outweigh the guess, else the detector's guess."""
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
    """Return common words and words with a sentiment, without those that other languages share."""
    common = (WORDS / "english.txt").read_text(encoding="utf-8").split()
    shared = (WORDS / "shared.txt").read_text(encoding="utf-8").split()
    slang = (word for word in table_of("slang")["words"] if len(word) >= SLANG_LETTERS)
    feeling = (word for word in SentimentIntensityAnalyzer().lexicon if len(word) >= FEELS)
    return frozenset({*common, *slang, *feeling} - set(shared))


@cache
def _detector() -> Detector:
    return Detector(CANDIDATES)
