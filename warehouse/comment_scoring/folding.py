"""Folds texts to one spelling, as the rules read them.

Lower case, without compatibility forms, look-alike letters and accents; words, emoji and
meaningful signs are separated by one space. Rules and terms are folded the same way, so only
equality of both sides matters.

Every step is linear in the length of the text, and at most CAP characters are read.
"""

import re
import unicodedata
from functools import cache

from warehouse.comment_scoring.data import table_of

CAP = 600
"""Characters read of a comment. TikTok allows 150, Instagram 2,200."""

NEXT_READING = " \n "
"""Separates the readings of one text; no rule matches across it."""

PREPARED = range(0x20000)
"""Code points folded in advance. Higher ones are rare and mostly Chinese letters."""

MEANINGFUL_SIGNS = "?#@/$%"
ENDS = "!.;\n\r\u2026\u3002\u06d4"
QUESTION_SIGNS = "\u061f\u037e"
APOSTROPHES = "'\u2018\u2019\u201b\u02bc\u0060\u00b4\u2032"
ACCENTS = {*range(0x300, 0x370), *range(0x64B, 0x660), 0x670, 0x640, 0x3099, 0x309A}
"""Accents of Latin, Greek, Cyrillic and Japanese; short vowels and elongation of Arabic."""
EMOJI_VARIANTS = {*range(0x1F3FB, 0x1F400), *range(0xFE00, 0xFE10)}
"""Skin tones and emoji variation selectors."""

ELIDED = re.compile(r"\b([cdjlmnst]|qu)'(?=[a-z])")
SPACELESS = "[\u3040-\u30ff\u3400-\u9fff]"
CHANGE_OF_SCRIPT = re.compile(f"(?<=[a-z0-9])(?={SPACELESS})|(?<={SPACELESS})(?=[a-z0-9])")
STRETCHED = re.compile(r"([^\W\d_])\1\1+")
SPELLED_OUT = re.compile(r"(?<!\S)[^\W\d_](?: (?:\. )?[^\W\d_]){2,}(?!\S)")
DIGIT_FOR_LETTER = re.compile(r"(?<=[a-z])[0134578](?=[a-z])")
DOLLAR_FOR_S = re.compile(r"(?<!\S)\$ (?=[a-z]{2})")
LETTER_OF_DIGIT = dict(zip("0134578", "oieastb", strict=True))


def folded(text: str) -> str:
    """Return a text's words in one spelling, followed by readings without disguise.

    Begins and ends with a space, as every word does. Other readings ('s c a m', 'sc4m', 'scaaam')
    follow NEXT_READING.
    """
    words = folded_words(text)
    readings = dict.fromkeys((words, *_without_disguise(words)))
    return f" {NEXT_READING.join(readings)} "


def legible(text: str, cap: int) -> str:
    """Return the start of a text in keyboard letters (NFKC); case and punctuation stay."""
    whole = text[:cap].encode("utf-8", "ignore").decode()  # without halves of characters
    return unicodedata.normalize("NFKC", whole)[:cap].replace("\u2019", "'")


def folded_words(text: str) -> str:
    """Return a text's words in one spelling, without readings of disguised words."""
    spelled = text[:CAP].translate(_folds())[: 2 * CAP]
    if "'" in spelled:
        spelled = ELIDED.sub(r"\1 ", spelled).replace("'", "")
    if not spelled.isascii():
        spelled = CHANGE_OF_SCRIPT.sub(" ", spelled)
    return " ".join(spelled.split())


def folded_letters(pattern: str) -> str:
    """Return a rule's pattern with its letters folded."""
    folds = _folds()
    return "".join(folds[ord(sign)] if sign.isalpha() else sign for sign in pattern)


def _without_disguise(words: str) -> list[str]:
    plain = SPELLED_OUT.sub(lambda match: match[0].replace(". ", "").replace(" ", ""), words)
    plain = DIGIT_FOR_LETTER.sub(lambda match: LETTER_OF_DIGIT[match[0]], plain)
    plain = DOLLAR_FOR_S.sub("s", plain)
    if STRETCHED.search(plain):
        return [STRETCHED.sub(r"\1", plain), STRETCHED.sub(r"\1\1", plain)]
    return [plain]


class _Folds(dict[int, str]):
    """The folding of each code point. Code points beyond PREPARED are folded on demand."""

    def __missing__(self, code: int) -> str:
        letter = chr(code)
        return letter if unicodedata.category(letter) == "Lo" else " "


@cache
def _folds() -> _Folds:
    alike = table_of("lookalikes")
    return _Folds({code: _fold(chr(code), alike) for code in PREPARED} | _signs())


def _signs() -> dict[int, str]:
    return {
        **{ord(sign): f" {sign} " for sign in MEANINGFUL_SIGNS},
        **{ord(sign): " . " for sign in ENDS},
        **{ord(sign): " ? " for sign in QUESTION_SIGNS},
        **{ord(sign): "'" for sign in APOSTROPHES},
        **dict.fromkeys((*ACCENTS, *EMOJI_VARIANTS), ""),
    }


def _fold(sign: str, alike: dict[str, str]) -> str:
    """Return the folding of one character, independent of its neighbours."""
    if sign in alike:
        return f" {alike[sign]} " if unicodedata.category(sign) == "So" else alike[sign]
    parts = unicodedata.normalize("NFKD", sign.casefold()).casefold()
    return "".join(_folded(alike.get(part, part)) for part in parts if ord(part) not in ACCENTS)


def _folded(sign: str) -> str:
    """Keep letters and digits, set emoji apart, drop what is invisible; the rest is a space."""
    match unicodedata.category(sign[0])[0], unicodedata.category(sign[0]):
        case ("L" | "M", _):
            return sign
        case (_, "Nd"):
            return str(unicodedata.digit(sign))
        case (_, "Cf" | "Me" | "Cs"):
            return ""
        case (_, "So"):
            return f" {sign} "
        case ("N", _):
            return sign
    return " "
